public import BenchmarkHarness
public import Foundation
public import QuarryCore

// What `@Model` would write, by hand: the benchmark is built without macros.
extension Person: Model {
  public static let modelDefinition = ModelDefinition<Person>(
    name: "Person",
    properties: [
      PropertyDefinition("id", \Person.id, Int64.self), PropertyDefinition("name", \Person.name, String.self),
      PropertyDefinition("email", \Person.email, String.self), PropertyDefinition("age", \Person.age, Int.self),
      PropertyDefinition("score", \Person.score, Double.self),
      PropertyDefinition("created", \Person.created, Date.self),
      PropertyDefinition("active", \Person.active, Bool.self),
      PropertyDefinition("notes", \Person.notes, String?.self),
    ],
    primaryKey: "id", indexes: [IndexDefinition(["age"])])

  public struct Columns: ModelColumns {
    public var id = Column<Int64>("id", 0)
    public var name = Column<String>("name", 1)
    public var email = Column<String>("email", 2)
    public var age = Column<Int>("age", 3)
    public var score = Column<Double>("score", 4)
    public var created = Column<Date>("created", 5)
    public var active = Column<Bool>("active", 6)
    public var notes = Column<String?>("notes", 7)

    public init() {}
  }

  public var primaryKeyValue: Int64 { id }

  public init(reading row: ModelReader) throws(StorageError) {
    self.init(
      id: try row.get(0), name: try row.get(1), email: try row.get(2), age: try row.get(3), score: try row.get(4),
      created: try row.get(5), active: try row.get(6), notes: try row.get(7))
  }

  public func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, name)
    try row.set(2, email)
    try row.set(3, age)
    try row.set(4, score)
    try row.set(5, created)
    try row.set(6, active)
    try row.set(7, notes)
  }
}
