import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Values whose types may refuse what is stored, in each kind of property.
struct Spotted: Model {
  var id: Int
  var colour = Colour.red
  var spot = Place()
  var colours: [Colour] = []
  var spots: [Place] = []
  var maybe: Colour?

  static let modelDefinition = ModelDefinition<Spotted>(
    name: "Spotted",
    properties: [
      PropertyDefinition("id", \Spotted.id, Int.self), PropertyDefinition("colour", \Spotted.colour, Colour.self),
      PropertyDefinition("spot", \Spotted.spot, Place.self),
      PropertyDefinition("colours", \Spotted.colours, [Colour].self),
      PropertyDefinition("spots", \Spotted.spots, [Place].self),
      PropertyDefinition("maybe", \Spotted.maybe, Colour?.self),
    ],
    primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var colour = Column<Colour>("colour", 1)
    var spot = Column<Place>("spot", 2)
    var colours = Column<[Colour]>("colours", 3)
    var spots = Column<[Place]>("spots", 4)
    var maybe = Column<Colour?>("maybe", 5)
  }

  var primaryKeyValue: Int { id }

  init(_ id: Int) {
    self.id = id
  }

  init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    colour = try row.get(1)
    spot = try row.get(2)
    colours = try row.get(3)
    spots = try row.get(4)
    maybe = try row.get(5)
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, colour)
    try row.set(2, spot)
    try row.set(3, colours)
    try row.set(4, spots)
    try row.set(5, maybe)
  }
}

struct SpottedNumber: Mapped {
  let id: Int

  init(stored: Spotted) { id = stored.id }

  func stored() -> Spotted { Spotted(id) }
}

/// A model whose key is an enum.
struct Tinted: Model {
  var colour: Colour
  var number: Int

  static let modelDefinition = ModelDefinition<Tinted>(
    name: "Tinted",
    properties: [
      PropertyDefinition("colour", \Tinted.colour, Colour.self), PropertyDefinition("number", \Tinted.number, Int.self),
    ],
    primaryKey: "colour")

  struct Columns: ModelColumns {
    let colour = Column<Colour>("colour", 0)
    var number = Column<Int>("number", 1)
  }

  var primaryKeyValue: Colour { colour }

  init(reading row: ModelReader) throws(StorageError) {
    colour = try row.get(0)
    number = try row.get(1)
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, colour)
    try row.set(1, number)
  }
}

/// A model that refuses one of its objects with an error of its own.
struct Picky: Model {
  @TaskLocal static var refusal: StorageError.Code?

  var id: Int

  static let modelDefinition = ModelDefinition<Picky>(
    name: "Picky", properties: [PropertyDefinition("id", \Picky.id, Int.self)], primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
  }

  var primaryKeyValue: Int { id }

  init(_ id: Int) {
    self.id = id
  }

  init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    if id == 2, let refusal = Self.refusal { throw StorageError(refusal, "refused by the model") }
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
  }
}
