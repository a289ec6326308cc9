import QuarryBackend
import QuarryCore
import QuarryQuery

/// Writes the dump of one state of a store, line by line.
struct DumpWriter {
  private let write: ([UInt8]) throws -> Void
  private let digest: SHA256Digest
  private var line: [UInt8] = []

  /// - Parameter write: Receives the bytes in pieces.
  init(_ write: @escaping ([UInt8]) throws -> Void) throws(StorageError) {
    self.write = write
    digest = try SHA256Digest()
  }

  /// - Parameter progress: Receives the number of rows after each row; its error ends the writing.
  mutating func run(_ transaction: ReadTransaction, _ progress: (Int) throws -> Void) throws -> DumpReport {
    let version = try transaction.schemaVersion
    let models = try transaction.dumpedModels.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    let format = DumpFormat.version(for: models)
    try put("{\"quarry\":\"dump\",\"format\":\(format)\(version > 0 ? ",\"version\":\(version)" : "")}")
    var report = DumpReport(models: [], sha256: "")
    for model in models {
      try DumpSchema.append(model, last: transaction.lastNumber(of: model), to: &line)
      try put("")
      let rows = try self.rows(model, transaction) { try progress(report.rows + $0) }
      report.models.append(DumpReport.Model(name: model.name, rows: rows))
    }
    report.sha256 = try digest.text()
    try put("{\"end\":true,\"models\":\(models.count),\"rows\":\(report.rows),\"sha256\":\"\(report.sha256)\"}")
    return report
  }

  /// Writes the rows of a model, each an array of values in the order of the properties.
  private mutating func rows(
    _ model: ModelSchema, _ transaction: ReadTransaction, _ progress: (Int) throws -> Void
  ) throws -> Int {
    let properties = model.shownSlots.map { model.properties[$0] }
    var count = 0
    try transaction.records.forEach(QueryTree(model: model.name), columns: properties.map(\.name)) { record in
      line.append(UInt8(ascii: "["))
      for (place, property) in properties.enumerated() {
        if place > 0 { line.append(UInt8(ascii: ",")) }
        do throws(StorageError) {
          try DumpValue.append(record.values[place], of: property, to: &line)
        } catch {
          throw error.with(model: model.name, property: property.name)
        }
      }
      line.append(UInt8(ascii: "]"))
      try put("")
      count += 1
      if count % DumpFormat.checkInterval == 0 { try check(count) }
      try progress(count)
    }
    if count % DumpFormat.checkInterval != 0 { try check(count) }
    return count
  }

  private mutating func check(_ rows: Int) throws {
    try put("{\"rows\":\(rows),\"sha256\":\"\(try digest.text())\"}")
  }

  /// Ends the line with this text, and hands it on.
  private mutating func put(_ text: String) throws {
    line.append(contentsOf: text.utf8)
    line.append(UInt8(ascii: "\n"))
    try digest.add(line)
    try write(line)
    line.removeAll(keepingCapacity: true)
  }
}
