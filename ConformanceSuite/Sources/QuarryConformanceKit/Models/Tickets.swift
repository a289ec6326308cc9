package import QuarryBackend
package import QuarryCore

/// A model whose keys are the numbers of a sequence.
package struct Ticket: Model, Equatable {
  package var id: Int
  package var code: String

  package static let modelDefinition = ModelDefinition<Ticket>(
    name: "Ticket",
    properties: [
      PropertyDefinition("id", \Ticket.id, Int.self), PropertyDefinition("code", \Ticket.code, String.self),
    ], primaryKey: "id", generatesKey: true)

  package struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var code = Column<String>("code", 1)

    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(_ code: String, id: Int = 0) { (self.id, self.code) = (id, code) }

  package init(reading row: ModelReader) throws(StorageError) { (id, code) = (try row.get(0), try row.get(1)) }

  package func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, code)
  }
}

/// A model whose sequence ends after 255 numbers.
package struct Stub: Model, Equatable {
  package var id: UInt8

  package static let modelDefinition = ModelDefinition<Stub>(
    name: "Stub", properties: [PropertyDefinition("id", \Stub.id, UInt8.self)], primaryKey: "id", generatesKey: true)

  package struct Columns: ModelColumns {
    let id = Column<UInt8>("id", 0)

    package init() {}
  }

  package var primaryKeyValue: UInt8 { id }

  package init(id: UInt8 = 0) { self.id = id }

  package init(reading row: ModelReader) throws(StorageError) { id = try row.get(0) }

  package func write(to row: ModelWriter) throws(StorageError) { try row.set(0, id) }
}
