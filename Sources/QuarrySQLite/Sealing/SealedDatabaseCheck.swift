import QuarryBackend

/// Verifies the parts of a sealed database that SQLite's own check does not read.
///
/// They are the slots of its header page, and the tags of all pages, including pages that no table uses. Where the log may have a
/// newer page, the one in the database is not judged: SQLite's check reads the valid page.
struct SealedDatabaseCheck {
  private let database: SealedDatabase
  private let name: String
  private let pages: Int64

  /// - Parameter pages: The number of pages to check: the file may be longer.
  init(_ database: SealedDatabase, _ name: String, pages: Int64) {
    self.database = database
    self.name = name
    self.pages = pages
  }

  func run(_ report: inout DefectReport) throws(StorageError) {
    try report.examine("header") { report throws(StorageError) in
      for defect in try database.header(of: name).envelope.defects { report.add("header: \(defect)") }
      if !database.hasWholeLogSlots { report.add("header: a slot of the log is damaged") }
    }
    try report.examine("pages") { report throws(StorageError) in
      var number: Int64 = 0
      while number < pages, let isAuthentic = try database.isAuthentic(number) {
        number += 1
        if !isAuthentic { report.add("page \(number): it is damaged, or not of this store") }
      }
    }
  }
}
