import CSQLite

/// Which log belongs to the database: ``LogNote``, in the first page of the file.
extension CheckedDatabase {
  /// The first page as the file has it.
  private enum FirstPage {
    case page([UInt8], PageChecksum.Verdict)
    /// The database has no page yet.
    case missing
    case failed(Int32)
  }

  private func firstPage() -> FirstPage {
    var bytes = [UInt8](repeating: 0, count: PageChecksum.pageBytes)
    var verdict = PageChecksum.Verdict.wrong
    // Another process may be writing its end at this moment.
    for _ in 0..<4 where verdict == .wrong {
      let result = bytes.withUnsafeMutableBytes { bytes in
        bytes.baseAddress.map { baseRead($0, bytes.count, 0) } ?? FileResult.read
      }
      if result == FileResult.shortRead { return .missing }
      guard result == SQLITE_OK else { return .failed(result) }
      verdict = bytes.withUnsafeBytes { bytes in
        bytes.baseAddress.map { PageChecksum.verdict($0, number: 0) } ?? .wrong
      }
    }
    return .page(bytes, verdict)
  }

  private static func note(in page: [UInt8]) -> UInt64 {
    page.withUnsafeBytes { $0.loadLittleEndian(PageChecksum.logPlace, as: UInt64.self) }
  }

  /// The relation of a log with these salts to the database.
  func verdict(ofLog salts: UInt64) -> LogNote.Verdict {
    guard hasChecksums else { return .own }
    switch firstPage() {
    case .missing: return .own
    case .failed: return .damaged
    case .page(let page, .right): return LogNote.verdict(Self.note(in: page), ofLog: salts)
    // Another program has moved the page out of the log, and has left nothing at its end.
    case .page(_, .none): return .own
    // A loss of power can leave this of a checkpoint: the log has the page, if it is this one.
    case .page(let page, .wrong):
      let note = Self.note(in: page)
      return note == LogNote.unknown || note == salts ? .own : .damaged
    }
  }

  /// Writes that a log with these salts begins, of which SQLite writes the header next.
  func note(log salts: UInt64) -> Int32 {
    guard hasChecksums else { return SQLITE_OK }
    switch firstPage() {
    case .missing: return SQLITE_OK
    case .failed(let result): return result
    case .page(_, .wrong): return FileResult.damaged
    case .page(var page, .right), .page(var page, .none):
      return page.withUnsafeMutableBytes { bytes in
        guard let base = bytes.baseAddress, LogNote.isKept(by: base) else { return SQLITE_OK }
        PageChecksum.put(into: base, number: 0, log: salts)
        // The end alone, which is in one sector.
        let (start, count) = (PageChecksum.start, PageChecksum.pageBytes - PageChecksum.start)
        let result = baseWrite(base + start, count, Int64(start))
        guard result == SQLITE_OK else { return result }
        knownLog = salts
        hasUnsyncedNote = true
        return SQLITE_OK
      }
    }
  }

  /// Brings the note to the disk, if this connection has written one.
  func syncNote(_ flags: Int32) -> Int32 {
    guard hasUnsyncedNote else { return SQLITE_OK }
    let result = baseSync(flags)
    if result == SQLITE_OK { hasUnsyncedNote = false }
    return result
  }

  /// The note about the log for a first page that is about to be written: the note of the page in the file.
  func noteToKeep(in page: UnsafeRawPointer) -> UInt64 {
    guard LogNote.isKept(by: page) else { return LogNote.unknown }
    switch firstPage() {
    case .missing: return LogNote.none
    // A database without a log: a copy whose later pages were written first, or one that gets its log now.
    case .page(let page, .right) where !PageChecksum.saysThereIsALog(page): return LogNote.none
    case .page(let page, .right) where Self.note(in: page) != LogNote.unknown: return Self.note(in: page)
    // The note about the log that pages come from, where it is known here; else nothing.
    case .page, .failed: return knownLog
    }
  }
}
