import QuarryBackend
import QuarryCore
import QuarryData

/// Reads a dump and stores what it has, in a transaction that commits when the last line was right.
struct DumpReader {
  private var lines: LineReader
  private let digest: SHA256Digest
  private var report = DumpReport(models: [], sha256: "")
  /// The model whose rows are being read, and what of it is not stored yet.
  private var model: ModelSchema?
  private var properties: [PropertySchema] = []
  private var names: RecordNames?
  private var batch: [Record] = []
  /// The first line after the last check.
  private var firstUnchecked = 1
  private let progress: (Int64) throws -> Void

  /// - Parameter progress: Is told the bytes that were read, and says whether to go on.
  init(_ source: ByteSource, _ progress: @escaping (Int64) throws -> Void) throws(StorageError) {
    lines = LineReader(source)
    digest = try SHA256Digest()
    self.progress = progress
  }

  /// - Throws: `corrupt` with the line for what is no dump, is cut, or was changed; `schemaTooNew`; what storing throws, with
  ///   the lines.
  mutating func run(_ transaction: WriteTransaction) throws -> DumpReport {
    let version = try header()
    // A model may refer to one that comes later.
    transaction.checkReferencesAtCommit()
    while true {
      let line = try line()
      if case .array(let values) = line {
        try row(values)
        continue
      }
      guard let members = DumpMembers(line) else { throw damaged("this is no line of a dump") }
      if members["model"] != nil {
        try requireChecked()
        try begin(members, transaction)
      } else if members["end"] != nil {
        try requireChecked()
        try end(members)
        break
      } else {
        try check(members, transaction)
      }
      try progress(lines.bytesRead)
    }
    if let version { try transaction.apply(.setProgramVersion(version)) }
    return report
  }

  // MARK: Lines

  /// The next line. Its bytes count for the checksum when it is known not to be a check itself.
  private mutating func line() throws(StorageError) -> JSONValue {
    guard try lines.next() else { throw damaged("the dump ends here, and is cut: its last line is missing") }
    guard lines.isEnded else { throw damaged("the dump ends inside this line, and is cut") }
    let value: JSONValue
    do throws(StorageError) {
      value = try JSONParser.parse(lines.text, line: lines.line, depthLimit: DumpFormat.depthLimit)
    } catch {
      throw StorageError(.corrupt, error.message, cause: error)
    }
    // What a check says is of the bytes before it.
    if case .object = value { return value }
    try add()
    return value
  }

  private func add() throws(StorageError) {
    try digest.add(lines.text)
    try digest.add([UInt8(ascii: "\n")])
  }

  private func damaged(_ what: String) -> StorageError {
    StorageError(.corrupt, "line \(lines.line): \(what)")
  }

  /// - Returns: The version of the program's models, if the store had one.
  private mutating func header() throws(StorageError) -> Int? {
    let first: JSONValue
    do throws(StorageError) { first = try line() } catch {
      throw StorageError(.corrupt, "line 1: this is no dump of Quarry", cause: error)
    }
    guard let members = DumpMembers(first), members.text("quarry") == "dump", let format = members.number("format"),
      format >= 1
    else { throw damaged("this is no dump of Quarry") }
    guard format <= DumpFormat.version else {
      throw StorageError(
        .schemaTooNew, "line 1: the dump has format \(format), and \(DumpFormat.version) is the greatest that is known")
    }
    guard members.have(only: ["quarry", "format", "version"]) else { throw damaged("the header has other members") }
    try add()
    guard members["version"] != nil else { return nil }
    guard let version = members.number("version"), version >= 1 else { throw damaged("the version is no number") }
    return version
  }

  // MARK: Models and rows

  private mutating func begin(_ members: DumpMembers, _ transaction: WriteTransaction) throws(StorageError) {
    guard let declared = DumpSchema.model(members) else { throw damaged("this declares no model") }
    try add()
    if let last = report.models.last, !last.name.utf8.lexicographicallyPrecedes(declared.name.utf8) {
      throw damaged("the model \(declared.name.excerpt) comes after \(last.name.excerpt)")
    }
    try located(lines.line) { () throws(StorageError) in try transaction.apply(.createModel(declared)) }
    model = declared
    properties = declared.properties
    names = RecordNames(properties.map(\.name))
    report.models.append(DumpReport.Model(name: declared.name, rows: 0))
  }

  private mutating func row(_ values: [JSONValue]) throws(StorageError) {
    guard let model, let names else { throw damaged("a row before the first model") }
    guard values.count == properties.count else {
      throw damaged("\(values.count) values, the model \(model.name.excerpt) has \(properties.count) properties")
    }
    var row: [Value] = []
    row.reserveCapacity(values.count)
    for (json, property) in zip(values, properties) {
      guard let value = DumpValue.value(json, property.type, property.elementType) else {
        throw damaged("the value of \(property.name.excerpt) is not of the type \(property.typeName)")
      }
      row.append(value)
    }
    guard let record = Record(names, row) else { throw damaged("the row does not fit its model") }
    batch.append(record)
    report.models[report.models.count - 1].rows += 1
    if batch.count > DumpFormat.checkInterval { throw damaged("a line of check is missing before this one") }
  }

  // MARK: Checks

  /// Before a model and the end every row was checked.
  private func requireChecked() throws(StorageError) {
    guard batch.isEmpty else { throw damaged("a line of check is missing before this one") }
  }

  private mutating func check(_ members: DumpMembers, _ transaction: WriteTransaction) throws(StorageError) {
    guard let rows = members.number("rows"), let sum = members.text("sha256"), members.have(only: ["rows", "sha256"]),
      let model, let last = report.models.last
    else { throw damaged("this is no line of a dump") }
    guard try sum == digest.text() else {
      throw StorageError(
        .corrupt, "lines \(firstUnchecked) to \(lines.line): a line was changed, or one is missing", model: model.name)
    }
    guard rows == last.rows, !batch.isEmpty else { throw damaged("\(rows) rows, and there are \(last.rows)") }
    try add()
    let first = firstUnchecked
    try located(first) { () throws(StorageError) in try transaction.insertRecords(into: model.name, batch) }
    batch.removeAll(keepingCapacity: true)
    firstUnchecked = lines.line + 1
  }

  private mutating func end(_ members: DumpMembers) throws(StorageError) {
    guard members.flag("end") == true, let models = members.number("models"), let rows = members.number("rows"),
      let sum = members.text("sha256"), members.have(only: ["end", "models", "rows", "sha256"])
    else { throw damaged("this is no line of a dump") }
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

  /// Says which lines an error of the store is about.
  private func located(_ first: Int, _ body: () throws(StorageError) -> Void) throws(StorageError) {
    do throws(StorageError) {
      try body()
    } catch {
      let lines = first == lines.line ? "line \(first)" : "lines \(first) to \(self.lines.line)"
      throw StorageError(
        error.code, "\(lines): \(error.message)", model: error.model, property: error.property, key: error.key,
        cause: error)
    }
  }
}
