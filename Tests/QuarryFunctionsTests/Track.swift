import Foundation
import QuarryBackend
import QuarryCore

/// An object with a property of each kind that functions are about.
struct Track: Model, Equatable {
  var id: Int
  var title: String
  var note: String?
  var year: Int?
  var length: Double
  var link: URL?
  var tags: [String]
  var price: Decimal
  var album: Ref<Track>?

  static let modelDefinition = ModelDefinition<Track>(
    name: "Track",
    properties: [
      PropertyDefinition("id", \Track.id, Int.self), PropertyDefinition("title", \Track.title, String.self),
      PropertyDefinition("note", \Track.note, String?.self), PropertyDefinition("year", \Track.year, Int?.self),
      PropertyDefinition("length", \Track.length, Double.self), PropertyDefinition("link", \Track.link, URL?.self),
      PropertyDefinition("tags", \Track.tags, [String].self), PropertyDefinition("price", \Track.price, Decimal.self),
      PropertyDefinition("album", \Track.album, Ref<Track>?.self),
    ], primaryKey: "id", indexes: [IndexDefinition(["title"]), IndexDefinition(["year"])])

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var title = Column<String>("title", 1)
    var note = Column<String?>("note", 2)
    var year = Column<Int?>("year", 3)
    var length = Column<Double>("length", 4)
    var link = Column<URL?>("link", 5)
    var tags = Column<[String]>("tags", 6)
    var price = Column<Decimal>("price", 7)
    var album = Column<Ref<Track>?>("album", 8)
  }

  var primaryKeyValue: Int { id }

  init(
    _ id: Int, _ title: String, note: String? = nil, year: Int? = nil, length: Double = 0, link: URL? = nil,
    tags: [String] = [], price: Decimal = 0, album: Int? = nil
  ) {
    (self.id, self.title, self.note, self.year, self.length) = (id, title, note, year, length)
    (self.link, self.tags, self.price, self.album) = (link, tags, price, album.map { Ref($0) })
  }

  init(reading row: ModelReader) throws(StorageError) {
    (id, title, note) = (try row.get(0), try row.get(1), try row.get(2))
    (year, length, link) = (try row.get(3), try row.get(4), try row.get(5))
    (tags, price, album) = (try row.get(6), try row.get(7), try row.get(8))
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, title)
    try row.set(2, note)
    try row.set(3, year)
    try row.set(4, length)
    try row.set(5, link)
    try row.set(6, tags)
    try row.set(7, price)
    try row.set(8, album)
  }

  static let all: [Track] = [
    Track(1, "Take Five", note: "a\nb", year: 1959, length: 5.4, tags: ["jazz", "5/4"], price: 1.29),
    Track(
      2, "So What", year: 1959, length: 9.1, link: URL(string: "https://example.com/2"), tags: ["jazz"], price: 0.99),
    Track(3, "Ünder", note: "x", year: 1977, length: -0.0, tags: [], price: -1, album: 1),
    Track(4, "", note: "", year: nil, length: .nan, link: URL(string: "http://example.org"), album: 2),
    Track(5, "take 55", year: 2024, length: .infinity, tags: ["55", "a5"], price: 99, album: 3),
  ]
}
