import Foundation
import QuarryBackend
import QuarryCore

/// What a place is; stored by its raw value.
enum SiteKind: String, Codable, Storable {
  case house, office, locker
}

/// A nested type inside others, with defaults.
struct Site: NestedModel, Hashable {
  var lat = 0.0
  var lon: Float?
  var kind = SiteKind.house
  var floor = 5

  static let nestedDefinition = NestedDefinition<Site>(members: [
    MemberDefinition("lat", \.lat, Double.self),
    MemberDefinition("lon", \.lon, Float?.self),
    MemberDefinition("kind", \.kind, SiteKind.self, default: .house),
    MemberDefinition("floor", \.floor, Int.self, default: 5),
  ])

  struct Columns: NestedColumns {
    var lat: MemberColumn<Double> { MemberColumn("lat") }
    var lon: MemberColumn<Float?> { MemberColumn("lon") }
    var kind: MemberColumn<SiteKind> { MemberColumn("kind") }
    var floor: MemberColumn<Int> { MemberColumn("floor") }
  }
}

/// A nested type with a member of another name in the store, an optional, an array and a dictionary.
struct Address: NestedModel, Hashable {
  var city = ""
  var zip: Int?
  var since = Date(timeIntervalSinceReferenceDate: 0)
  var spot = Site()
  var second: Site?
  var spots: [Site] = []
  var names: [String: Int] = [:]

  enum CodingKeys: String, CodingKey {
    case city = "town"
    case zip, since, spot, second, spots, names
  }

  static let nestedDefinition = NestedDefinition<Address>(members: [
    MemberDefinition("town", \.city, String.self),
    MemberDefinition("zip", \.zip, Int?.self),
    MemberDefinition("since", \.since, Date.self),
    MemberDefinition("spot", \.spot, Site.self, default: Site(lat: 1)),
    MemberDefinition("second", \.second, Site?.self),
    MemberDefinition("spots", \.spots, [Site].self, default: []),
    MemberDefinition("names", \.names),
  ])

  struct Columns: NestedColumns {
    var city: MemberColumn<String> { MemberColumn("town") }
    var zip: MemberColumn<Int?> { MemberColumn("zip") }
    var since: MemberColumn<Date> { MemberColumn("since") }
    var spot: MemberColumn<Site> { MemberColumn("spot") }
    var second: MemberColumn<Site?> { MemberColumn("second") }
    var spots: MemberColumn<[Site]> { MemberColumn("spots") }
  }
}

/// A nested type without defaults, which is a part of itself.
struct Line: NestedModel, Hashable {
  var sku = ""
  var name = ""
  var count = 0
  var parts: [Line] = []

  static let nestedDefinition = NestedDefinition<Line>(members: [
    MemberDefinition("sku", \.sku, String.self), MemberDefinition("name", \.name, String.self),
    MemberDefinition("count", \.count, Int.self), MemberDefinition("parts", \.parts, [Line].self),
  ])

  struct Columns: NestedColumns {
    var sku: MemberColumn<String> { MemberColumn("sku") }
    var name: MemberColumn<String> { MemberColumn("name") }
    var count: MemberColumn<Int> { MemberColumn("count") }
    var parts: MemberColumn<[Line]> { MemberColumn("parts") }
  }
}

/// A model whose nested values the program knows.
struct Parcel: Model, Hashable {
  var id: Int
  var address = Address()
  var other: Address?
  var lines: [Line] = []
  var spots: [Site]?

  static let modelDefinition = ModelDefinition<Parcel>(
    name: "Parcel",
    properties: [
      PropertyDefinition("id", \Parcel.id, Int.self), PropertyDefinition("address", \Parcel.address, Address.self),
      PropertyDefinition("other", \Parcel.other, Address?.self),
      PropertyDefinition("lines", \Parcel.lines, [Line].self),
      PropertyDefinition("spots", \Parcel.spots, [Site]?.self),
    ],
    primaryKey: "id")

  struct Columns: ModelColumns {
    var id = Column<Int>("id", 0)
    var address = Column<Address>("address", 1)
    var other = Column<Address?>("other", 2)
    var lines = Column<[Line]>("lines", 3)
    var spots = Column<[Site]?>("spots", 4)
  }

  var primaryKeyValue: Int { id }

  init(_ id: Int) {
    self.id = id
  }

  init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    address = try row.get(1)
    other = try row.get(2)
    lines = try row.get(3)
    spots = try row.get(4)
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, address)
    try row.set(2, other)
    try row.set(3, lines)
    try row.set(4, spots)
  }
}
