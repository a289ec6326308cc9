import Foundation
package import QuarryBackend
package import QuarryCore

/// A model whose key has two members: a row, and a text that may be empty or have a zero in it.
package struct Stall: Model, Equatable {
  package let row: Int64
  package let name: String
  package var rent: Int

  package static let modelDefinition = ModelDefinition<Stall>(
    name: "Stall",
    properties: [
      PropertyDefinition("row", \Stall.row, Int64.self), PropertyDefinition("name", \Stall.name, String.self),
      PropertyDefinition("rent", \Stall.rent, Int.self), PropertyDefinition("_key", \Stall.primaryKeyValue, Key.self),
    ], primaryKey: "_key", keyMembers: ["row", "name"])

  package struct Columns: ModelColumns {
    package let row = Column<Int64>("row", 0)
    package let name = Column<String>("name", 1)
    package var rent = Column<Int>("rent", 2)

    package init() {}
  }

  package struct Key: CompoundKey {
    var row: Int64
    var name: String

    package static var memberTypes: [any Storable.Type] { [Int64.self, String.self] }

    package init(_ row: Int64, _ name: String) { (self.row, self.name) = (row, name) }

    package init(reading key: inout KeyMemberReader) throws(StorageError) {
      row = try key.next()
      name = try key.next()
    }

    package func write(to key: KeyMemberWriter) throws(StorageError) {
      try key.append(row)
      try key.append(name)
    }
  }

  package var primaryKeyValue: Key { Key(row, name) }

  package init(_ row: Int64, _ name: String, _ rent: Int = 0) { (self.row, self.name, self.rent) = (row, name, rent) }

  package init(reading row: ModelReader) throws(StorageError) {
    self.row = try row.get(0)
    name = try row.get(1)
    rent = try row.get(2)
  }

  package func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, self.row)
    try row.set(1, name)
    try row.set(2, rent)
    try row.set(3, primaryKeyValue)
  }
}

/// A model that refers to a ``Stall``, and may refer to another one.
package struct Renter: Model, Equatable {
  let id: Int
  package var stall: Ref<Stall>
  package var second: Ref<Stall>?

  package static let modelDefinition = ModelDefinition<Renter>(
    name: "Renter",
    properties: [
      PropertyDefinition("id", \Renter.id, Int.self),
      PropertyDefinition("stall", \Renter.stall, Ref<Stall>.self, deleteRule: .cascade),
      PropertyDefinition("second", \Renter.second, Ref<Stall>?.self),
    ], primaryKey: "id")

  package struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    package var stall = Column<Ref<Stall>>("stall", 1)
    var second = Column<Ref<Stall>?>("second", 2)

    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(_ id: Int, _ stall: Stall.Key, _ second: Stall.Key? = nil) {
    (self.id, self.stall, self.second) = (id, Ref(stall), second.map { Ref($0) })
  }

  package init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    stall = try row.get(1)
    second = try row.get(2)
  }

  package func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, stall)
    try row.set(2, second)
  }
}
