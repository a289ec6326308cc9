import QuarryBackend
import QuarryCore

/// An object with a rule over two of its properties.
struct Offer: Model, Equatable, Validated {
  struct BelowTheFloor: Error {}

  var id: Int
  var floor: Int
  var price: Int

  static let modelDefinition = ModelDefinition<Offer>(
    name: "Offer",
    properties: [
      PropertyDefinition("id", \Offer.id, Int.self), PropertyDefinition("floor", \Offer.floor, Int.self),
      PropertyDefinition("price", \Offer.price, Int.self),
    ], primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var floor = Column<Int>("floor", 1)
    var price = Column<Int>("price", 2)
  }

  var primaryKeyValue: Int { id }

  init(_ id: Int, floor: Int, price: Int) { (self.id, self.floor, self.price) = (id, floor, price) }

  init(reading row: ModelReader) throws(StorageError) {
    (id, floor, price) = (try row.get(0), try row.get(1), try row.get(2))
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, floor)
    try row.set(2, price)
  }

  func validate() throws {
    if price < floor { throw BelowTheFloor() }
  }
}
