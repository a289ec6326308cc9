import QuarryBackend

/// Checks the checksums of all pages of a plain database, including pages that no table uses.
///
/// The caller has moved the log into the database before. Until then a page there may be torn by a loss of power without ever
/// being read.
struct ChecksumCheck {
  private let database: CheckedDatabase
  private let pages: Int64

  /// - Parameter pages: How many the database has: its file may be longer.
  init(_ database: CheckedDatabase, pages: Int64) {
    self.database = database
    self.pages = pages
  }

  func run(_ report: inout DefectReport) throws(StorageError) {
    try report.examine("pages") { report throws(StorageError) in
      var number: Int64 = 0
      // A page without a checksum is one that another program has moved out of the log.
      while number < pages, let verdict = try database.verdict(number) {
        number += 1
        if verdict == .wrong { report.add("page \(number): it is damaged, or another program has written it") }
      }
    }
  }
}
