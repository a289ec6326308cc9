import QuarryBackend
import QuarryCore
import QuarryData

/// Reads a dump and stores its content, in a transaction that commits when the last line was right.
final class DumpReader {
  private var lines: LineReader
  private let digest: SHA256Digest
  private var report = DumpReport(models: [], sha256: "")
  /// Creates the rows of the model that is being read.
  private var rows: DumpRows?
  /// Rows after the last check.
  private var unchecked = 0
  /// Why the first row after the last check that is no row of its model cannot be stored: reported when the check was right.
  private var refusal: StorageError?
  /// The first line after the last check.
  private var firstUnchecked = 1
  private let progress: (Int64) throws -> Void

  /// - Parameter progress: Receives the bytes that were read; its error ends the reading.
  init(_ source: ByteSource, _ progress: @escaping (Int64) throws -> Void) throws(StorageError) {
    lines = LineReader(source)
    digest = try SHA256Digest()
    self.progress = progress
  }

  /// - Throws: `corrupt` with the line for a file that is no dump, is cut, or was changed; `schemaTooNew`; the errors of storing,
  ///   with the lines.
  func run(_ transaction: WriteTransaction) throws -> DumpReport {
    let version = try header()
    // A model may refer to one that comes later.
    transaction.checkReferencesAtCommit()
    var members = try member(try next())
    while true {
      if members["model"] != nil {
        try begin(members, transaction)
        try progress(lines.bytesRead)
        members = try load(transaction)
      } else if members["end"] != nil {
        try end(members)
        break
      } else {
        try check(members)
        members = try member(try next())
      }
    }
    if let version { try transaction.apply(.setProgramVersion(version)) }
    return report
  }

  // MARK: Lines

  /// Goes to the next line.
  ///
  /// - Returns: Its bytes, lent until the line after it is read.
  private func next() throws(StorageError) -> UnsafeRawBufferPointer {
    guard try lines.next() else { throw damaged("the dump ends here, and is cut: its last line is missing") }
    guard lines.isEnded else { throw damaged("the dump ends inside this line, and is cut") }
    return lines.text
  }

  private func parse(_ text: UnsafeRawBufferPointer) throws(StorageError) -> JSONValue {
    do throws(StorageError) {
      return try JSONParser.parse(text, line: lines.line, depthLimit: DumpFormat.depthLimit)
    } catch {
      throw StorageError(.corrupt, error.message, cause: error)
    }
  }

  /// The members of a line that is no row.
  private func member(_ text: UnsafeRawBufferPointer) throws(StorageError) -> DumpMembers {
    let value = try parse(text)
    if case .array = value { throw damaged("a row before the first model") }
    guard let members = DumpMembers(value) else { throw damaged("this is not a line of a dump") }
    return members
  }

  /// Counts the line for the checksum.
  private func add() throws(StorageError) {
    try digest.add(lines.textAndEnd)
  }

  private func damaged(_ what: String) -> StorageError {
    StorageError(.corrupt, "line \(lines.line): \(what)")
  }

  /// - Returns: The version of the program's models, if the store had one.
  private func header() throws(StorageError) -> Int? {
    let first: DumpMembers?
    do throws(StorageError) { first = DumpMembers(try parse(try next())) } catch {
      throw StorageError(.corrupt, "line 1: this is not a dump of Quarry", cause: error)
    }
    guard let members = first, members.text("quarry") == "dump", let format = members.number("format"), format >= 1
    else { throw damaged("this is not a dump of Quarry") }
    guard format <= DumpFormat.version else {
      throw StorageError(
        .schemaTooNew,
        "line 1: the dump has format \(format), and \(DumpFormat.version) is the newest that this version of Quarry reads"
      )
    }
    guard members.have(only: ["quarry", "format", "version"]) else { throw damaged("the header has other members") }
    try add()
    guard members["version"] != nil else { return nil }
    guard let version = members.number("version"), version >= 1 else { throw damaged("the version is not a number") }
    return version
  }

  // MARK: Models and rows

  private func begin(_ members: DumpMembers, _ transaction: WriteTransaction) throws(StorageError) {
    guard let declared = DumpSchema.model(members) else { throw damaged("this does not declare a model") }
    let last = DumpSchema.last(members)
    if declared.keyGeneration == .sequence, last == nil { throw damaged("the last number is not a number") }
    try add()
    if let last = report.models.last, !last.name.utf8.lexicographicallyPrecedes(declared.name.utf8) {
      throw damaged("the model \(declared.name.excerpt) comes after \(last.name.excerpt)")
    }
    try located(lines.line) { () throws(StorageError) in
      try transaction.createStoredModel(declared)
      let model = try transaction.modelSchema(declared.name)
      rows = DumpRows(model)
      if let last { try transaction.continueSequence(of: model.id, after: last) }
    }
    report.models.append(DumpReport.Model(name: declared.name, rows: 0))
  }

  /// Stores the rows of a model, several checks' rows at once. No row is handed on before its check has passed.
  ///
  /// - Returns: The line after them.
  private func load(_ transaction: WriteTransaction) throws -> DumpMembers {
    guard let rows else { throw damaged("this is not a line of a dump") }
    var following: DumpMembers?
    // An error of this reader or of the program, as opposed to the store.
    var own: (any Error)?
    let firstRow = firstUnchecked
    var (first, last) = (firstRow, firstRow)
    do throws(StorageError) {
      try transaction.loadRows(into: rows.model) { batch throws(StorageError) in
        do {
          first = firstUnchecked
          while following == nil, batch.byteCount < 1 << 20 {
            let text = try next()
            if text.first == UInt8(ascii: "[") || text.first == 0x20 || text.first == 0x09 {
              if try append(text, rows, to: &batch) { continue }
            }
            let members = try member(text)
            if members["model"] == nil, members["end"] == nil {
              try check(members)
              try progress(lines.bytesRead)
            } else {
              guard unchecked == 0 else { throw damaged("a line of check is missing before this one") }
              following = members
            }
          }
          // Between checks a batch may be full: it is handed on when its rows were checked.
          if unchecked > 0 { try readToCheck(rows, &batch) }
          if batch.count > 0 { last = firstUnchecked - 1 } else { first = firstRow }
        } catch {
          own = error
          throw error as? StorageError ?? StorageError(.io, "the restore was cancelled")
        }
      }
    } catch {
      if let own { throw own }
      throw error.located(first, max(first, last))
    }
    guard let following else { throw damaged("this is not a line of a dump") }
    return following
  }

  /// Reads on to the next check.
  private func readToCheck(_ rows: DumpRows, _ batch: inout RowBatch) throws {
    while unchecked > 0 {
      let text = try next()
      if try append(text, rows, to: &batch) { continue }
      let members = try member(text)
      guard members["model"] == nil, members["end"] == nil else {
        throw damaged("a line of check is missing before this one")
      }
      try check(members)
      try progress(lines.bytesRead)
    }
  }

  /// Takes a line as a row, if it is one.
  private func append(
    _ text: UnsafeRawBufferPointer, _ rows: DumpRows, to batch: inout RowBatch
  ) throws(StorageError) -> Bool {
    if let row = try rows.quickRow(text) {
      batch.append(row)
    } else {
      guard case .array(let values) = try parse(text) else { return false }
      guard values.count == rows.properties.count else {
        throw damaged(
          "\(values.count) values, the model \(rows.model.name.excerpt) has \(rows.properties.count) properties")
      }
      do throws(StorageError) {
        batch.append(try rows.row(values))
      } catch {
        if error.code == .corrupt { throw error.located(lines.line, lines.line) }
        if refusal == nil { refusal = error }
      }
    }
    try add()
    unchecked += 1
    report.models[report.models.count - 1].rows += 1
    if unchecked > DumpFormat.checkInterval { throw damaged("a line of check is missing before this one") }
    return true
  }

  // MARK: Checks

  private func check(_ members: DumpMembers) throws(StorageError) {
    guard let count = members.number("rows"), let sum = members.text("sha256"), members.have(only: ["rows", "sha256"]),
      let rows, let last = report.models.last
    else { throw damaged("this is not a line of a dump") }
    guard try sum == digest.text() else {
      throw StorageError(
        .corrupt, "lines \(firstUnchecked) to \(lines.line): a line was changed, or one is missing",
        model: rows.model.name)
    }
    guard count == last.rows, unchecked > 0 else { throw damaged("\(count) rows, and there are \(last.rows)") }
    if let refusal { throw refusal.located(firstUnchecked, lines.line) }
    try add()
    unchecked = 0
    firstUnchecked = lines.line + 1
  }

  private func end(_ members: DumpMembers) throws(StorageError) {
    guard members.flag("end") == true, let models = members.number("models"), let rows = members.number("rows"),
      let sum = members.text("sha256"), members.have(only: ["end", "models", "rows", "sha256"])
    else { throw damaged("this is not a line of a dump") }
    guard try sum == digest.text() else {
      throw StorageError(
        .corrupt, "lines \(firstUnchecked) to \(lines.line): a line was changed, or one is missing")
    }
    guard models == report.models.count, rows == report.rows else {
      throw damaged("\(models) models and \(rows) rows, and there are \(report.models.count) and \(report.rows)")
    }
    guard try !lines.next() else { throw damaged("there is more after the last line of the dump") }
    report.sha256 = sum
  }

  /// Adds the line to an error of the store.
  private func located(_ line: Int, _ body: () throws(StorageError) -> Void) throws(StorageError) {
    do throws(StorageError) { try body() } catch { throw error.located(line, line) }
  }
}

extension StorageError {
  /// The error with the lines that it is about.
  fileprivate func located(_ first: Int, _ last: Int) -> StorageError {
    let lines = first == last ? "line \(first)" : "lines \(first) to \(last)"
    return StorageError(
      code, "\(lines): \(message)", model: model, property: property, key: key, cause: self)
  }
}
