import Foundation
import QuarryBackend
import QuarryCore

/// The object of random runs: a property of each kind that is stored, compared and sorted in its own way, those of
/// ``QueryGenerator``.
struct Subject<Shape: SubjectShape>: Model {
  var id: Int64
  var small: Int8?
  var count: Int64
  var big: UInt64?
  var ratio: Float?
  var score: Double
  var name: String
  var note: String?
  var price: Decimal?
  var date: Date
  var flag: Bool?
  var token: UUID?
  var bytes: Data?
  var link: URL
  var tags: [String]?

  static var modelDefinition: ModelDefinition<Subject<Shape>> { Shape.definition }

  static var properties: [PropertyDefinition<Subject<Shape>>] {
    [
      PropertyDefinition("id", \Subject.id, Int64.self),
      PropertyDefinition("small", \Subject.small, Int8?.self),
      PropertyDefinition("count", \Subject.count, Int64.self),
      PropertyDefinition("big", \Subject.big, UInt64?.self),
      PropertyDefinition("ratio", \Subject.ratio, Float?.self),
      PropertyDefinition("score", \Subject.score, Double.self),
      PropertyDefinition("name", \Subject.name, String.self),
      PropertyDefinition("note", \Subject.note, String?.self),
      PropertyDefinition("price", \Subject.price, Decimal?.self),
      PropertyDefinition("date", \Subject.date, Date.self),
      PropertyDefinition("flag", \Subject.flag, Bool?.self),
      PropertyDefinition("token", \Subject.token, UUID?.self),
      PropertyDefinition("bytes", \Subject.bytes, Data?.self),
      PropertyDefinition("link", \Subject.link, URL.self),
      PropertyDefinition("tags", \Subject.tags, [String]?.self),
    ]
  }

  struct Columns: ModelColumns {
    var id = Column<Int64>("id", 0)
    var small = Column<Int8?>("small", 1)
    var count = Column<Int64>("count", 2)
    var big = Column<UInt64?>("big", 3)
    var ratio = Column<Float?>("ratio", 4)
    var score = Column<Double>("score", 5)
    var name = Column<String>("name", 6)
    var note = Column<String?>("note", 7)
    var price = Column<Decimal?>("price", 8)
    var date = Column<Date>("date", 9)
    var flag = Column<Bool?>("flag", 10)
    var token = Column<UUID?>("token", 11)
    var bytes = Column<Data?>("bytes", 12)
    var link = Column<URL>("link", 13)
    var tags = Column<[String]?>("tags", 14)
  }

  var primaryKeyValue: Shape.Key { Shape.key(self) }

  init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    small = try row.get(1)
    count = try row.get(2)
    big = try row.get(3)
    ratio = try row.get(4)
    score = try row.get(5)
    name = try row.get(6)
    note = try row.get(7)
    price = try row.get(8)
    date = try row.get(9)
    flag = try row.get(10)
    token = try row.get(11)
    bytes = try row.get(12)
    link = try row.get(13)
    tags = try row.get(14)
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, small)
    try row.set(2, count)
    try row.set(3, big)
    try row.set(4, ratio)
    try row.set(5, score)
    try row.set(6, name)
    try row.set(7, note)
    try row.set(8, price)
    try row.set(9, date)
    try row.set(10, flag)
    try row.set(11, token)
    try row.set(12, bytes)
    try row.set(13, link)
    try row.set(14, tags)
  }

  /// The object of these values, in the order of the properties.
  init(_ values: [Value]) throws(StorageError) {
    id = try Int64(storedValue: values[0])
    small = try Int8?(storedValue: values[1])
    count = try Int64(storedValue: values[2])
    big = try UInt64?(storedValue: values[3])
    ratio = try Float?(storedValue: values[4])
    score = try Double(storedValue: values[5])
    name = try String(storedValue: values[6])
    note = try String?(storedValue: values[7])
    price = try Decimal?(storedValue: values[8])
    date = try Date(storedValue: values[9])
    flag = try Bool?(storedValue: values[10])
    token = try UUID?(storedValue: values[11])
    bytes = try Data?(storedValue: values[12])
    link = try URL(storedValue: values[13])
    tags = try [String]?(storedValue: values[14])
  }

  /// The values in the order of the properties.
  func values() throws(StorageError) -> [Value] {
    [
      try id.storedValue(),
      try small.storedValue(),
      try count.storedValue(),
      try big.storedValue(),
      try ratio.storedValue(),
      try score.storedValue(),
      try name.storedValue(),
      try note.storedValue(),
      try price.storedValue(),
      try date.storedValue(),
      try flag.storedValue(),
      try token.storedValue(),
      try bytes.storedValue(),
      try link.storedValue(),
      try tags.storedValue(),
    ]
  }

  /// Sets some properties, as a closure of an update does.
  mutating func apply(_ changes: [Change]) throws(StorageError) {
    var values = try values()
    for change in changes { values[change.property] = change.value }
    self = try Subject(values)
  }
}

/// A property, by its place, and its new value.
struct Change: Hashable {
  var property: Int
  var value: Value

  var name: String { QueryGenerator.properties[property].name }
}
