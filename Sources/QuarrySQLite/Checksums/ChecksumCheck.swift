import QuarryBackend

/// Looks at the checksums of all pages of a plain database, those too that no table uses. Whoever runs it has moved the log
/// into the database before: until then a page there may be what a loss of power left, which nobody reads.
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
