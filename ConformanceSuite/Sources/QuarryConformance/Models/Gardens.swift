import QuarryBackend
import QuarryCore

/// A nested value whose members are named as what every column has, and one that is a Bool.
struct Gateway: NestedModel, Equatable {
  var isOpen = false
  var isNil = false
  var member = ""
  var storedName: String?

  static let nestedDefinition = NestedDefinition<Gateway>(members: [
    MemberDefinition("isOpen", \.isOpen, Bool.self), MemberDefinition("isNil", \.isNil, Bool.self),
    MemberDefinition("member", \.member, String.self), MemberDefinition("storedName", \.storedName, String?.self),
  ])

  struct Columns: NestedColumns {
    var isOpen: MemberColumn<Bool> { MemberColumn("isOpen") }
    var isNil: MemberColumn<Bool> { MemberColumn("isNil") }
    var member: MemberColumn<String> { MemberColumn("member") }
    var storedName: MemberColumn<String?> { MemberColumn("storedName") }
  }
}

/// A model whose properties are named as what every column has.
struct Keeper: Model, Equatable {
  var id: Int
  var isActive = false
  var isIn = 0
  var member = ""

  static let modelDefinition = ModelDefinition<Keeper>(
    name: "Keeper",
    properties: [
      PropertyDefinition("id", \Keeper.id, Int.self), PropertyDefinition("isActive", \Keeper.isActive, Bool.self),
      PropertyDefinition("isIn", \Keeper.isIn, Int.self), PropertyDefinition("member", \Keeper.member, String.self),
    ], primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var isActive = Column<Bool>("isActive", 1)
    var isIn = Column<Int>("isIn", 2)
    var member = Column<String>("member", 3)
  }

  var primaryKeyValue: Int { id }

  init(_ id: Int, isActive: Bool, isIn: Int, member: String) {
    (self.id, self.isActive, self.isIn, self.member) = (id, isActive, isIn, member)
  }

  init(reading row: ModelReader) throws(StorageError) {
    (id, isActive, isIn, member) = (try row.get(0), try row.get(1), try row.get(2), try row.get(3))
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, isActive)
    try row.set(2, isIn)
    try row.set(3, member)
  }
}

/// A model with paths to a Bool: through nested values, through references, and of elements.
struct Garden: Model, Equatable {
  var id: Int
  var gate = Gateway()
  var second: Gateway?
  var lamps: [Bool] = []
  var keeper: Ref<Keeper>
  var guest: Ref<Keeper>?

  static let modelDefinition = ModelDefinition<Garden>(
    name: "Garden",
    properties: [
      PropertyDefinition("id", \Garden.id, Int.self), PropertyDefinition("gate", \Garden.gate, Gateway.self),
      PropertyDefinition("second", \Garden.second, Gateway?.self),
      PropertyDefinition("lamps", \Garden.lamps, [Bool].self),
      PropertyDefinition("keeper", \Garden.keeper, Ref<Keeper>.self),
      PropertyDefinition("guest", \Garden.guest, Ref<Keeper>?.self),
    ], primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var gate = Column<Gateway>("gate", 1)
    var second = Column<Gateway?>("second", 2)
    var lamps = Column<[Bool]>("lamps", 3)
    var keeper = Column<Ref<Keeper>>("keeper", 4)
    var guest = Column<Ref<Keeper>?>("guest", 5)
  }

  var primaryKeyValue: Int { id }

  init(_ id: Int, gate: Gateway, second: Gateway?, lamps: [Bool], keeper: Int, guest: Int?) {
    (self.id, self.gate, self.second, self.lamps) = (id, gate, second, lamps)
    (self.keeper, self.guest) = (Ref(keeper), guest.map { Ref($0) })
  }

  init(reading row: ModelReader) throws(StorageError) {
    (id, gate, second) = (try row.get(0), try row.get(1), try row.get(2))
    (lamps, keeper, guest) = (try row.get(3), try row.get(4), try row.get(5))
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, gate)
    try row.set(2, second)
    try row.set(3, lamps)
    try row.set(4, keeper)
    try row.set(5, guest)
  }
}
