import Foundation
import GRDB

// Writes a database as programs with GRDB do: `swift run grdb-sample FILE`. Tests/QuarryToolTests/Databases/grdb.sqlite was made so.

struct Author: Codable, FetchableRecord, MutablePersistableRecord {
  var id: Int64?
  var name: String
  var born: Date?

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

struct Book: Codable, FetchableRecord, PersistableRecord {
  struct Size: Codable {
    var width: Int
    var height: Int
  }

  enum Kind: String, Codable {
    case novel, poem
  }

  var id: UUID
  var title: String
  var authorId: Int64
  var kind: Kind
  var price: Double
  var isLent: Bool
  var cover: Data?
  var size: Size
  var tags: [String]
  var added: Date
}

struct Loan: Codable, FetchableRecord, PersistableRecord {
  var bookId: UUID
  var reader: String
  var due: Date
}

guard CommandLine.arguments.count == 2, !FileManager.default.fileExists(atPath: CommandLine.arguments[1]) else {
  FileHandle.standardError.write(Data("usage: grdb-sample FILE, which must not exist\n".utf8))
  exit(64)
}

let queue = try DatabaseQueue(path: CommandLine.arguments[1])
var migrator = DatabaseMigrator()
migrator.registerMigration("v1") { database in
  try database.create(table: "author") { table in
    table.autoIncrementedPrimaryKey("id")
    table.column("name", .text).notNull().indexed()
    table.column("born", .datetime)
  }
  try database.create(table: "book") { table in
    table.primaryKey("id", .blob)
    table.column("title", .text).notNull()
    table.belongsTo("author", onDelete: .cascade).notNull()
    table.column("kind", .text).notNull().defaults(to: "novel")
    table.column("price", .double).notNull()
    table.column("isLent", .boolean).notNull().defaults(to: false)
    table.column("cover", .blob)
    table.column("size", .jsonText).notNull()
    table.column("tags", .jsonText).notNull()
  }
}
migrator.registerMigration("v2") { database in
  try database.alter(table: "book") { table in
    table.add(column: "added", .datetime).notNull().defaults(to: "2024-01-01")
  }
  try database.create(table: "loan") { table in
    table.belongsTo("book", onDelete: .restrict).notNull()
    table.column("reader", .text).notNull()
    table.column("due", .datetime).notNull()
    table.primaryKey(["bookId", "reader"])
  }
  try database.create(virtualTable: "bookText", using: FTS5()) { table in
    table.synchronize(withTable: "book")
    table.column("title")
  }
  try database.create(view: "novel", asLiteral: "SELECT * FROM book WHERE kind = 'novel'")
}
try migrator.migrate(queue)
try queue.write { database in
  var ada = Author(id: nil, name: "Ada", born: Date(timeIntervalSince1970: -4_861_900_800))
  var bob = Author(id: nil, name: "Bób", born: nil)
  try ada.insert(database)
  try bob.insert(database)
  func uuid(_ number: Int) -> UUID {
    UUID(uuid: (0x0B, 0x1E, 0x55, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, UInt8(number)))
  }
  for number in 1...40 {
    try Book(
      id: uuid(number), title: "Title \(number)", authorId: number % 3 == 0 ? 2 : 1,
      kind: number % 4 == 0 ? .poem : .novel,
      price: Double(number) * 0.25, isLent: number % 2 == 0,
      cover: number % 5 == 0 ? Data([0, 1, UInt8(number)]) : nil,
      size: Book.Size(width: number, height: 2 * number), tags: number % 7 == 0 ? [] : ["a", "é"],
      added: Date(timeIntervalSince1970: 1_714_566_615.123 + Double(number) * 86_400)
    ).insert(database)
  }
  try Loan(bookId: uuid(2), reader: "Cid", due: Date(timeIntervalSince1970: 1_720_000_000)).insert(database)
  try Loan(bookId: uuid(2), reader: "Dan", due: Date(timeIntervalSince1970: 1_730_000_000)).insert(database)
}
try queue.close()
