import QuarryBackend
import QuarryCore

/// A model whose keys are the numbers of a sequence.
struct Ticket: Model, Equatable {
  var id: Int
  var code: String

  static let modelDefinition = ModelDefinition<Ticket>(
    name: "Ticket",
    properties: [
      PropertyDefinition("id", \Ticket.id, Int.self), PropertyDefinition("code", \Ticket.code, String.self),
    ], primaryKey: "id", generatesKey: true)

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var code = Column<String>("code", 1)
  }

  var primaryKeyValue: Int { id }

  init(_ code: String, id: Int = 0) { (self.id, self.code) = (id, code) }

  init(reading row: ModelReader) throws(StorageError) { (id, code) = (try row.get(0), try row.get(1)) }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, code)
  }
}

/// A model whose sequence ends after 255 numbers.
struct Stub: Model, Equatable {
  var id: UInt8

  static let modelDefinition = ModelDefinition<Stub>(
    name: "Stub", properties: [PropertyDefinition("id", \Stub.id, UInt8.self)], primaryKey: "id", generatesKey: true)

  struct Columns: ModelColumns {
    let id = Column<UInt8>("id", 0)
  }

  var primaryKeyValue: UInt8 { id }

  init(id: UInt8 = 0) { self.id = id }

  init(reading row: ModelReader) throws(StorageError) { id = try row.get(0) }

  func write(to row: ModelWriter) throws(StorageError) { try row.set(0, id) }
}
