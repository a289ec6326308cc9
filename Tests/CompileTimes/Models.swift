import Foundation
import QuarryBackend
import QuarryCore

// The models and constants of the conditions that scripts/compile-times measures. They are written by hand, because what
// is measured are conditions and not macros.

struct Author: Model {
  let id: Int
  var name: String
  var born: Int?
  var isActive: Bool
  static let modelDefinition = ModelDefinition<Author>(name: "Author", properties: [], primaryKey: "id")
  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var name = Column<String>("name", 1)
    var born = Column<Int?>("born", 2)
    var isActive = Column<Bool>("isActive", 3)
    var books: ManyColumn<Book> { ManyColumn<Book>("books") }
    init() {}
  }
  var primaryKeyValue: Int { id }
  init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0); name = try row.get(1); born = try row.get(2); isActive = try row.get(3)
  }
  func write(to row: ModelWriter) throws(StorageError) {}
}
struct Address: NestedModel {
  var city: String
  var floor: Int?
  var isPrimary: Bool
  static let nestedDefinition = NestedDefinition<Address>(members: [])
  struct Columns: NestedColumns {
    var city: MemberColumn<String> { MemberColumn("city") }
    var floor: MemberColumn<Int?> { MemberColumn("floor") }
    var isPrimary: MemberColumn<Bool> { MemberColumn("isPrimary") }
    init() {}
  }
}
enum Genre: String, Storable, CaseIterable { case fiction, science }
struct Book: Model {
  let id: Int
  var title: String
  var price: Double
  var cost: Decimal
  var year: Int
  var pages: Int32
  var rank: Int?
  var score: Double?
  var isRead: Bool
  var isLent: Bool
  var genre: Genre
  var published: Date
  var tags: [String]
  var data: Data
  var blurb: String?
  var address: Address
  var home: Address?
  var author: Ref<Author>?
  var editor: Ref<Author>
  static let modelDefinition = ModelDefinition<Book>(name: "Book", properties: [], primaryKey: "id")
  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var title = Column<String>("title", 1)
    var price = Column<Double>("price", 2)
    var cost = Column<Decimal>("cost", 3)
    var year = Column<Int>("year", 4)
    var pages = Column<Int32>("pages", 5)
    var rank = Column<Int?>("rank", 6)
    var score = Column<Double?>("score", 7)
    var isRead = Column<Bool>("isRead", 8)
    var isLent = Column<Bool>("isLent", 9)
    var genre = Column<Genre>("genre", 10)
    var published = Column<Date>("published", 11)
    var tags = Column<[String]>("tags", 12)
    var data = Column<Data>("data", 13)
    var blurb = Column<String?>("blurb", 14)
    var address = Column<Address>("address", 15)
    var home = Column<Address?>("home", 16)
    var author = Column<Ref<Author>?>("author", 17)
    var editor = Column<Ref<Author>>("editor", 18)
    init() {}
  }
  var primaryKeyValue: Int { id }
  init(reading row: ModelReader) throws(StorageError) {
    id = try row.get(0)
    title = try row.get(1)
    price = try row.get(2)
    cost = try row.get(3)
    year = try row.get(4)
    pages = try row.get(5)
    rank = try row.get(6)
    score = try row.get(7)
    isRead = try row.get(8)
    isLent = try row.get(9)
    genre = try row.get(10)
    published = try row.get(11)
    tags = try row.get(12)
    data = try row.get(13)
    blurb = try row.get(14)
    address = try row.get(15)
    home = try row.get(16)
    author = try row.get(17)
    editor = try row.get(18)
  }
  func write(to row: ModelWriter) throws(StorageError) {}
}
let minimum = 5
let name = "x"
let day = Date.now
let optional: Int? = 3
let now = Date.now
let ids = [1, 2, 3]
let limit = 2.5
