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
  /// `country=Country.code`.
  var references: [NameChange]
  var progress: ProgressBar

  /// Rows that are handed to the store together.
  private static let batchSize = 512

  /// - Returns: The number of rows.
  /// - Throws: Errors of the data with line and column; `duplicateKey` and `uniqueViolation` with the line;
  ///   `schemaMismatch` where the model is there and does not fit.
  func run(in store: Store) throws -> Int {
    let stored = try store.models()
    let existing = stored.first { $0.name.utf8.elementsEqual(model.utf8) }
    // The file is read for its types outside the transaction, so that other writers need not wait for it.
    var new = try existing == nil ? newModel() : nil
    for change in references {
      if let existing {
        try check(change, existing)
      } else if let made = new {
        new = try made.referring(change, stored)
      }
    }
    let made = new
    return try store.write { tx in
      if let made { try tx.apply(.createModel(made)) }
      let model = try tx.model(named: model)
      let columns = made == nil ? try columns(of: model) : model.liveSlots.map { model.properties[$0] }
      if made == nil { try check(model, tx) }
      var rows = try data.rows(as: columns)
      let count: Int
      if model.properties.contains(where: { $0.reference != nil }) {
        // Rows may refer to rows that stand below them.
        count = try tx.deferringReferences { try insert(&rows, columns.map(\.name), tx) }
      } else {
        count = try insert(&rows, columns.map(\.name), tx)
      }
      try tx.finishFilling()
      return count
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

  /// Checks `--reference` against a model that is there.
  private func check(_ change: NameChange, _ model: ModelSchema) throws(StorageError) {
    let property = model.properties[try QueryBinder(model).slot(change.old)]
    let target = change.new.split(separator: ".").first.map(String.init) ?? change.new
    guard property.reference.map({ $0.model.utf8.elementsEqual(target.utf8) }) == true else {
      throw StorageError(
        .schemaMismatch,
        "the model is there and does not refer to \(target.excerpt) by it; "
          + "quarry migrate --reference makes it a reference",
        model: model.name, property: property.name)
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

extension ModelSchema {
  /// The model with a reference in a column.
  ///
  /// - Parameters:
  ///   - change: The column, and the model with the name of its primary key behind a point.
  ///   - stored: The models that the store has.
  /// - Throws: `invalidQuery` for names that are not there, and for a property that is no primary key.
  fileprivate func referring(_ change: NameChange, _ stored: [ModelSchema]) throws(StorageError) -> ModelSchema {
    let slot = try QueryBinder(self).slot(change.old)
    let models = stored + [self]
    guard
      let target = models.first(where: { change.new.utf8.elementsEqual("\($0.name).\($0.keyProperty.name)".utf8) })
    else {
      let keys = models.map { "\($0.name).\($0.keyProperty.name)" }
      let hint = NearestName.suggestion(for: change.new, among: keys)
      throw StorageError(.invalidQuery, "there is no primary key \(change.new.excerpt)\(hint)", model: name)
    }
    var result = self
    result.properties[slot].reference = PropertySchema.Reference(
      to: target.name, deleteRule: properties[slot].isOptional ? .nullify : .deny)
    if slot != primaryKey, !indexes.contains(where: { $0.columns.first?.slot == slot }) {
      result.indexes.append(IndexSchema(name: properties[slot].name, columns: [IndexSchema.Column(slot: slot)]))
    }
    return result
  }
}
