import Foundation
import QuarryBackend
import QuarryCore

/// Numbers of every kind, most of them optional, and something to group and sort them by.
struct Figure: Model {
  var id: Int
  var group: String?
  var number: Int?
  var unsigned: UInt64?
  var value: Double?
  var ratio: Float?
  var price: Decimal?
  var small: Int8 = 0

  static let modelDefinition = ModelDefinition<Figure>(
    name: "Figure",
    properties: [
      PropertyDefinition("id", \Figure.id, Int.self), PropertyDefinition("group", \Figure.group, String?.self),
      PropertyDefinition("number", \Figure.number, Int?.self),
      PropertyDefinition("unsigned", \Figure.unsigned, UInt64?.self),
      PropertyDefinition("value", \Figure.value, Double?.self), PropertyDefinition("ratio", \Figure.ratio, Float?.self),
      PropertyDefinition("price", \Figure.price, Decimal?.self), PropertyDefinition("small", \Figure.small, Int8.self),
    ],
    primaryKey: "id",
    indexes: [IndexDefinition(["group", "number"]), IndexDefinition([.init("value", order: .reverse)])])

  struct Columns: ModelColumns {
    var id = Column<Int>("id", 0)
    var group = Column<String?>("group", 1)
    var number = Column<Int?>("number", 2)
    var unsigned = Column<UInt64?>("unsigned", 3)
    var value = Column<Double?>("value", 4)
    var ratio = Column<Float?>("ratio", 5)
    var price = Column<Decimal?>("price", 6)
    var small = Column<Int8>("small", 7)
  }

  var primaryKeyValue: Int { id }

  init(
    _ id: Int, group: String? = nil, number: Int? = nil, unsigned: UInt64? = nil, value: Double? = nil,
    ratio: Float? = nil, price: Decimal? = nil, small: Int8 = 0
  ) {
    self.id = id
    self.group = group
    self.number = number
    self.unsigned = unsigned
    self.value = value
    self.ratio = ratio
    self.price = price
    self.small = small
  }

  init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    group = try row.get(1)
    number = try row.get(2)
    unsigned = try row.get(3)
    value = try row.get(4)
    ratio = try row.get(5)
    price = try row.get(6)
    small = try row.get(7)
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, group)
    try row.set(2, number)
    try row.set(3, unsigned)
    try row.set(4, value)
    try row.set(5, ratio)
    try row.set(6, price)
    try row.set(7, small)
  }
}
