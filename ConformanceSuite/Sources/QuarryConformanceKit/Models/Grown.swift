import Foundation
package import QuarryBackend
package import QuarryCore

/// A model as a first version of a program has it, before properties of every kind were added to it.
package struct Seed: Model {
  var id: Int

  package static let modelDefinition = ModelDefinition<Seed>(
    name: "Grown", properties: [PropertyDefinition("id", \Seed.id, Int.self)], primaryKey: "id")

  package struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)

    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(_ id: Int) {
    self.id = id
  }

  package init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
  }

  package func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
  }
}

/// The same model with properties that were added: optional ones, ones with a default, and ones with both.
package struct Grown: Model {
  /// A NaN that is not the common one.
  static let payload = Double(bitPattern: 0x7FF8_0000_0000_0A6E)

  package var id: Int
  var flag = true
  package var small: Int8?
  package var large = UInt64.max
  var ratio: Float = -0.0
  var value = Self.payload
  var maybe: Double?
  package var text = "t\u{E9}"
  package var word: String?
  var bytes: Data? = Data([0])
  var token: UUID?
  var price: Decimal? = Decimal(25) / 10
  var when: Date?
  var link: URL?
  var place = Place(city: "Oslo")
  var tags: [String]? = []

  package static let modelDefinition = ModelDefinition<Grown>(
    name: "Grown",
    properties: [
      PropertyDefinition("id", \Grown.id, Int.self),
      PropertyDefinition("flag", \Grown.flag, Bool.self, default: true),
      PropertyDefinition("small", \Grown.small, Int8?.self),
      PropertyDefinition("large", \Grown.large, UInt64.self, default: .max),
      PropertyDefinition("ratio", \Grown.ratio, Float.self, default: -0.0),
      PropertyDefinition("value", \Grown.value, Double.self, default: payload),
      PropertyDefinition("maybe", \Grown.maybe, Double?.self),
      PropertyDefinition("text", \Grown.text, String.self, default: "t\u{E9}"),
      PropertyDefinition("word", \Grown.word, String?.self),
      PropertyDefinition("bytes", \Grown.bytes, Data?.self, default: Data([0])),
      PropertyDefinition("token", \Grown.token, UUID?.self),
      PropertyDefinition("price", \Grown.price, Decimal?.self, default: Decimal(25) / 10),
      PropertyDefinition("when", \Grown.when, Date?.self), PropertyDefinition("link", \Grown.link, URL?.self),
      PropertyDefinition("place", \Grown.place, Place.self, default: Place(city: "Oslo")),
      PropertyDefinition("tags", \Grown.tags, [String]?.self, default: []),
    ],
    primaryKey: "id")

  package struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var flag = Column<Bool>("flag", 1)
    var small = Column<Int8?>("small", 2)
    var large = Column<UInt64>("large", 3)
    var ratio = Column<Float>("ratio", 4)
    var value = Column<Double>("value", 5)
    var maybe = Column<Double?>("maybe", 6)
    var text = Column<String>("text", 7)
    var word = Column<String?>("word", 8)
    var bytes = Column<Data?>("bytes", 9)
    var token = Column<UUID?>("token", 10)
    var price = Column<Decimal?>("price", 11)
    var when = Column<Date?>("when", 12)
    var link = Column<URL?>("link", 13)
    var place = Column<Place>("place", 14)
    var tags = Column<[String]?>("tags", 15)

    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(_ id: Int) {
    self.id = id
  }

  package init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    flag = try row.get(1)
    small = try row.get(2)
    large = try row.get(3)
    ratio = try row.get(4)
    value = try row.get(5)
    maybe = try row.get(6)
    text = try row.get(7)
    word = try row.get(8)
    bytes = try row.get(9)
    token = try row.get(10)
    price = try row.get(11)
    when = try row.get(12)
    link = try row.get(13)
    place = try row.get(14)
    tags = try row.get(15)
  }

  package func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, flag)
    try row.set(2, small)
    try row.set(3, large)
    try row.set(4, ratio)
    try row.set(5, value)
    try row.set(6, maybe)
    try row.set(7, text)
    try row.set(8, word)
    try row.set(9, bytes)
    try row.set(10, token)
    try row.set(11, price)
    try row.set(12, when)
    try row.set(13, link)
    try row.set(14, place)
    try row.set(15, tags)
  }

  /// The properties as values, which are equal when their bits are.
  package func values() throws(StorageError) -> [Value] {
    [
      try id.storedValue(), try flag.storedValue(), try small.storedValue(), try large.storedValue(),
      try ratio.storedValue(), try value.storedValue(), try maybe.storedValue(), try text.storedValue(),
      try word.storedValue(), try bytes.storedValue(), try token.storedValue(), try price.storedValue(),
      try when.storedValue(), try link.storedValue(), try place.storedValue(), try tags.storedValue(),
    ]
  }

  /// A change of one property, in the forms that calls take.
  package struct Change {
    package let name: String
    package let apply: (inout Grown) -> Void
    /// Replaces the object with this one if the property is stored as in the other.
    package let update: (WriteTransaction, Grown, _ ifStoredAs: Grown) throws -> Void
    /// Stores the property of the object, or the object where there is none.
    package let upsert: (WriteTransaction, Grown) throws -> Bool

    init<V: Storable>(
      _ name: String, _ column: KeyPath<Columns, Column<V>>, _ property: WritableKeyPath<Grown, V>, _ other: V
    ) {
      self.name = name
      apply = { $0[keyPath: property] = other }
      update = { try $0.update($1, ifStored: column, is: $2[keyPath: property]) }
      upsert = { try $0.upsert($1, updating: column) }
    }
  }

  /// A change of each property, to a value that is as near to its default as there is one.
  package static var changes: [Change] {
    [
      Change("flag", \.flag, \.flag, false), Change("small", \.small, \.small, 0),
      Change("large", \.large, \.large, .max - 1), Change("ratio", \.ratio, \.ratio, 0.0),
      Change("value", \.value, \.value, .nan), Change("maybe", \.maybe, \.maybe, 0),
      Change("text", \.text, \.text, "te\u{301}"), Change("word", \.word, \.word, ""),
      Change("bytes", \.bytes, \.bytes, nil),
      Change("token", \.token, \.token, UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
      Change("price", \.price, \.price, nil), Change("when", \.when, \.when, Date(timeIntervalSinceReferenceDate: 0)),
      Change("link", \.link, \.link, URL(string: "a:")),
      Change("place", \.place, \.place, Place(city: "Oslo", floor: 0)),
      Change("tags", \.tags, \.tags, nil),
    ]
  }
}
