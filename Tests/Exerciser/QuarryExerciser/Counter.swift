public import QuarryBackend
public import QuarryCore

/// A number under a key: how far a loop of commits is, the balance of an account.
public struct Counter: Model, Equatable {
  public var id: Int
  public var value: Int

  public static let modelDefinition = ModelDefinition<Counter>(
    name: "Counter",
    properties: [
      PropertyDefinition("id", \Counter.id, Int.self), PropertyDefinition("value", \Counter.value, Int.self),
    ],
    primaryKey: "id")

  public struct Columns: ModelColumns {
    public let id = Column<Int>("id", 0)
    public let value = Column<Int>("value", 1)
    public init() {}
  }

  public var primaryKeyValue: Int { id }

  public init(_ id: Int, _ value: Int) {
    self.id = id
    self.value = value
  }

  public init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    value = try row.get(1)
  }

  public func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, value)
  }
}
