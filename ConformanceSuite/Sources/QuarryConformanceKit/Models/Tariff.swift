package import QuarryBackend
package import QuarryCore

/// A model with rules: an amount is not negative, and a note is no question mark.
package struct Tariff: Model, Equatable, Validated {
  package var id: Int
  package var amount: Int
  package var note: String

  package struct IsNegative: Error, Equatable { var amount: Int }

  package static let modelDefinition = ModelDefinition<Tariff>(
    name: "Tariff",
    properties: [
      PropertyDefinition("id", \Tariff.id, Int.self), PropertyDefinition("amount", \Tariff.amount, Int.self),
      PropertyDefinition("note", \Tariff.note, String.self),
    ], primaryKey: "id", indexes: [IndexDefinition(["amount"])])

  package struct Columns: ModelColumns {
    package let id = Column<Int>("id", 0)
    package var amount = Column<Int>("amount", 1)
    var note = Column<String>("note", 2)

    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(_ id: Int, _ amount: Int, _ note: String = "") { (self.id, self.amount, self.note) = (id, amount, note) }

  package init(reading row: ModelReader) throws(StorageError) {
    (id, amount, note) = (try row.get(0), try row.get(1), try row.get(2))
  }

  package func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, amount)
    try row.set(2, note)
  }

  package func validate() throws {
    if amount < 0 { throw IsNegative(amount: amount) }
    if note == "?" { throw StorageError(.missingValue, "a note is needed", property: "note") }
  }
}
