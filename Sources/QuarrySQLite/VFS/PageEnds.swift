import CSQLite

/// Where a database of whole pages ends, so that no page comes to be in a gap without its seal or checksum.
struct PageEnds {
  /// Whether this connection has opened the log: its pages then come from there, one after the other.
  var hasLog = false
  /// The end of SQLite's pages as far as this connection knows it; 0 when others may have changed it.
  private var known: Int64 = 0
  private let lockedPage: Int64

  static let page = Int64(SealedDatabaseFormat.pageBytes)

  /// - Parameter lockedPage: The number of the page that has the bytes which SQLite locks, and is never written.
  init(lockedPage: Int64) {
    self.lockedPage = lockedPage
  }

  mutating func forget() { known = 0 }
  mutating func wrote(to end: Int64) { known = max(known, end) }
  mutating func truncated(to end: Int64) { known = min(known, end) }

  /// The result for a page that is missing from the file.
  ///
  /// SQLite takes it for zeros, and asks for none but the first one of an empty database: any other was cut off.
  ///
  /// - Parameter size: Asks for the end of SQLite's pages.
  func missing(_ number: Int64, size: (inout Int64) -> Int32) -> Int32 {
    var end: Int64 = 0
    let result = size(&end)
    guard result == SQLITE_OK else { return result }
    return end == 0 || number == lockedPage ? FileResult.shortRead : FileResult.damaged
  }

  /// Has pages of zeros written where a write would leave a gap: with a rollback journal SQLite leaves out free pages at the
  /// end.
  ///
  /// A log has every page except the page of SQLite's locks. Another one that is missing while pages come from the log was cut
  /// off, and must not become authentic zeros.
  ///
  /// - Parameters:
  ///   - size: Asks for the end of SQLite's pages.
  ///   - writeZeros: Writes a page of zeros with that number.
  mutating func fill(
    to end: Int64, size: (inout Int64) -> Int32, writeZeros: (_ number: Int64) -> Int32
  ) -> Int32 {
    guard end > known else { return SQLITE_OK }
    let result = size(&known)
    guard result == SQLITE_OK else { return result }
    while known < end {
      let number = known / Self.page
      guard known % Self.page == 0, !hasLog || number == lockedPage else { return FileResult.damaged }
      let result = writeZeros(number)
      guard result == SQLITE_OK else { return result }
      known += Self.page
    }
    return SQLITE_OK
  }
}
