import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Objects that are read by what they refer to, and with it.
enum RelatedReadCases {
  static let all: [ConformanceCase] = others + together

  private static func read(
    _ name: String, _ clauses: [String], _ summary: String, within limit: Duration = .seconds(10), line: Int = #line,
    _ body: @escaping @Sendable (Store) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("REL.\(name)", clauses, summary, within: limit, line: line) { kit in
      let store = try kit.store(Poem.self)
      try store.insert(contentsOf: poets)
      try store.insert(contentsOf: poems)
      try body(store)
    }
  }

  private static let poets = (0..<10).map { Poet($0, "p\($0)", teacher: $0 % 4 == 0 ? nil : $0 / 2) }
  /// In an order that is not that of keys, with poets that have none, one, and many.
  private static let poems = (0..<40).map { number in
    let id = number * 17 % 40
    return Poem(
      id, "t\(id % 7)", poet: id % 5 == 4 ? nil : id % 8, editor: id % 3 == 0 ? 9 : nil, answers: id % 6 == 1 ? id : nil
    )
  }

  private static func poem(_ id: Int) -> Poem? { poems.first { $0.id == id } }
  private static func of(_ poet: Int) -> [Poem] {
    poems.filter { $0.poet?.key == poet }.sorted { $0.id < $1.id }
  }

  // MARK: The other side

  private static let others: [ConformanceCase] = [
    read("many", ["REL-10"], "The other side gives what refers to the owner, in the order of keys.") { store in
      for poet in poets {
        try expectEqual(try store.fetch(poet.poems), of(poet.id), "\(poet.id)")
        try expectEqual(try store.count(poet.poems), of(poet.id).count)
        try store.read { tx in
          try expectEqual(try tx.first(poet.poems), of(poet.id).first)
          try expectEqual(try tx.exists(poet.poems), !of(poet.id).isEmpty)
          try expectEqual(try tx.keys(poet.poems), of(poet.id).map(\.id))
        }
        try expectEqual(
          try store.fetch(poet.pupils), poets.filter { $0.teacher?.key == poet.id }, "pupils of \(poet.id)")
        try expectEqual(
          try store.fetch(poet.edited).map(\.id), poet.id == 9 ? stride(from: 0, to: 40, by: 3).map { $0 } : [])
      }
    },
    read("many-of-nobody", ["REL-10"], "The other side of an object that is not stored is empty.") { store in
      try expectEqual(try store.fetch(Poet(77).poems), [])
      try expectEqual(try store.count(Poet(-1).poems), 0)
      try expectEqual(try store.write { try $0.delete(Poet(77).poems) }, 0)
      try expectEqual(try store.count(Poem.all), 40)
    },
    read("many-as-query", ["REL-10"], "The other side is used as a query: with conditions, orders, limits, as a text.")
    { store in
      let poet = Poet(3)
      let due = of(3)
      try expectEqual(try store.fetch(poet.poems.where { $0.title == "t4" }), due.filter { $0.title == "t4" })
      try expectEqual(try store.fetch(poet.poems.where("title == %@", "t4")), due.filter { $0.title == "t4" })
      try expectEqual(
        try store.fetch(poet.poems.sorted(by: \.id, order: .reverse).limit(2)), Array(due.reversed().prefix(2)))
      try expectEqual(try store.fetch(poet.poems.query.offset(1)), Array(due.dropFirst()))
      try expectEqual(
        try store.fetch(poet.poems.sorted(by: \.title)).map(\.id),
        due.sorted { ($0.title, $0.id) < ($1.title, $1.id) }.map(\.id))
    },
    read("many-removed", ["REL-10", "REL-4"], "What the other side has is removed by it.") { store in
      let due = of(3).count
      try expectEqual(try store.write { try $0.delete(Poet(3).poems) }, due)
      try expectEqual(try store.count(Poem.all), 40 - due)
      try expectEqual(try store.count(Poet(3).poems), 0)
      try expectEqual(try store.count(Poet(2).poems), of(2).count)
    },
    read("many-newest", ["REL-10", "TXN-2"], "The other side is what is stored when it is read.") { store in
      let poet = Poet(8)
      try store.write { tx in
        try expectEqual(try tx.count(poet.poems), 0)
        try tx.insert(Poem(100, poet: 8))
        try expectEqual(try tx.keys(poet.poems), [100])
        try tx.assign(Poem.self, 100) { $0.poet = nil }
        try expectEqual(try tx.keys(poet.poems), [])
        try tx.assign(Poem.self, 0) { $0.poet = Ref(poet) }
      }
      try expectEqual(try store.fetch(poet.poems).map(\.id), [0])
    },
    read("follow", ["REL-1"], "A reference is followed to its object, and nil to none.") { store in
      for poem in poems {
        try expectEqual(try store.get(poem.poet), poem.poet.map { poets[$0.key] })
        try expectEqual(try store.read { try $0.get(poem.editor) }?.id, poem.editor?.key)
      }
      try expectEqual(try store.get(Ref<Poet>(4)), poets[4])
      try expectEqual(try store.get(Ref<Poet>(44)), nil)
    },
    read("conditions", ["REL-1"], "A reference stands in conditions, orders and sets as its key does.") { store in
      for key in [0, 3, 9] {
        try expectEqual(try store.fetch(Poem.where { $0.poet == Ref(key) }), of(key))
        try expectEqual(try store.fetch(Poem.where("poet == %@", key)), of(key))
        try expectEqual(
          try store.count(Poem.where { $0.poet != Ref(key) && $0.poet != nil }),
          poems.filter { $0.poet != nil && $0.poet?.key != key }.count)
      }
      try expectEqual(try store.count(Poem.where { $0.poet == nil }), poems.filter { $0.poet == nil }.count)
      try expectEqual(
        try store.fetch(Poem.all.sorted(by: \.poet)).map { $0.poet?.key ?? -1 },
        poems.map { $0.poet?.key ?? -1 }.sorted())
    },
  ]

  // MARK: With

  private static let together: [ConformanceCase] = [
    read("with-reference", ["REL-11"], "Each object comes with what it refers to, or nil.") { store in
      let pairs = try store.fetch(Poem.all, with: \.poet)
      try expectEqual(pairs.map { $0.0 }, poems.sorted { $0.id < $1.id })
      try expectEqual(pairs.map { $0.1 }, pairs.map { $0.0.poet.map { poets[$0.key] } })
    },
    read("with-many", ["REL-11"], "Each object comes with those that refer to it, in the order of their keys.") {
      store in
      let pairs = try store.fetch(Poet.all.sorted(by: \.name, order: .reverse), with: \.poems)
      try expectEqual(pairs.map { $0.0 }, poets.reversed())
      for (poet, poems) in pairs { try expectEqual(poems, of(poet.id), "\(poet.id)") }
    },
    read("with-several", ["REL-11"], "Several relations are given, each in its place.") { store in
      let rows = try store.fetch(Poem.where { $0.id < 20 }, with: \.answers, \.poet, \.editor)
      try expectEqual(rows.count, 20)
      for (poem, answers, poet, editor) in rows {
        try expectEqual(answers, poem.answers.flatMap { Self.poem($0.key) })
        try expectEqual(poet, poem.poet.map { poets[$0.key] })
        try expectEqual(editor, poem.editor.map { poets[$0.key] })
      }
      for (poet, pupils, poems, teacher) in try store.fetch(Poet.all, with: \.pupils, \.poems, \.teacher) {
        try expectEqual(pupils, poets.filter { $0.teacher?.key == poet.id })
        try expectEqual(poems, of(poet.id))
        try expectEqual(teacher, poet.teacher.map { poets[$0.key] })
      }
    },
    read("with-page", ["REL-11", "PAGE-1"], "A limit, an offset and an order are those of the objects alone.") {
      store in
      let pairs = try store.fetch(Poem.all.sorted(by: \.title, order: .reverse).limit(7).offset(5), with: \.poet)
      let due = try store.fetch(Poem.all.sorted(by: \.title, order: .reverse).limit(7).offset(5))
      try expectEqual(pairs.map { $0.0 }, due)
      try expectEqual(pairs.map { $0.1 }, due.map { $0.poet.map { poets[$0.key] } })
      let owners = try store.fetch(Poet.all.limit(2).offset(2), with: \.poems)
      try expectEqual(owners.map { $0.1 }, [of(2), of(3)])
    },
    read("with-frozen", ["REL-11", "SNAP-3"], "Frozen objects come with what they are related to, frozen.") { store in
      let (rows, owners) = try store.read { tx in
        (
          try tx.frozen(Poem.all.sorted(by: \.title), with: \.poet, \.answers),
          try tx.frozen(Poet.where { $0.id < 9 }, with: \.poems, \.teacher)
        )
      }
      let due = try store.fetch(Poem.all.sorted(by: \.title), with: \.poet, \.answers)
      try store.delete(Poem.all)
      try expectEqual(try rows.map { try $0.0.thawed() }, due.map { $0.0 })
      try expectEqual(try rows.map { try $0.1?.thawed() }, due.map { $0.1 })
      try expectEqual(try rows.map { try $0.2?.thawed() }, due.map { $0.2 })
      try expectEqual(rows.map { $0.1?.name }, due.map { $0.1?.name })
      for (poet, poems, teacher) in owners {
        try expectEqual(try poems.map { try $0.thawed() }, of(poet.id))
        try expectEqual(try teacher?.thawed(), poets[poet.id].teacher.map { poets[$0.key] })
      }
      try expectEqual(owners.count, 9)
    },
    read("with-frozen-store", ["REL-11", "SNAP-1"], "A frozen store gives what its objects were related to.") { store in
      let frozen = try store.freeze()
      defer { frozen.close() }
      try store.delete(Poem.where { $0.poet == Ref(1) })
      try store.update(Poet.self, 2) { $0.name = "new" }
      let rows = try frozen.frozen(Poet.all, with: \.poems)
      try expectEqual(try rows.map { try $0.1.map { try $0.thawed() } }, poets.map { of($0.id) })
      let pairs = try frozen.fetch(Poem.where { $0.poet == Ref(2) }, with: \.poet)
      try expectEqual(pairs.map { $0.1 }, of(2).map { _ in poets[2] })
    },
    read("with-mapped", ["REL-11"], "Mapped objects come with what their stored forms are related to.") { store in
      let due = try store.fetch(Poem.all, with: \.poet)
      let rows = try store.mapped(PoemTitle.self).fetch(Poem.all, with: \.poet)
      try expectEqual(rows.map { $0.0.text }, due.map { $0.0.title })
      try expectEqual(rows.map { $0.1 }, due.map { $0.1 })
      let owners = try store.read { try $0.mapped(PoetName.self).fetch(Poet.all, with: \.poems, \.teacher) }
      try expectEqual(owners.map { $0.0.text }, poets.map(\.name))
      try expectEqual(owners.map { $0.1 }, poets.map { of($0.id) })
      try expectEqual(owners.map { $0.2 }, poets.map { $0.teacher.map { poets[$0.key] } })
    },
    ConformanceCase("REL.with-async", ["REL-11", "TXN-8"], "Tasks have objects with what they are related to.") { kit in
      let store = try kit.store(Poem.self)
      try await store.insert(contentsOf: poets)
      try await store.insert(contentsOf: poems)
      let pairs = try await store.fetch(Poem.all, with: \.poet, \.answers)
      try expectEqual(pairs.map { $0.1 }, pairs.map { $0.0.poet.map { poets[$0.key] } })
      let owners = try await store.fetch(Poet.all, with: \.poems)
      try expectEqual(owners.map { $0.1 }, poets.map { of($0.id) })
    },
    read("with-records", ["REL-11"], "Columns of records lead through references, and are nil where one is nil.") {
      store in
      try store.read { tx in
        let rows = try tx.records.fetch(
          in: "Poem", sortedBy: "-id", columns: ["poet.teacher.name", "id", "poet.name", "poet", "answers.poet.name"])
        let due = poems.sorted { $0.id > $1.id }
        try expectEqual(rows.map { $0["id"] }, due.map { .int(Int64($0.id)) })
        for (row, poem) in zip(rows, due) {
          let poet = poem.poet.map { poets[$0.key] }
          func text(_ text: String?) -> Value { text.map { .string($0) } ?? .null }
          try expectEqual(row["poet"], poet.map { .int(Int64($0.id)) } ?? .null)
          try expectEqual(row["poet.name"], text(poet?.name))
          try expectEqual(row["poet.teacher.name"], text(poet?.teacher.map { poets[$0.key].name }))
          let answered = poem.answers.flatMap { Self.poem($0.key) }
          try expectEqual(row["answers.poet.name"], text(answered?.poet.map { poets[$0.key].name }))
          try expectEqual(row.values.count, 5)
        }
        let columns = try tx.records.columns(of: "Poem", with: ["poet", "poet.teacher", "poet"])
        let (own, related) = (try tx.model(named: "Poem").properties, try tx.model(named: "Poet").properties)
        try expectEqual(
          columns,
          own.map(\.name) + related.map { "poet.\($0.name)" } + related.map { "poet.teacher.\($0.name)" })
        let rowsOfAll = try tx.records.fetch(in: "Poem", limit: 3, columns: columns)
        try expectEqual(rowsOfAll.map(\.values.count), Array(repeating: columns.count, count: 3))
        try expectEqual(try tx.records.fetch(in: "Poem", where: "id == 99", columns: ["poet.name"]), [])
      }
    },
    read("with-records-refused", ["REL-11", "ERR-1"], "A column through what is no reference is refused by its name.") {
      store in
      try store.read { tx in
        for column in ["title.name", "poet.nobody", "nobody.name", "poet.", ".name", "poet.name.first"] {
          try expectError(.invalidQuery, column) { try tx.records.fetch(in: "Poem", columns: ["id", column]) }
        }
        let deep = Array(repeating: "teacher.", count: 8).joined() + "name"
        try expectEqual(try tx.records.fetch(in: "Poet", columns: [deep]).count, poets.count)
        try expectError(.invalidQuery) { try tx.records.fetch(in: "Poet", columns: ["teacher." + deep]) }
        for relation in ["name", "nobody", "", "teacher.name", "teacher."] {
          try expectError(.invalidQuery, relation) { try tx.records.columns(of: "Poet", with: [relation]) }
        }
      }
    },
    read("with-nothing", ["REL-11"], "Of no object nothing is given, and of those that refer to nothing nil.") {
      store in
      let nobody = try store.fetch(Poem.where { $0.id == 99 }, with: \.poet)
      try expectEqual(nobody.count, 0)
      let noOwner = try store.fetch(Poet.where { $0.id == 99 }, with: \.poems, \.pupils)
      try expectEqual(noOwner.count, 0)
      let none = try store.fetch(Poem.where { $0.poet == nil }, with: \.poet)
      try expect(!none.isEmpty && none.allSatisfy { $0.1 == nil })
      let alone = try store.fetch(Poet.where { $0.id == 8 }, with: \.poems)
      try expectEqual(alone.map { $0.1 }, [[]])
    },
    read("with-in-a-write", ["REL-11", "TXN-2"], "A transaction sees what it has written.") { store in
      try store.write { tx in
        try tx.insert(Poet(50, "new"))
        try tx.insert(contentsOf: [Poem(61, poet: 50), Poem(60, poet: 50)])
        try tx.delete(Poem.self, 0)
        let poems = try tx.fetch(Poem.where { $0.id >= 60 }, with: \.poet)
        try expectEqual(poems.map { $0.1 }, [Poet(50, "new"), Poet(50, "new")])
        let owners = try tx.fetch(Poet.where { $0.id == 50 || $0.id == 0 }, with: \.poems)
        try expectEqual(owners.map { $0.1.map(\.id) }, [of(0).map(\.id).filter { $0 != 0 }, [60, 61]])
      }
    },
    ConformanceCase(
      "REL.with-thousands", ["REL-11"], "2,500 objects come with what they are related to, each of it in its place.",
      within: .seconds(30)
    ) { kit in
      let store = try kit.store(Poem.self)
      try store.insert(contentsOf: (0..<2_500).map { Poet($0, "n\($0)") })
      try store.insert(contentsOf: (0..<2_500).map { Poem($0, poet: $0 * 7 % 2_500, editor: $0 % 2 == 0 ? nil : $0) })
      let rows = try store.fetch(Poem.all.sorted(by: \.id, order: .reverse), with: \.poet, \.editor)
      try expectEqual(rows.count, 2_500)
      for (poem, poet, editor) in rows {
        try expectEqual(poet?.id, poem.poet?.key)
        try expectEqual(poet?.name, poem.poet.map { "n\($0.key)" })
        try expectEqual(editor?.id, poem.editor?.key)
      }
      for (poet, poems) in try store.fetch(Poet.all, with: \.poems) {
        try expectEqual(poems.map { $0.poet?.key }, [poet.id])
      }
    },
    ConformanceCase(
      "REL.with-reads", ["REL-11"], "Each relation is read once, whatever the number of objects.",
      without: ConformanceVariant.allButFresh, within: .seconds(30)
    ) { kit in
      let place = CountingProvider(try kit.makePlace())
      let store = try kit.open([Poem.self], at: place)
      var counts: [[Int]] = []
      for count in [3, 1_500] {
        try store.write { tx in
          try tx.upsert(contentsOf: (0..<count).map { Poet($0, teacher: $0 / 2) })
          try tx.upsert(contentsOf: (0..<count).map { Poem($0, poet: count - 1 - $0, editor: $0) })
        }
        var found: [Int] = []
        func note(_ body: (ReadTransaction) throws -> Int) throws {
          try store.read { tx in
            _ = place.take()
            try expectEqual(try body(tx), count)
          }
          found.append(place.take().all)
        }
        try note { try $0.fetch(Poem.all).count }
        try note { try $0.fetch(Poem.all, with: \.poet).count }
        try note { try $0.fetch(Poem.all, with: \.poet, \.editor).count }
        try note { try $0.fetch(Poet.all, with: \.poems).count }
        try note { try $0.fetch(Poet.all, with: \.poems, \.teacher, \.pupils).count }
        try note { try $0.frozen(Poem.all, with: \.poet, \.editor).count }
        try note { try $0.frozen(Poet.all, with: \.poems, \.teacher).count }
        counts.append(found)
      }
      try expectEqual(counts[0], [1, 2, 3, 2, 4, 3, 3])
      try expectEqual(counts[1], counts[0])
    },
  ]
}

/// A poem of which nothing but the title is wanted.
private struct PoemTitle: Mapped {
  let text: String

  init(stored: Poem) { text = stored.title }

  func stored() -> Poem { Poem(0) }
}

/// A poet's name.
private struct PoetName: Mapped {
  let text: String

  init(stored: Poet) { text = stored.name }

  func stored() -> Poet { Poet(0, text) }
}
