package import QuarryBackend
package import QuarryCore

/// A model that different versions of a program index in different ways; which one is said around a call.
package struct Reindexed: Model, Equatable {
  package var id: Int
  package var code: String
  package var rank: Int?

  @TaskLocal package static var modelDefinition = make([
    IndexDefinition(["code"], isUnique: true), IndexDefinition(["rank"]),
  ])

  package static func make(_ indexes: [IndexDefinition]) -> ModelDefinition<Reindexed> {
    ModelDefinition(
      name: "Reindexed",
      properties: [
        PropertyDefinition("id", \Reindexed.id, Int.self), PropertyDefinition("code", \Reindexed.code, String.self),
        PropertyDefinition("rank", \Reindexed.rank, Int?.self),
      ],
      primaryKey: "id", indexes: indexes)
  }

  /// Definitions with other indexes than the first.
  package static let changes: [(name: String, definition: ModelDefinition<Reindexed>)] = [
    ("removed", make([IndexDefinition(["code"], isUnique: true)])),
    ("all-removed", make([])),
    (
      "added",
      make([
        IndexDefinition(["code"], isUnique: true), IndexDefinition(["rank"]),
        IndexDefinition([.init("rank", order: .reverse), "code"], isUnique: true),
      ])
    ),
    ("not-unique", make([IndexDefinition(["code"]), IndexDefinition(["rank"])])),
    (
      "direction",
      make([
        IndexDefinition([.init("code", order: .reverse)], isUnique: true),
        IndexDefinition([.init("rank", order: .reverse)]),
      ])
    ),
    (
      "columns",
      make([
        IndexDefinition(["code", "rank"], isUnique: true, name: "code"),
        IndexDefinition(["rank", .init("code", order: .reverse)], name: "rank"),
      ])
    ),
    (
      "names",
      make([IndexDefinition(["code"], isUnique: true, name: "rank"), IndexDefinition(["rank"], name: "code")])
    ),
  ]

  package struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    package let code = Column<String>("code", 1)
    package let rank = Column<Int?>("rank", 2)

    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(id: Int, code: String? = nil, rank: Int? = nil) {
    self.id = id
    self.code = code ?? "c\(id)"
    self.rank = rank
  }

  package init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    code = try row.get(1)
    rank = try row.get(2)
  }

  package func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, code)
    try row.set(2, rank)
  }
}
