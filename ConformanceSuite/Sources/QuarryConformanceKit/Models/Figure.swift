package import Foundation
package import QuarryBackend
package import QuarryCore

/// Numbers of every kind, most of them optional, and something to group and sort them by.
package struct Figure: Model {
  package var id: Int
  package var group: String?
  package var number: Int?
  var unsigned: UInt64?
  package var value: Double?
  package var ratio: Float?
  package var price: Decimal?
  package var small: Int8 = 0

  package static let modelDefinition = ModelDefinition<Figure>(
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

  package struct Columns: ModelColumns {
    package var id = Column<Int>("id", 0)
    package var group = Column<String?>("group", 1)
    package var number = Column<Int?>("number", 2)
    package var unsigned = Column<UInt64?>("unsigned", 3)
    package var value = Column<Double?>("value", 4)
    package var ratio = Column<Float?>("ratio", 5)
    package var price = Column<Decimal?>("price", 6)
    package var small = Column<Int8>("small", 7)

    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(
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

  package init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    group = try row.get(1)
    number = try row.get(2)
    unsigned = try row.get(3)
    value = try row.get(4)
    ratio = try row.get(5)
    price = try row.get(6)
    small = try row.get(7)
  }

  package func write(to row: ModelWriter) throws(StorageError) {
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
