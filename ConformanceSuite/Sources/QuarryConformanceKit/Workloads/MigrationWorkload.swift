package import QuarryBackend
package import QuarryCore

/// Migrations of which one can tell later whether a store has them: no object, name or index is the same on both sides.
package enum MigrationWorkload: String, CaseIterable, Sendable {
  /// Names, conversions, objects made anew, a model that goes and new indexes, one of them unique, in one body.
  case block
  /// Two stages of a plan, with objects that are stored afterwards.
  case plan

  /// The version that a store has afterwards.
  package var version: Int { self == .block ? 2 : Library.Third.version }

  // MARK: Before

  package static let count = 300

  private static let old = ModelSchema.migrating(
    "Book", .string("title"), .string("year", isOptional: true), .string("note"),
    indexes: [
      IndexSchema(name: "title", columns: [.init(slot: 1)]),
      IndexSchema(name: "note", columns: [.init(slot: 3), .init(slot: 1, isDescending: true)]),
    ])
  private static let draft = ModelSchema.migrating("Draft", .string("text"))

  private static func title(_ id: Int) -> String { "t\(id * 7919 % 10_007)" }
  private static func note(_ id: Int) -> String { String(repeating: "n\(id % 9)", count: 20 + id % 30) }

  package static func book(_ id: Int) -> Library.First.Book {
    Library.First.Book(id: id, title: title(id), year: id % 10 == 3 ? "soon" : "\(1000 + id)")
  }

  /// Fills a new store of before, without a trace of the migration, and closes it.
  package func fill(_ kit: ConformanceContext, at place: any BackendProvider) throws {
    switch self {
    case .block:
      let store = try kit.open(program: [Self.old, Self.draft], at: place, migration: .to(1))
      try store.write { tx in
        try tx.records.insert(
          into: "Book",
          (0..<Self.count).map { id in
            Record([
              "id": .int(Int64(id)), "title": .string(Self.title(id)),
              "year": id % 7 == 0 ? .null : .string("\(1900 + id % 100)"), "note": .string(Self.note(id)),
            ])
          })
        try tx.records.insert(
          into: "Draft", (0..<20).map { Record(["id": .int(Int64($0)), "text": .string("d\($0)")]) })
      }
      try store.close()
    case .plan:
      let store = try kit.open([Library.First.Book.self], at: place, migration: .to(1))
      try store.insert(contentsOf: (0..<Self.count).map { Self.book($0) })
      try store.close()
    }
  }

  // MARK: The migration

  private static let new = ModelSchema.migrating(
    "Book", .string("name"), .int("year", isOptional: true), .int("length"), .string("note"),
    indexes: [
      IndexSchema(name: "name", columns: [.init(slot: 1)], isUnique: true),
      IndexSchema(name: "year", columns: [.init(slot: 2, isDescending: true)]),
      IndexSchema(name: "length", columns: [.init(slot: 3), .init(slot: 2)]),
    ])

  private static let body = Migration.to(2) { m in
    try m.rename("title", to: "name", in: "Book")
    try m.convert("year", in: "Book") { (old: String?) in old.flatMap { Int($0) } }
    try m.enumerate("Book") { old, new in
      new["length"] = .int(Int64(old["note"].stringValue?.utf8.count ?? -1))
    }
    try m.drop("Draft")
  }

  /// Opens the store and migrates it where it is not migrated. Waits for others that do.
  package func migrate(_ place: any BackendProvider, timeout: Double = 30) throws -> Store {
    var options = OpenOptions()
    options.busyTimeout = timeout
    switch self {
    case .block: return try Store(program: [Self.new], in: place, options: options, migration: Self.body)
    case .plan:
      // The place is not of one type.
      func open(_ provider: some BackendProvider) throws -> Store {
        try Store(plan: Library.Plan.self, in: provider, options: options)
      }
      return try open(place)
    }
  }

  // MARK: Afterwards

  /// The rows that a store has when it is migrated, calculated here and not by what is tested.
  private func rows(_ more: [Int]) -> [String: [Record]] {
    let ids = Array(0..<Self.count) + more
    switch self {
    case .block:
      return [
        "Book": ids.map { id in
          Record([
            "id": .int(Int64(id)), "name": .string(Self.title(id)),
            "year": id % 7 == 0 ? .null : .int(Int64(1900 + id % 100)),
            "length": .int(Int64(Self.note(id).utf8.count)), "note": .string(Self.note(id)),
          ])
        }
      ]
    case .plan:
      let kept = ids.filter { $0 % 10 != 3 }
      return [
        "Book": kept.map { id in
          Record([
            "id": .int(Int64(id)), "name": .string(Self.title(id)), "year": .int(Int64(1000 + id)), "shelf": .int(1),
          ])
        },
        "Shelf": [Record(["id": .int(1), "books": .int(Int64(kept.count))])],
      ]
    }
  }

  /// Throws unless the store is migrated, whole.
  ///
  /// - Parameter more: The ids of books that it had beside those of ``fill(_:at:)``.
  package func expectMigrated(
    _ content: MigrationContent, more: [Int] = [], _ about: String = "", file: String = #fileID, line: Int = #line
  ) throws {
    try expectEqual(content.version, version, "\(about): the version", file: file, line: line)
    let due = rows(more)
    try expectEqual(Set(content.rows.keys), Set(due.keys), "\(about): the models", file: file, line: line)
    for (model, rows) in due {
      let found = content.rows[model]?.map(Self.sorted)
      try expectEqual(found, rows.map(Self.sorted), "\(about): the objects of \(model)", file: file, line: line)
    }
  }

  /// The fields in the order of their names: that of the properties depends on how they came about.
  private static func sorted(_ record: Record) -> [String] {
    record.fields.map { "\($0.name): \($0.value)" }.sorted()
  }
}
