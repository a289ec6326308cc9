package import QuarryBackend
package import QuarryCore

/// A store with a history, the writes that cases record and undo, and its content, which the history is compared with.
package enum HistoryScene {
  package static func options(_ history: HistoryOption? = .on(keeping: .forever)) -> OpenOptions {
    var options = OpenOptions()
    options.history = history
    return options
  }

  package static let models: [any Model.Type] = [Poet.self, Poem.self, Album.self, Song.self]

  /// A store whose history begins behind what it is filled with.
  package static func store(_ kit: ConformanceContext, _ history: HistoryOption? = .on(keeping: .forever)) throws
    -> Store
  {
    let store = try kit.open(models, at: kit.makePlace(), options: options(history))
    try fill(store)
    return store
  }

  package static func fill(_ store: Store) throws {
    try store.write(author: "fill") { tx in
      try tx.insert(contentsOf: [Poet(1, "Sappho"), Poet(2, "Alcaeus", teacher: 1), Poet(3, "Corinna")])
      try tx.insert(contentsOf: [
        Poem(1, "ode", poet: 1), Poem(2, "hymn", poet: 1, answers: 1), Poem(3, "ode", poet: 2, answers: 2),
        Poem(4, "song"),
        Poem(5, "song", editor: 2),
      ])
      try tx.insert(contentsOf: ["a", "b", "c", ""].map { Song($0, $0.utf8.count) })
      try tx.insert(contentsOf: [Album(1, "one"), Album(2, "two")])
      try Album(1).songs.append(contentsOf: [Ref("a"), Ref("b")], in: tx)
      try Album(2).played.append(contentsOf: [Ref("a"), Ref("a")], in: tx)
    }
  }

  /// The objects of a store by their models and keys.
  package typealias Content = [String: [Value: Record]]

  package static func content(_ store: Store) throws -> Content {
    try store.read { tx in
      var content: Content = [:]
      for model in try tx.models() {
        for record in try tx.records.fetch(in: model.name) {
          content[model.name, default: [:]][record[model.keyProperty.name] ?? .null] = record
        }
      }
      return content
    }
  }

  /// The properties in which two records differ.
  static func differences(_ old: Record, _ new: Record) -> Set<String> {
    Set(old.fields.map(\.name).filter { old[$0] != new[$0] })
  }

  /// Throws unless a change set is the difference of two contents.
  package static func expectRecorded(_ set: HistorySet, _ before: Content, _ after: Content) throws {
    try expect(!set.isUnknown, "the change set is unknown")
    var changed: [String] = []
    for model in Set(before.keys).union(after.keys).sorted() {
      let (old, new) = (before[model] ?? [:], after[model] ?? [:])
      let keys = Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
      guard !keys.isEmpty else { continue }
      changed.append(model)
      let changes = try set.changes(in: model)
      try expectEqual(Set(changes.map(\.key)), keys, "the changed objects of \(model)")
      try expectEqual(changes.count, keys.count, "each object of \(model) once")
      for change in changes {
        try expectEqual(change.old, old[change.key], "\(model) \(change.key) before")
        try expectEqual(change.new, new[change.key], "\(model) \(change.key) after")
        switch (change.old, change.new) {
        case (nil, _?): try expectEqual(change.kind, .insertion)
        case (_?, nil): try expectEqual(change.kind, .deletion)
        case (let old?, let new?):
          try expectEqual(change.kind, .update)
          try expectEqual(Set(change.properties), differences(old, new), "the properties of \(model) \(change.key)")
        case (nil, nil): try expect(false, "a change of nothing")
        }
      }
    }
    try expectEqual(set.models.sorted(), changed, "the models of the change set")
  }

  /// A write, and whether it changes anything.
  package struct Write: Sendable {
    package let name: String
    package let changes: Bool
    package let body: @Sendable (WriteTransaction) throws -> Void

    init(_ name: String, changes: Bool = true, _ body: @escaping @Sendable (WriteTransaction) throws -> Void) {
      (self.name, self.changes, self.body) = (name, changes, body)
    }
  }

  package static let writes: [Write] = objects + nothing + related + linked + savepoints

  private static let objects: [Write] = [
    Write("insert") { try $0.insert(Poet(9, "Erinna")) },
    Write("insert-many") { try $0.insert(contentsOf: (10...30).map { Poet($0, "poet \($0)") }) },
    Write("insert-with-references") { try $0.insert(Poem(9, "new", poet: 3, editor: 1, answers: 4)) },
    Write("insert-text-key") { try $0.insert(Song("\u{0}é'\"", 7)) },
    Write("insert-records") { try $0.records.insert(into: "Song", [Record([("name", "z"), ("seconds", 3)])]) },
    Write("upsert-new") { try $0.upsert(Poet(9, "Erinna")) },
    Write("upsert-old") { try $0.upsert(Poet(3, "Korinna")) },
    Write("upsert-many") { try $0.upsert(contentsOf: [Poet(3, "Korinna"), Poet(9, "Erinna"), Poet(1, "Sappho")]) },
    Write("upsert-some-properties") { try $0.upsert(Poem(4, "other", poet: 3), updating: \.title) },
    Write("update") { try $0.update(Poet.self, 1) { $0.name = "Psappha" } },
    Write("update-two-properties") { try $0.update(Poem.self, 4) { ($0.title, $0.poet) = ("other", Ref(3)) } },
    Write("update-selection") { try $0.update(Poem.where { $0.title == "ode" }) { $0.title = "elegy" } },
    Write("assign") { try $0.assign(Poem.self, 1) { $0.title = "elegy" } },
    Write("assign-all") { try $0.assign(Song.all) { $0.seconds += 60 } },
    Write("to-nil") { try $0.update(Poem.self, 1) { $0.poet = nil } },
    Write("from-nil") { try $0.update(Poem.self, 4) { $0.poet = Ref(2) } },
    Write("delete") { try $0.delete(Poem.self, 4) },
    Write("delete-keys") { try $0.delete(Poem.self, keys: [3, 4, 99]) },
    Write("delete-selection") { try $0.delete(Poem.where { $0.title == "song" }) },
    Write("delete-records") { try $0.records.delete(in: "Poem", keys: [4]) },
    Write("delete-and-insert-another") { tx in
      try tx.delete(Poem.self, 4)
      try tx.insert(Poem(4, "another"))
    },
    Write("exchanged") { tx in
      try tx.update(Poet.self, 1) { $0.name = "Alcaeus" }
      try tx.update(Poet.self, 2) { $0.name = "Sappho" }
    },
    Write("several-times") { tx in for turn in 0..<5 { try tx.update(Poet.self, 3) { $0.name = "turn \(turn)" } } },
    Write("several-models") { tx in
      try tx.insert(Poet(9, "Erinna"))
      try tx.insert(Poem(9, "distaff", poet: 9))
      try tx.delete(Song.self, "c")
      try tx.update(Album.self, 2) { $0.title = "second" }
    },
    Write("large") { tx in try tx.update(Poet.self, 3) { $0.name = String(repeating: "long ", count: 40_000) } },
  ]

  private static let nothing: [Write] = [
    Write("nothing", changes: false) { _ in },
    Write("equal-update", changes: false) { tx in for poet in try tx.fetch(Poet.all) { try tx.update(poet) } },
    Write("equal-upsert", changes: false) { tx in try tx.upsert(contentsOf: try tx.fetch(Poem.all)) },
    Write("changed-and-back", changes: false) { tx in
      try tx.update(Poet.self, 1) { $0.name = "other" }
      try tx.update(Poet.self, 1) { $0.name = "Sappho" }
    },
    Write("insert-and-delete", changes: false) { tx in
      try tx.insert(Poet(9, "Erinna"))
      try tx.delete(Poet.self, 9)
    },
    Write("delete-and-insert", changes: false) { tx in
      let song = try unwrap(try tx.get(Song.self, "c"))
      try tx.delete(Song.self, "c")
      try tx.insert(song)
    },
    Write("delete-absent", changes: false) { try $0.delete(Poem.self, 99) },
  ]

  private static let related: [Write] = [
    Write("cascade") { tx in
      try tx.update(Poem.self, 5) { $0.editor = nil }
      try tx.delete(Poet.self, 2)
    },
    Write("cascade-of-several") { tx in
      try tx.update(Poem.self, 5) { $0.editor = nil }
      try tx.delete(Poet.all)
    },
    Write("nullify") { try $0.delete(Poem.self, 1) },
    Write("reference-moved") { try $0.update(Poem.where { $0.poet == Ref(1) }) { $0.poet = Ref(3) } },
    Write("deferred") { tx in
      try tx.deferringReferences {
        try tx.insert(Poem(9, "early", poet: 9))
        try tx.insert(Poet(9, "late"))
      }
    },
  ]

  private static let linked: [Write] = [
    Write("links-append") { try Album(1).songs.append(Ref<Song>("c"), in: $0) },
    Write("links-insert") { try Album(1).songs.insert(Ref<Song>("c"), at: 0, in: $0) },
    Write("links-remove") { try Album(1).songs.remove(Ref<Song>("a"), in: $0) },
    Write("links-replace") { try Album(1).songs.replace(with: [Ref<Song>("c"), Ref<Song>("a")], in: $0) },
    Write("links-twice") { try Album(2).played.append(Ref<Song>("b"), in: $0) },
    Write("linked-deleted") { try $0.delete(Song.self, "a") },
    Write("owner-deleted") { try $0.delete(Album.self, 1) },
  ]

  private static let savepoints: [Write] = [
    Write("savepoint") { tx in try tx.savepoint { _ = try tx.insert(Poet(9, "Erinna")) } },
    Write("savepoint-undone", changes: false) { tx in
      try tx.undoing {
        try tx.insert(Poet(9, "Erinna"))
        try tx.delete(Song.all)
      }
    },
    Write("savepoint-undone-between") { tx in
      try tx.update(Poet.self, 3) { $0.name = "before" }
      try tx.undoing { try tx.update(Poet.self, 3) { $0.name = "inside" } }
      try tx.insert(Poet(9, "after"))
    },
    Write("savepoint-undone-and-back") { tx in
      try tx.update(Poet.self, 3) { $0.name = "other" }
      try tx.undoing { try tx.update(Poet.self, 3) { $0.name = "Corinna" } }
    },
  ]
}
