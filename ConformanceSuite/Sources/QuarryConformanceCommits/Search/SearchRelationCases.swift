import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryText

/// Searches through references, and words of objects that delete rules remove.
enum SearchRelationCases {
  private static func racks(
    _ name: String, _ clauses: [String], _ summary: String, _ body: @escaping @Sendable (Store) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("SEARCH.\(name)", clauses, summary, needs: [.indexPlain], within: .seconds(20)) { kit in
      let store = try kit.store(Rack.self, Pamphlet.self)
      try store.insert(contentsOf: [Rack(1, "Tea and coffee"), Rack(2, "Storage engines"), Rack(3, "Empty")])
      try store.insert(contentsOf: [
        Pamphlet(1, "green tea", rack: 1), Pamphlet(2, "black tea", rack: 1), Pamphlet(3, "swift storage", rack: 2),
        Pamphlet(4, "loose tea leaves"), Pamphlet(5, "storage of tea", rack: 2, sequel: 1),
        Pamphlet(6, "end", rack: 2, sequel: 5),
      ])
      try body(store)
      try expectEqual(try store.check(), [])
    }
  }

  private static func ids(_ scope: some ReadScope, _ text: String) throws -> [Int] {
    try scope.fetch(Pamphlet.where { $0.search(text) }).map(\.id)
  }

  static let all: [ConformanceCase] = [
    racks("path.reference", ["SEARCH-24"], "A search stands behind a reference.") { store in
      try expectEqual(try store.fetch(Pamphlet.where { $0.rack.name.search("coffee") }).map(\.id), [1, 2])
      try expectEqual(try store.fetch(Pamphlet.where { !$0.rack.name.search("coffee") }).map(\.id), [3, 4, 5, 6])
      try expectEqual(
        try store.fetch(Pamphlet.where { $0.rack.name.search("engines") && $0.search("tea") }).map(\.id), [5])
      try expectEqual(try store.records.fetch(in: "Pamphlet", where: "rack.name SEARCH 'tea'").count, 2)
    },
    racks("path.two-references", ["SEARCH-24"], "A search stands behind two references.") { store in
      try expectEqual(try store.fetch(Pamphlet.where { $0.sequel.rack.name.search("tea") }).map(\.id), [5])
      try expectEqual(try store.fetch(Pamphlet.where { $0.sequel.text.search("tea") }).map(\.id), [5, 6])
    },
    racks("path.other-side", ["SEARCH-24"], "A search stands in a condition on the other side.") { store in
      try expectEqual(try store.fetch(Rack.where { $0.pamphlets.any { $0.search("tea") } }).map(\.id), [1, 2])
      try expectEqual(try store.fetch(Rack.where { $0.pamphlets.any { $0.text.search("swift") } }).map(\.id), [2])
      try expectEqual(try store.fetch(Rack.where { !$0.pamphlets.any { $0.search("tea") } }).map(\.id), [3])
      try expectEqual(
        try store.fetch(Rack.where { $0.search("tea") || $0.pamphlets.any { $0.search("end") } }).map(\.id), [1, 2])
    },
    racks(
      "path.after-writes", ["SEARCH-24", "SEARCH-26"], "Searches behind references follow the writes to both models."
    ) { store in
      try store.update(Rack.self, 3) { $0.name = "More coffee" }
      try store.update(Pamphlet.self, 4) { $0.rack = Ref(3) }
      try expectEqual(try store.fetch(Pamphlet.where { $0.rack.name.search("coffee") }).map(\.id), [1, 2, 4])
      try store.update(Rack.self, 1) { $0.name = "Cups" }
      try expectEqual(try store.fetch(Pamphlet.where { $0.rack.name.search("coffee") }).map(\.id), [4])
    },
    racks("cascade", ["SEARCH-26"], "Objects that a delete rule removes leave no word.") { store in
      try store.write { tx in
        try tx.delete(Rack.self, 1)
        try expectEqual(try ids(tx, "tea"), [4, 5], "before the commit")
      }
      try expectEqual(try ids(store, "tea"), [4, 5])
      try expectEqual(try ids(store, "green"), [])
      let hits = try store.ranked(Pamphlet.all, by: "tea")
      try expectEqual(Set(hits.map(\.object.id)), [4, 5])
    },
    racks("cascade-undone", ["SEARCH-26"], "Removals by a delete rule are undone with their savepoint.") { store in
      try store.write { tx in
        try tx.undoing {
          try tx.delete(Rack.all)
          try expectEqual(try ids(tx, "tea"), [4])
        }
        try expectEqual(try ids(tx, "tea"), [1, 2, 4, 5])
      }
      try expectEqual(try ids(store, "tea"), [1, 2, 4, 5])
    },
    racks("nullify", ["SEARCH-26"], "A delete rule that removes references leaves the words of their objects.") {
      store in
      try store.delete(Pamphlet.self, 1)
      try expectEqual(try unwrap(try store.get(Pamphlet.self, 5)).sequel, nil)
      try expectEqual(try ids(store, "tea"), [2, 4, 5])
    },
    racks("cascade-by-query", ["SEARCH-24", "SEARCH-26"], "A removal by a search removes what refers to it.") { store in
      try expectEqual(try store.delete(Rack.where { $0.search("storage") }), 1)
      try expectEqual(try ids(store, "storage"), [])
      try expectEqual(try ids(store, "tea"), [1, 2, 4])
    },
    racks("several-models", ["SEARCH-17"], "Each model has words of its own.") { store in
      try expectEqual(try store.ranked(Rack.all, by: "tea").map(\.object.id), [1])
      try expectEqual(try store.ranked(Pamphlet.all, by: "coffee").count, 0)
      try expectEqual(try store.count(Rack.where { $0.search("green") }), 0)
    },
  ]
}

/// A model whose name is searchable, and which owns others.
struct Rack: Model, Equatable {
  var id: Int
  var name: String

  var pamphlets: Many<Pamphlet> { Many(of: self, inverse: \Pamphlet.rack) }

  static let modelDefinition = ModelDefinition<Rack>(
    name: "Rack",
    properties: [
      PropertyDefinition("id", \Rack.id, Int.self),
      PropertyDefinition("name", \Rack.name, String.self, search: .init()),
    ], primaryKey: "id", relations: [RelationDefinition("pamphlets", inverse: \Pamphlet.rack, deleteRule: .cascade)])

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var name = Column<String>("name", 1)
    let pamphlets = ManyColumn<Pamphlet>("pamphlets")
  }

  var primaryKeyValue: Int { id }

  init(_ id: Int, _ name: String) { (self.id, self.name) = (id, name) }

  init(reading row: ModelReader) throws(StorageError) { (id, name) = (try row.get(0), try row.get(1)) }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, name)
  }
}

/// A searchable model with a reference to its owner and to its own model.
struct Pamphlet: Model, Equatable {
  var id: Int
  var text: String
  var rack: Ref<Rack>?
  var sequel: Ref<Pamphlet>?

  static let modelDefinition = ModelDefinition<Pamphlet>(
    name: "Pamphlet",
    properties: [
      PropertyDefinition("id", \Pamphlet.id, Int.self),
      PropertyDefinition("text", \Pamphlet.text, String.self, search: .init()),
      PropertyDefinition("rack", \Pamphlet.rack, Ref<Rack>?.self),
      PropertyDefinition("sequel", \Pamphlet.sequel, Ref<Pamphlet>?.self),
    ], primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var text = Column<String>("text", 1)
    var rack = Column<Ref<Rack>?>("rack", 2)
    var sequel = Column<Ref<Pamphlet>?>("sequel", 3)
  }

  var primaryKeyValue: Int { id }

  init(_ id: Int, _ text: String, rack: Int? = nil, sequel: Int? = nil) {
    (self.id, self.text) = (id, text)
    (self.rack, self.sequel) = (rack.map { Ref($0) }, sequel.map { Ref($0) })
  }

  init(reading row: ModelReader) throws(StorageError) {
    (id, text) = (try row.get(0), try row.get(1))
    (rack, sequel) = (try row.get(2), try row.get(3))
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, text)
    try row.set(2, rack)
    try row.set(3, sequel)
  }
}
