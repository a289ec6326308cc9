package import QuarryBackend
package import QuarryCore

/// A nested value whose members are named as what every column has, and one that is a Bool.
package struct Gateway: NestedModel, Equatable {
  package var isOpen = false
  package var isNil = false
  package var member = ""
  package var storedName: String?

  package init(isOpen: Bool = false, isNil: Bool = false, member: String = "", storedName: String? = nil) {
    self.isOpen = isOpen
    self.isNil = isNil
    self.member = member
    self.storedName = storedName
  }

  package static let nestedDefinition = NestedDefinition<Gateway>(members: [
    MemberDefinition("isOpen", \.isOpen, Bool.self), MemberDefinition("isNil", \.isNil, Bool.self),
    MemberDefinition("member", \.member, String.self), MemberDefinition("storedName", \.storedName, String?.self),
  ])

  package struct Columns: NestedColumns {
    package var isOpen: MemberColumn<Bool> { MemberColumn("isOpen") }
    package var isNil: MemberColumn<Bool> { MemberColumn("isNil") }
    package var member: MemberColumn<String> { MemberColumn("member") }
    package var storedName: MemberColumn<String?> { MemberColumn("storedName") }

    package init() {}
  }
}

/// A model whose properties are named as what every column has.
package struct Keeper: Model, Equatable {
  var id: Int
  package var isActive = false
  var isIn = 0
  var member = ""

  package static let modelDefinition = ModelDefinition<Keeper>(
    name: "Keeper",
    properties: [
      PropertyDefinition("id", \Keeper.id, Int.self), PropertyDefinition("isActive", \Keeper.isActive, Bool.self),
      PropertyDefinition("isIn", \Keeper.isIn, Int.self), PropertyDefinition("member", \Keeper.member, String.self),
    ], primaryKey: "id")

  package struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    package var isActive = Column<Bool>("isActive", 1)
    package var isIn = Column<Int>("isIn", 2)
    package var member = Column<String>("member", 3)

    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(_ id: Int, isActive: Bool, isIn: Int, member: String) {
    (self.id, self.isActive, self.isIn, self.member) = (id, isActive, isIn, member)
  }

  package init(reading row: ModelReader) throws(StorageError) {
    (id, isActive, isIn, member) = (try row.get(0), try row.get(1), try row.get(2), try row.get(3))
  }

  package func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, isActive)
    try row.set(2, isIn)
    try row.set(3, member)
  }
}

/// A model with paths to a Bool: through nested values, through references, and of elements.
package struct Garden: Model, Equatable {
  package var id: Int
  package var gate = Gateway()
  package var second: Gateway?
  package var lamps: [Bool] = []
  package var keeper: Ref<Keeper>
  package var guest: Ref<Keeper>?

  package static let modelDefinition = ModelDefinition<Garden>(
    name: "Garden",
    properties: [
      PropertyDefinition("id", \Garden.id, Int.self), PropertyDefinition("gate", \Garden.gate, Gateway.self),
      PropertyDefinition("second", \Garden.second, Gateway?.self),
      PropertyDefinition("lamps", \Garden.lamps, [Bool].self),
      PropertyDefinition("keeper", \Garden.keeper, Ref<Keeper>.self),
      PropertyDefinition("guest", \Garden.guest, Ref<Keeper>?.self),
    ], primaryKey: "id")

  package struct Columns: ModelColumns {
    package let id = Column<Int>("id", 0)
    package var gate = Column<Gateway>("gate", 1)
    package var second = Column<Gateway?>("second", 2)
    package var lamps = Column<[Bool]>("lamps", 3)
    package var keeper = Column<Ref<Keeper>>("keeper", 4)
    package var guest = Column<Ref<Keeper>?>("guest", 5)

    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(_ id: Int, gate: Gateway, second: Gateway?, lamps: [Bool], keeper: Int, guest: Int?) {
    (self.id, self.gate, self.second, self.lamps) = (id, gate, second, lamps)
    (self.keeper, self.guest) = (Ref(keeper), guest.map { Ref($0) })
  }

  package init(reading row: ModelReader) throws(StorageError) {
    (id, gate, second) = (try row.get(0), try row.get(1), try row.get(2))
    (lamps, keeper, guest) = (try row.get(3), try row.get(4), try row.get(5))
  }

  package func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, gate)
    try row.set(2, second)
    try row.set(3, lamps)
    try row.set(4, keeper)
    try row.set(5, guest)
  }
}
