package import Foundation
package import QuarryBackend
package import QuarryCore

/// What a place is; stored by its raw value.
package enum SiteKind: String, Codable, Storable {
  case house, office, locker
}

/// A nested type inside others, with defaults.
package struct Site: NestedModel, Hashable {
  package var lat = 0.0
  package var lon: Float?
  package var kind = SiteKind.house
  package var floor = 5

  package init(lat: Double = 0, lon: Float? = nil, kind: SiteKind = .house, floor: Int = 5) {
    self.lat = lat
    self.lon = lon
    self.kind = kind
    self.floor = floor
  }

  package static let nestedDefinition = NestedDefinition<Site>(members: [
    MemberDefinition("lat", \.lat, Double.self),
    MemberDefinition("lon", \.lon, Float?.self),
    MemberDefinition("kind", \.kind, SiteKind.self, default: .house),
    MemberDefinition("floor", \.floor, Int.self, default: 5),
  ])

  package struct Columns: NestedColumns {
    package var lat: MemberColumn<Double> { MemberColumn("lat") }
    package var lon: MemberColumn<Float?> { MemberColumn("lon") }
    package var kind: MemberColumn<SiteKind> { MemberColumn("kind") }
    package var floor: MemberColumn<Int> { MemberColumn("floor") }

    package init() {}
  }
}

/// A nested type with a member of another name in the store, an optional, an array and a dictionary.
package struct Address: NestedModel, Hashable {
  package var city = ""
  package var zip: Int?
  package var since = Date(timeIntervalSinceReferenceDate: 0)
  package var spot = Site()
  package var second: Site?
  package var spots: [Site] = []
  var names: [String: Int] = [:]

  package init(
    city: String = "", zip: Int? = nil, since: Date = Date(timeIntervalSinceReferenceDate: 0), spot: Site = Site(),
    second: Site? = nil, spots: [Site] = [], names: [String: Int] = [:]
  ) {
    self.city = city
    self.since = since
    self.spot = spot
    self.zip = zip
    self.second = second
    self.spots = spots
    self.names = names
  }

  enum CodingKeys: String, CodingKey {
    case city = "town"
    case zip, since, spot, second, spots, names
  }

  package static let nestedDefinition = NestedDefinition<Address>(members: [
    MemberDefinition("town", \.city, String.self),
    MemberDefinition("zip", \.zip, Int?.self),
    MemberDefinition("since", \.since, Date.self),
    MemberDefinition("spot", \.spot, Site.self, default: Site(lat: 1)),
    MemberDefinition("second", \.second, Site?.self),
    MemberDefinition("spots", \.spots, [Site].self, default: []),
    MemberDefinition("names", \.names),
  ])

  package struct Columns: NestedColumns {
    package var city: MemberColumn<String> { MemberColumn("town") }
    package var zip: MemberColumn<Int?> { MemberColumn("zip") }
    package var since: MemberColumn<Date> { MemberColumn("since") }
    package var spot: MemberColumn<Site> { MemberColumn("spot") }
    package var second: MemberColumn<Site?> { MemberColumn("second") }
    package var spots: MemberColumn<[Site]> { MemberColumn("spots") }

    package init() {}
  }
}

/// A nested type without defaults, which is a part of itself.
package struct Line: NestedModel, Hashable {
  package var sku = ""
  package var name = ""
  package var count = 0
  package var parts: [Line] = []

  package init(sku: String = "", name: String = "", count: Int = 0, parts: [Line] = []) {
    self.sku = sku
    self.name = name
    self.count = count
    self.parts = parts
  }

  package static let nestedDefinition = NestedDefinition<Line>(members: [
    MemberDefinition("sku", \.sku, String.self), MemberDefinition("name", \.name, String.self),
    MemberDefinition("count", \.count, Int.self), MemberDefinition("parts", \.parts, [Line].self),
  ])

  package struct Columns: NestedColumns {
    package var sku: MemberColumn<String> { MemberColumn("sku") }
    var name: MemberColumn<String> { MemberColumn("name") }
    package var count: MemberColumn<Int> { MemberColumn("count") }
    package var parts: MemberColumn<[Line]> { MemberColumn("parts") }

    package init() {}
  }
}

/// A model whose nested values the program knows.
package struct Parcel: Model, Hashable {
  package var id: Int
  package var address = Address()
  package var other: Address?
  package var lines: [Line] = []
  package var spots: [Site]?

  package static let modelDefinition = ModelDefinition<Parcel>(
    name: "Parcel",
    properties: [
      PropertyDefinition("id", \Parcel.id, Int.self), PropertyDefinition("address", \Parcel.address, Address.self),
      PropertyDefinition("other", \Parcel.other, Address?.self),
      PropertyDefinition("lines", \Parcel.lines, [Line].self),
      PropertyDefinition("spots", \Parcel.spots, [Site]?.self),
    ],
    primaryKey: "id")

  package struct Columns: ModelColumns {
    var id = Column<Int>("id", 0)
    package var address = Column<Address>("address", 1)
    package var other = Column<Address?>("other", 2)
    package var lines = Column<[Line]>("lines", 3)
    package var spots = Column<[Site]?>("spots", 4)

    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(_ id: Int) {
    self.id = id
  }

  package init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    address = try row.get(1)
    other = try row.get(2)
    lines = try row.get(3)
    spots = try row.get(4)
  }

  package func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, address)
    try row.set(2, other)
    try row.set(3, lines)
    try row.set(4, spots)
  }
}
