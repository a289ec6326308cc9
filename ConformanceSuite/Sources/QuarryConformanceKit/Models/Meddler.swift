package import QuarryBackend
package import QuarryCore

/// A model whose own code makes calls to the store: where it is written, where it is read, and where its key is made.
package struct Meddler: Model, Equatable {
  /// A place in the model's code.
  package enum Spot: Sendable { case writing, reading, key }

  /// What is called there, if it is this place's turn.
  @TaskLocal package static var probe: (spot: Spot, probe: Probe)?

  /// The number of an object that cannot be read.
  @TaskLocal package static var unreadable: Int?

  fileprivate static func meddle(_ spot: Spot) {
    guard let current = probe, current.spot == spot else { return }
    current.probe.fire()
  }

  package struct Key: Storable, Hashable {
    package var number: Int

    package static var storedType: StoredType { Int.storedType }

    package func storedValue() throws(StorageError) -> Value {
      Meddler.meddle(.key)
      return .int(Int64(number))
    }

    package init(_ number: Int) {
      self.number = number
    }

    package init(storedValue: Value) throws(StorageError) {
      number = try Int(storedValue: storedValue)
    }
  }

  package var id: Key
  package var first: String
  package var second: String

  package static let modelDefinition = ModelDefinition<Meddler>(
    name: "Meddler",
    properties: [
      PropertyDefinition("id", \Meddler.id, Key.self), PropertyDefinition("first", \Meddler.first, String.self),
      PropertyDefinition("second", \Meddler.second, String.self),
    ],
    primaryKey: "id", indexes: [IndexDefinition(["first"])])

  package struct Columns: ModelColumns {
    var id = Column<Key>("id", 0)
    var first = Column<String>("first", 1)
    package var second = Column<String>("second", 2)

    package init() {}
  }

  package var primaryKeyValue: Key { id }

  package init(_ number: Int) {
    id = Key(number)
    first = "first of \(number)"
    second = "second of \(number)"
  }

  package init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    first = try row.get(1)
    Self.meddle(.reading)
    second = try row.get(2)
    if id.number == Self.unreadable { throw StorageError(.invalidValue, "it is not to be read") }
  }

  package func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, first)
    Self.meddle(.writing)
    try row.set(2, second)
  }
}

/// A type of the program that is stored as an item, and whose conversions make calls.
package struct MappedItem: Mapped {
  package var item: Item
  @TaskLocal package static var probe: Probe?

  package init(_ item: Item) {
    self.item = item
  }

  package init(stored: Item) throws {
    item = stored
    Self.probe?.fire()
  }

  package func stored() throws -> Item {
    Self.probe?.fire()
    return item
  }
}
