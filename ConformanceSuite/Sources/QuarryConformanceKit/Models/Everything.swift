package import Foundation
package import QuarryBackend
package import QuarryCore

package enum Colour: String, Storable {
  case red, green
  case none = ""
}

/// Codable too: its raw value is stored all the same.
package enum Level: Int8, Codable, Storable {
  case low = -128
  case high = 127
}

package struct Place: Codable, Hashable, Storable {
  package struct Inner: Codable, Hashable {
    package var names: [String] = []
    package var depth: UInt64 = 0
    package var ratio = 0.1
    package var when: Date?
    package var token: UUID?
    package var bytes = Data()
    package var price: Decimal = 0
    package var link: URL?
    package var map: [String: Int] = [:]

    package init(
      names: [String] = [], depth: UInt64 = 0, ratio: Double = 0.1, when: Date? = nil, token: UUID? = nil,
      bytes: Data = Data(), price: Decimal = 0, link: URL? = nil, map: [String: Int] = [:]
    ) {
      self.names = names
      self.depth = depth
      self.ratio = ratio
      self.bytes = bytes
      self.when = when
      self.token = token
      self.price = price
      self.link = link
      self.map = map
    }
  }

  package var city = ""
  package var floor: Int?
  package var inner: Inner?
  package var others: [Inner] = []

  package init(city: String = "", floor: Int? = nil, inner: Inner? = nil, others: [Inner] = []) {
    self.city = city
    self.floor = floor
    self.inner = inner
    self.others = others
  }
}

package enum Shape: Codable, Hashable, Storable {
  case circle(radius: Double)
  case named(String, Int)
  case empty
}

/// A property of every kind that there is.
package struct Everything: Model {
  package var id: Int
  package var bool = false
  package var int8: Int8 = 0
  package var int16: Int16 = 0
  package var int32: Int32 = 0
  package var int64: Int64 = 0
  package var uint: UInt = 0
  package var uint8: UInt8 = 0
  package var uint16: UInt16 = 0
  package var uint32: UInt32 = 0
  package var uint64: UInt64 = 0
  package var float: Float = 0
  package var double = 0.0
  package var string = ""
  package var date = Date(timeIntervalSinceReferenceDate: 0)
  package var data = Data()
  package var uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  package var decimal: Decimal = 0
  package var url = URL(filePath: "/")
  package var colour = Colour.red
  package var level = Level.low
  package var place = Place()
  package var shape = Shape.empty
  package var maybeBool: Bool?
  package var maybeInt: Int?
  package var maybeDouble: Double?
  package var maybeString: String?
  package var maybeDate: Date?
  package var maybeData: Data?
  package var maybeUUID: UUID?
  package var maybeDecimal: Decimal?
  package var maybeURL: URL?
  package var maybeColour: Colour?
  package var maybePlace: Place?
  package var bools: [Bool] = []
  package var ints: [Int] = []
  package var words: [UInt64] = []
  package var floats: [Float] = []
  package var doubles: [Double]?
  package var strings: [String]?
  package var dates: [Date] = []
  package var datas: [Data] = []
  package var uuids: [UUID] = []
  package var decimals: [Decimal] = []
  package var urls: [URL] = []
  package var colours: [Colour] = []
  package var places: [Place] = []

  package static let modelDefinition = ModelDefinition<Everything>(
    name: "Everything",
    properties: [
      PropertyDefinition("id", \Everything.id, Int.self),
      PropertyDefinition("bool", \Everything.bool, Bool.self),
      PropertyDefinition("int8", \Everything.int8, Int8.self),
      PropertyDefinition("int16", \Everything.int16, Int16.self),
      PropertyDefinition("int32", \Everything.int32, Int32.self),
      PropertyDefinition("int64", \Everything.int64, Int64.self),
      PropertyDefinition("uint", \Everything.uint, UInt.self),
      PropertyDefinition("uint8", \Everything.uint8, UInt8.self),
      PropertyDefinition("uint16", \Everything.uint16, UInt16.self),
      PropertyDefinition("uint32", \Everything.uint32, UInt32.self),
      PropertyDefinition("uint64", \Everything.uint64, UInt64.self),
      PropertyDefinition("float", \Everything.float, Float.self),
      PropertyDefinition("double", \Everything.double, Double.self),
      PropertyDefinition("string", \Everything.string, String.self),
      PropertyDefinition("date", \Everything.date, Date.self),
      PropertyDefinition("data", \Everything.data, Data.self),
      PropertyDefinition("uuid", \Everything.uuid, UUID.self),
      PropertyDefinition("decimal", \Everything.decimal, Decimal.self),
      PropertyDefinition("url", \Everything.url, URL.self),
      PropertyDefinition("colour", \Everything.colour, Colour.self),
      PropertyDefinition("level", \Everything.level, Level.self),
      PropertyDefinition("place", \Everything.place, Place.self),
      PropertyDefinition("shape", \Everything.shape, Shape.self),
      PropertyDefinition("maybeBool", \Everything.maybeBool, Bool?.self),
      PropertyDefinition("maybeInt", \Everything.maybeInt, Int?.self),
      PropertyDefinition("maybeDouble", \Everything.maybeDouble, Double?.self),
      PropertyDefinition("maybeString", \Everything.maybeString, String?.self),
      PropertyDefinition("maybeDate", \Everything.maybeDate, Date?.self),
      PropertyDefinition("maybeData", \Everything.maybeData, Data?.self),
      PropertyDefinition("maybeUUID", \Everything.maybeUUID, UUID?.self),
      PropertyDefinition("maybeDecimal", \Everything.maybeDecimal, Decimal?.self),
      PropertyDefinition("maybeURL", \Everything.maybeURL, URL?.self),
      PropertyDefinition("maybeColour", \Everything.maybeColour, Colour?.self),
      PropertyDefinition("maybePlace", \Everything.maybePlace, Place?.self),
      PropertyDefinition("bools", \Everything.bools, [Bool].self),
      PropertyDefinition("ints", \Everything.ints, [Int].self),
      PropertyDefinition("words", \Everything.words, [UInt64].self),
      PropertyDefinition("floats", \Everything.floats, [Float].self),
      PropertyDefinition("doubles", \Everything.doubles, [Double]?.self),
      PropertyDefinition("strings", \Everything.strings, [String]?.self),
      PropertyDefinition("dates", \Everything.dates, [Date].self),
      PropertyDefinition("datas", \Everything.datas, [Data].self),
      PropertyDefinition("uuids", \Everything.uuids, [UUID].self),
      PropertyDefinition("decimals", \Everything.decimals, [Decimal].self),
      PropertyDefinition("urls", \Everything.urls, [URL].self),
      PropertyDefinition("colours", \Everything.colours, [Colour].self),
      PropertyDefinition("places", \Everything.places, [Place].self),
    ],
    primaryKey: "id")

  package struct Columns: ModelColumns {
    package var id = Column<Int>("id", 0)
    package var bool = Column<Bool>("bool", 1)
    package var int8 = Column<Int8>("int8", 2)
    var int16 = Column<Int16>("int16", 3)
    var int32 = Column<Int32>("int32", 4)
    var int64 = Column<Int64>("int64", 5)
    var uint = Column<UInt>("uint", 6)
    var uint8 = Column<UInt8>("uint8", 7)
    var uint16 = Column<UInt16>("uint16", 8)
    var uint32 = Column<UInt32>("uint32", 9)
    var uint64 = Column<UInt64>("uint64", 10)
    package var float = Column<Float>("float", 11)
    package var double = Column<Double>("double", 12)
    package var string = Column<String>("string", 13)
    package var date = Column<Date>("date", 14)
    var data = Column<Data>("data", 15)
    package var uuid = Column<UUID>("uuid", 16)
    package var decimal = Column<Decimal>("decimal", 17)
    var url = Column<URL>("url", 18)
    var colour = Column<Colour>("colour", 19)
    var level = Column<Level>("level", 20)
    var place = Column<Place>("place", 21)
    package var shape = Column<Shape>("shape", 22)
    package var maybeBool = Column<Bool?>("maybeBool", 23)
    package var maybeInt = Column<Int?>("maybeInt", 24)
    package var maybeDouble = Column<Double?>("maybeDouble", 25)
    package var maybeString = Column<String?>("maybeString", 26)
    package var maybeDate = Column<Date?>("maybeDate", 27)
    package var maybeData = Column<Data?>("maybeData", 28)
    package var maybeUUID = Column<UUID?>("maybeUUID", 29)
    package var maybeDecimal = Column<Decimal?>("maybeDecimal", 30)
    var maybeURL = Column<URL?>("maybeURL", 31)
    var maybeColour = Column<Colour?>("maybeColour", 32)
    package var maybePlace = Column<Place?>("maybePlace", 33)
    var bools = Column<[Bool]>("bools", 34)
    package var ints = Column<[Int]>("ints", 35)
    var words = Column<[UInt64]>("words", 36)
    var floats = Column<[Float]>("floats", 37)
    package var doubles = Column<[Double]?>("doubles", 38)
    package var strings = Column<[String]?>("strings", 39)
    var dates = Column<[Date]>("dates", 40)
    var datas = Column<[Data]>("datas", 41)
    var uuids = Column<[UUID]>("uuids", 42)
    var decimals = Column<[Decimal]>("decimals", 43)
    var urls = Column<[URL]>("urls", 44)
    package var colours = Column<[Colour]>("colours", 45)
    var places = Column<[Place]>("places", 46)

    package init() {}
  }

  package var primaryKeyValue: Int { id }

  package init(_ id: Int) {
    self.id = id
  }

  package init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    bool = try row.get(1)
    int8 = try row.get(2)
    int16 = try row.get(3)
    int32 = try row.get(4)
    int64 = try row.get(5)
    uint = try row.get(6)
    uint8 = try row.get(7)
    uint16 = try row.get(8)
    uint32 = try row.get(9)
    uint64 = try row.get(10)
    float = try row.get(11)
    double = try row.get(12)
    string = try row.get(13)
    date = try row.get(14)
    data = try row.get(15)
    uuid = try row.get(16)
    decimal = try row.get(17)
    url = try row.get(18)
    colour = try row.get(19)
    level = try row.get(20)
    place = try row.get(21)
    shape = try row.get(22)
    maybeBool = try row.get(23)
    maybeInt = try row.get(24)
    maybeDouble = try row.get(25)
    maybeString = try row.get(26)
    maybeDate = try row.get(27)
    maybeData = try row.get(28)
    maybeUUID = try row.get(29)
    maybeDecimal = try row.get(30)
    maybeURL = try row.get(31)
    maybeColour = try row.get(32)
    maybePlace = try row.get(33)
    bools = try row.get(34)
    ints = try row.get(35)
    words = try row.get(36)
    floats = try row.get(37)
    doubles = try row.get(38)
    strings = try row.get(39)
    dates = try row.get(40)
    datas = try row.get(41)
    uuids = try row.get(42)
    decimals = try row.get(43)
    urls = try row.get(44)
    colours = try row.get(45)
    places = try row.get(46)
  }

  package func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, bool)
    try row.set(2, int8)
    try row.set(3, int16)
    try row.set(4, int32)
    try row.set(5, int64)
    try row.set(6, uint)
    try row.set(7, uint8)
    try row.set(8, uint16)
    try row.set(9, uint32)
    try row.set(10, uint64)
    try row.set(11, float)
    try row.set(12, double)
    try row.set(13, string)
    try row.set(14, date)
    try row.set(15, data)
    try row.set(16, uuid)
    try row.set(17, decimal)
    try row.set(18, url)
    try row.set(19, colour)
    try row.set(20, level)
    try row.set(21, place)
    try row.set(22, shape)
    try row.set(23, maybeBool)
    try row.set(24, maybeInt)
    try row.set(25, maybeDouble)
    try row.set(26, maybeString)
    try row.set(27, maybeDate)
    try row.set(28, maybeData)
    try row.set(29, maybeUUID)
    try row.set(30, maybeDecimal)
    try row.set(31, maybeURL)
    try row.set(32, maybeColour)
    try row.set(33, maybePlace)
    try row.set(34, bools)
    try row.set(35, ints)
    try row.set(36, words)
    try row.set(37, floats)
    try row.set(38, doubles)
    try row.set(39, strings)
    try row.set(40, dates)
    try row.set(41, datas)
    try row.set(42, uuids)
    try row.set(43, decimals)
    try row.set(44, urls)
    try row.set(45, colours)
    try row.set(46, places)
  }

  /// The properties as values, which are equal when their bits are.
  package func values() throws(StorageError) -> [Value] {
    [
      try id.storedValue(),
      try bool.storedValue(),
      try int8.storedValue(),
      try int16.storedValue(),
      try int32.storedValue(),
      try int64.storedValue(),
      try uint.storedValue(),
      try uint8.storedValue(),
      try uint16.storedValue(),
      try uint32.storedValue(),
      try uint64.storedValue(),
      try float.storedValue(),
      try double.storedValue(),
      try string.storedValue(),
      try date.storedValue(),
      try data.storedValue(),
      try uuid.storedValue(),
      try decimal.storedValue(),
      try url.storedValue(),
      try colour.storedValue(),
      try level.storedValue(),
      try place.storedValue(),
      try shape.storedValue(),
      try maybeBool.storedValue(),
      try maybeInt.storedValue(),
      try maybeDouble.storedValue(),
      try maybeString.storedValue(),
      try maybeDate.storedValue(),
      try maybeData.storedValue(),
      try maybeUUID.storedValue(),
      try maybeDecimal.storedValue(),
      try maybeURL.storedValue(),
      try maybeColour.storedValue(),
      try maybePlace.storedValue(),
      try bools.storedValue(),
      try ints.storedValue(),
      try words.storedValue(),
      try floats.storedValue(),
      try doubles.storedValue(),
      try strings.storedValue(),
      try dates.storedValue(),
      try datas.storedValue(),
      try uuids.storedValue(),
      try decimals.storedValue(),
      try urls.storedValue(),
      try colours.storedValue(),
      try places.storedValue(),
    ]
  }
}
