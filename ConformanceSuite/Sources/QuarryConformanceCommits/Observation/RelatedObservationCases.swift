import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Queries that lead to other objects, and what deletes and rules do to lists.
enum RelatedObservationCases: LinkScene {
  static let all: [ConformanceCase] = [
    related(
      "path", "Observers are notified of a change of a referenced object that adds or removes objects of the query.",
      {
        Poem.where { $0.poet.name == "p1" }
      }
    ) { store, watched in
      try watched.expectChange("in") { try store.update(Poet.self, 2) { $0.name = "p1" } }
      try watched.expectChange("out") { try store.update(Poet.self, 1) { $0.name = "other" } }
      try watched.expectChange("no change") { try store.update(Poet.self, 1) { $0.name = "another" } }
      try watched.expectChange("reference") { try store.update(Poem.self, 3) { $0.poet = Ref(2) } }
      try watched.expectChange("title") { try store.update(Poem.self, 3) { $0.title = "new" } }
    },
    related("path-deep", "Also through several references.", { Poem.where { $0.poet.teacher.name == "p0" } }) {
      store, watched in
      try watched.expectChange("teacher") { try store.update(Poet.self, 1) { $0.teacher = Ref(0) } }
      try watched.expectChange("name") { try store.update(Poet.self, 0) { $0.name = "none" } }
      try watched.expectChange("name again") { try store.update(Poet.self, 0) { $0.name = "p0" } }
    },
    related("path-order", "And in orders.", { Poem.all.sorted(by: \.poet.name).sorted(by: \.title) }) {
      store, watched in
      try watched.expectChange("moved") { try store.update(Poet.self, 0) { $0.name = "zz" } }
      try watched.expectChange("nil") { try store.delete(Poet.self, 2) }
      try watched.expectChange("insert") { try store.insert(Poem(90, "t", poet: 1)) }
      try watched.expectChange("moved back") { try store.update(Poet.self, 0) { $0.name = "a" } }
    },
    related("path-limit", "And with a limit.", { Poem.where { $0.poet.name != nil }.limit(3) }) { store, watched in
      try watched.expectChange("out") { try store.delete(Poet.self, 0) }
      try watched.expectChange("in") { try store.update(Poem.self, 1) { $0.poet = nil } }
    },
    related("delete-rules", "Observers are notified of changes by delete rules.", { Poem.where { $0.poet == nil } }) {
      store, watched in
      try watched.expectChange("nullified") { try store.delete(Poet.self, 1) }
      try watched.expectChange("several") { try store.delete(Poet.self, keys: [0, 2]) }
    },
    related("delete-denied", "A delete that a rule refuses is not told of.", { Poem.all }) { store, watched in
      try store.update(Poem.self, 1) { $0.editor = Ref(3) }
      try watched.expectTold("editor")
      try expectError(.referenced) { try store.delete(Poet.self, 3) }
      try watched.expectChange("after it") { try store.delete(Poem.self, 4) }
      try expectEqual(watched.told.count, 3)
    },
    ConformanceCase("OBS.other-side", ["OBS-9"], "Observers of a query of the other side are notified.") { kit in
      let store = try filled(kit)
      let told = Told<[Int]>()
      let token = try store.observe(Poet.where { $0.poems.count > 1 }) { told.note($0.objects.map(\.id)) }
      try expectEqual(try told.next(), [0, 1, 2])
      try store.delete(Poem.where { $0.poet == Ref(1) })
      try expectEqual(try told.next(), [0, 2])
      try store.insert(contentsOf: [Poem(80, "a", poet: 3), Poem(81, "b", poet: 3)])
      try expectEqual(try told.next(), [0, 2, 3])
      token.cancel()
    },
    ConformanceCase(
      "OBS.links", ["OBS-9"], "Observers of linked objects, and of conditions through links, are notified."
    ) { kit in
      let store = try kit.store(Album.self, Song.self)
      try store.insert(contentsOf: "abcd".map { song($0) })
      try store.insert(contentsOf: [Album(1, "one"), Album(2, "two")])
      let (linked, having) = (Told<[String]>(), Told<[Int]>())
      let tokens = [
        try store.observe(Album(1).songs.sorted(by: \.name)) { linked.note($0.objects.map(\.name)) },
        try store.observe(Album.where { $0.songs.any { $0.name == "b" } }) { having.note($0.objects.map(\.id)) },
      ]
      try expectEqual(try linked.next(), [])
      try expectEqual(try having.next(), [])
      try store.write { try Album(1).songs.append(contentsOf: [song("c"), song("b")], in: $0) }
      try expectEqual(try linked.next(), ["b", "c"])
      try expectEqual(try having.next(), [1])
      try store.write { try Album(2).songs.append(song("b"), in: $0) }
      try expectEqual(try having.next(), [1, 2])
      try store.delete(song("b"))
      try expectEqual(try linked.next(), ["c"])
      try expectEqual(try having.next(), [])
      for token in tokens { token.cancel() }
    },
    ConformanceCase(
      "OBS.cached-path", ["OBS-16", "OBS-9"], "A cached result depends on all models that its query leads to."
    ) { kit in
      let store = try filled(kit)
      let query = Poem.where { $0.poet.name == "p1" }
      for change in [
        { try store.update(Poet.self, 1) { $0.name = "other" } }, { try store.update(Poet.self, 2) { $0.name = "p1" } },
        { try store.delete(Poet.self, 2) }, { try store.update(Poem.self, 1) { $0.title = "new" } },
      ] as [() throws -> Void] {
        try expectEqual(try store.cached(query, for: .seconds(600)), try store.fetch(query))
        _ = try change()
        try expectEqual(try store.cached(query, for: .seconds(600)), try store.fetch(query))
      }
    },
  ]

  private static func filled(_ kit: ConformanceContext) throws -> Store {
    let store = try kit.store(Poem.self)
    try store.insert(contentsOf: (0..<4).map { Poet($0, "p\($0)", teacher: $0 == 0 ? nil : $0 - 1) })
    try store.insert(contentsOf: (0..<9).map { Poem($0, "t\($0 % 4)", poet: $0 % 3) })
    return store
  }

  private static func related(
    _ name: String, _ summary: String, line: Int = #line, _ query: @escaping @Sendable () -> Query<Poem>,
    _ body: @escaping @Sendable (Store, Watched<Poem>) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("OBS.\(name)", ["OBS-9"], summary, line: line) { kit in
      let store = try filled(kit)
      try body(store, try Watched(store, query(), .poems))
    }
  }
}
