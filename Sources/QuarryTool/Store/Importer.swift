import QuarryBackend
import QuarryCore
import QuarryData
import QuarryQuery

/// Puts the rows of a file into a model, in one transaction: all of them, or none.
struct Importer {
  var data: DataFile
  var model: String
  var key: String
  var indexed: [String]
  var unique: [String]
  var progress: ProgressBar

  /// Rows that are handed to the store together.
  private static let batchSize = 512

  /// - Returns: The number of rows.
  /// - Throws: Errors of the data with line and column; `duplicateKey` and `uniqueViolation` with the line;
  ///   `schemaMismatch` where the model is there and does not fit.
  func run(in store: Store) throws -> Int {
    let existing = try store.models().first { $0.name.utf8.elementsEqual(model.utf8) }
    // The file is read for its types outside the transaction, so that other writers need not wait for it.
    let new = try existing == nil ? newModel() : nil
    return try store.write { tx in
      if let new { try tx.apply(.createModel(new)) }
      let model = try tx.model(named: model)
      let columns = new == nil ? try columns(of: model) : model.liveSlots.map { model.properties[$0] }
      if new == nil { try check(model, tx) }
      var rows = try data.rows(as: columns)
      return try insert(&rows, columns.map(\.name), tx)
    }
  }

  /// The model that the data makes.
  private func newModel() throws(StorageError) -> ModelSchema {
    progress.begin("reading")
    let new = try data.model(named: model, key: key, indexed: indexed, unique: unique) {
      progress.update($0, rows: $1)
    }
    progress.clear()
    return new.model
  }

  /// The properties of a stored model that the file has columns for. JSON Lines may have any of them on any line.
  private func columns(of model: ModelSchema) throws(StorageError) -> [PropertySchema] {
    let properties = model.liveSlots.map { model.properties[$0] }
    guard data.format == .csv else { return properties }
    let names = try CSVReader(ByteSource(path: data.path)).names
    var columns: [PropertySchema] = []
    for (column, name) in names.enumerated() {
      guard let slot = model.slot(named: name) else {
        throw StorageError(
          .schemaMismatch,
          "line 1, column \(column + 1): the model has no property \(name.excerpt)"
            + NearestName.suggestion(for: name, among: properties.map(\.name)),
          model: model.name, property: name)
      }
      columns.append(model.properties[slot])
    }
    for property in properties where !property.isOptional && property.defaultValue == nil {
      guard columns.contains(property) else {
        throw StorageError(
          .schemaMismatch, "line 1: there is no column for \(property.typeName), which is not optional",
          model: model.name, property: property.name)
      }
    }
    return columns
  }

  /// Checks the options against a model that is there, and makes the indexes that it lacks.
  private func check(_ model: ModelSchema, _ tx: WriteTransaction) throws(StorageError) {
    guard model.keyProperty.name.utf8.elementsEqual(key.utf8) else {
      throw StorageError(
        .schemaMismatch, "--key \(key): the model is there and its key is \(model.keyProperty.name)", model: model.name)
    }
    let plain = indexed.withoutRepeats.filter { column in !unique.contains { $0.utf8.elementsEqual(column.utf8) } }
    for (column, isUnique) in unique.withoutRepeats.map({ ($0, true) }) + plain.map({ ($0, false) }) {
      let slot = try QueryBinder(model).slot(column)
      let columns = [IndexSchema.Column(slot: slot)]
      if model.indexes.contains(where: { $0.columns == columns && ($0.isUnique || !isUnique) }) { continue }
      // A plain index over the column has its name already where it is to become unique too.
      let isTaken = model.indexes.contains { $0.name.utf8.elementsEqual(column.utf8) }
      let name = isTaken ? "\(column)_\(isUnique ? "unique" : "index")" : column
      try tx.apply(.createIndex(model.id, IndexSchema(name: name, columns: columns, isUnique: isUnique)))
    }
  }

  private func insert(_ rows: inout any RowReader, _ names: [String], _ tx: WriteTransaction) throws -> Int {
    progress.begin("importing")
    var count = 0
    var batch: [Record] = []
    var lines: [Int] = []
    guard let shared = RecordNames(names) else {
      throw StorageError(.invalidValue, "line 1: a column name occurs twice", model: model)
    }
    while let values = try rows.next() {
      guard let record = Record(shared, values) else {
        throw StorageError(.invalidValue, "line \(rows.line): not as many values as columns", model: model)
      }
      batch.append(record)
      lines.append(rows.line)
      guard batch.count == Self.batchSize else { continue }
      try insert(batch, lines, tx)
      count += batch.count
      batch.removeAll(keepingCapacity: true)
      lines.removeAll(keepingCapacity: true)
      progress.update(rows.fraction, rows: count)
    }
    try insert(batch, lines, tx)
    return count + batch.count
  }

  private func insert(_ batch: [Record], _ lines: [Int], _ tx: WriteTransaction) throws(StorageError) {
    do throws(StorageError) {
      try tx.insertRecords(into: model, batch)
    } catch {
      guard Self.isAboutOneRow(error.code) else { throw error }
      // Nothing of the batch was stored. One by one the rows tell which of them it was.
      for (record, line) in zip(batch, lines) {
        do throws(StorageError) {
          try tx.insertRecords(into: model, CollectionOfOne(record))
        } catch {
          throw StorageError(
            error.code, "line \(line): \(error.message)", model: error.model, property: error.property, key: error.key,
            cause: error)
        }
      }
      throw error
    }
  }

  private static func isAboutOneRow(_ code: StorageError.Code) -> Bool {
    [.duplicateKey, .uniqueViolation, .limitExceeded, .invalidValue, .missingValue].contains(code)
  }
}
