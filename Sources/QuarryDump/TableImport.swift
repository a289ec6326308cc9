import QuarryBackend
package import QuarryCore
package import QuarryData
import QuarryQuery

/// Puts the rows of a file into a model, in one transaction: all of them, or none.
package struct TableImport {
  /// A column that has the primary keys of another model.
  package struct Reference: Sendable, Hashable {
    package var column: String
    /// The names of the model and of its primary key, with a point between; of a compound key those of its members, with commas.
    package var target: String

    package init(column: String, target: String) {
      self.column = column
      self.target = target
    }
  }

  /// The actions taken.
  package struct Report: Sendable, Hashable {
    package var rows: Int
    /// The inferred facts, each in a sentence.
    package var notes: [String]
  }

  package var data: DataFile
  package var model: String
  /// The choice of the primary key; for an existing model, its own.
  package var key = DataFile.Key.found
  package var indexed: [String] = []
  package var unique: [String] = []
  /// Columns of texts that become searchable.
  package var searchable: [String] = []
  /// The language of these columns; nil to leave the one that they have.
  package var language: SearchLanguage?
  package var references: [Reference] = []
  /// Called when a part of the work begins.
  package var begin: (_ label: String) -> Void = { _ in }
  /// Called from time to time with the part of the file that was read and the rows so far.
  package var progress: DataFile.Progress = { _, _ in }

  package init(data: DataFile, model: String) {
    self.data = data
    self.model = model
  }

  /// The target of the rows.
  private struct Target {
    var model: ModelSchema
    /// The properties that the file has columns for.
    var columns: [PropertySchema]
    /// The key of the first row, where keys are counted.
    var firstKey: Int64?
  }

  /// Bytes of rows that are handed to the store together.
  private static let batchBytes = 1 << 20

  /// - Throws: Errors of the data with line and column; `duplicateKey`, `uniqueViolation` and `missingReference` with the
  ///   line; `schemaMismatch` where the model is there and does not fit.
  package func run(in store: Store) throws -> Report {
    let (data, notes) = try data.resolved()
    var report = Report(rows: 0, notes: notes)
    var resolved = self
    resolved.data = data
    let stored = try store.models()
    let existing = stored.first { $0.name.utf8.elementsEqual(model.utf8) }
    // The file is read for its types outside the transaction, so that other writers need not wait for it.
    var draft: DataFile.Draft?
    if let existing {
      try resolved.checkReferences(existing)
      if key == .row { resolved.key = .counted(existing.keyProperty.name) }
    } else {
      begin("reading")
      var made = try data.draft(named: model, key: key, indexed: indexed, unique: unique, progress: progress)
      for reference in references { made.model = try made.model.referring(reference, stored) }
      report.notes += made.notes
      draft = made
    }
    report.rows = try resolved.fill(store, draft)
    // Where the store had nothing searchable, the next transaction builds the index.
    if !searchable.isEmpty { try store.write { _ in } }
    return report
  }

  private func fill(_ store: Store, _ draft: DataFile.Draft?) throws -> Int {
    var target: Target?
    do {
      return try store.write(alone: true) { tx in
        if let draft { try tx.apply(.createModel(draft.model)) }
        let found = try self.target(draft, tx)
        target = found
        begin("importing")
        let rows = try load(found, tx)
        try makeSearchable(found.model, tx)
        try tx.finishFilling()
        return rows
      }
    } catch let error as StorageError {
      guard let target, error.key != nil, let located = try? locate(error, target, store) else { throw error }
      throw located
    }
  }

  // MARK: The model

  private func target(_ draft: DataFile.Draft?, _ tx: WriteTransaction) throws -> Target {
    let model = try tx.model(named: model)
    if let draft {
      let slots =
        draft.isKeyCounted || draft.isKeyGenerated
        ? model.liveSlots.filter { $0 != model.primaryKey } : model.shownSlots
      return Target(
        model: model, columns: slots.map { model.properties[$0] }, firstKey: draft.isKeyCounted ? 1 : nil)
    }
    try check(model)
    var columns = try columns(of: model)
    var firstKey: Int64?
    if case .counted = key {
      firstKey = try nextKey(model, tx)
      if data.format == .csv, columns.contains(where: { $0.name.utf8.elementsEqual(model.keyProperty.name.utf8) }) {
        throw StorageError(
          .invalidQuery, "--generate-key \(model.keyProperty.name): the data has a column of that name",
          model: model.name, property: model.keyProperty.name)
      }
      columns.removeAll { $0.name.utf8.elementsEqual(model.keyProperty.name.utf8) }
    }
    try makeIndexes(model, tx)
    // Indexes that were just made are in the model now.
    return Target(model: try tx.model(named: model.name), columns: columns, firstKey: firstKey)
  }

  /// The number after the greatest key.
  func nextKey(_ model: ModelSchema, _ tx: WriteTransaction) throws -> Int64 {
    var query = QueryTree(model: model.name)
    query.order = [QueryTree.SortKey(model.keyProperty.name, isDescending: true)]
    query.limit = 1
    var greatest: Int64 = 0
    try tx.records.forEach(query, columns: [model.keyProperty.name]) { record in
      if case .int(let key) = record.values[0] { greatest = max(0, key) }
    }
    guard greatest < .max else { throw StorageError.limitExceeded("the counted key", limit: .max, actual: .max) }
    return greatest + 1
  }

  /// The properties of a stored model that the file has columns for. JSON may have any of them in any object.
  func columns(of model: ModelSchema) throws(StorageError) -> [PropertySchema] {
    let properties = model.shownSlots.map { model.properties[$0] }
    guard data.format == .csv else { return properties }
    var columns: [PropertySchema] = []
    for (column, name) in try data.columnNames().enumerated() {
      guard let slot = model.slot(named: name), model.keyMembers == nil || slot != model.primaryKey else {
        throw StorageError(
          .schemaMismatch,
          "line 1, column \(column + 1): the model has no property \(name.excerpt)"
            + NearestName.suggestion(for: name, among: properties.map(\.name)),
          model: model.name, property: name)
      }
      columns.append(model.properties[slot])
    }
    var isCounted = false
    if case .counted = key { isCounted = true }
    for property in properties where !property.isOptional && property.defaultValue == nil {
      let isKey = property == model.keyProperty
      if isKey, model.keyGeneration != nil { continue }
      if columns.contains(property) || isKey && isCounted { continue }
      let hint = isKey && property.type == .int64 ? "; --generate-key \(property.name) counts it" : ""
      throw StorageError(
        .schemaMismatch, "line 1: there is no column for \(property.typeName), which is not optional\(hint)",
        model: model.name, property: property.name)
    }
    return columns
  }

  /// Checks the options against an existing model.
  func check(_ model: ModelSchema) throws(StorageError) {
    let name = model.keyNames.joined(separator: ",")
    func checkNames(_ columns: [String]) throws(StorageError) {
      guard name.utf8.elementsEqual(columns.joined(separator: ",").utf8) else {
        throw StorageError(
          .schemaMismatch, "--key \(columns.joined(separator: ",")): the model exists, and its key is \(name)",
          model: model.name)
      }
    }
    switch key {
    case .column(let column): try checkNames([column])
    case .compound(let columns): try checkNames(columns)
    case .counted(let column):
      guard name.utf8.elementsEqual(column.utf8), model.keyProperty.type == .int64 else {
        throw StorageError(
          .schemaMismatch,
          "--generate-key \(column): the model exists, and its key is \(name), \(model.keyProperty.typeName)",
          model: model.name)
      }
    case .generated:
      guard model.keyGeneration != nil else {
        throw StorageError(
          .schemaMismatch, "--key auto: the model exists, and its key \(name) is not generated", model: model.name,
          property: name)
      }
    case .found, .row: break
    }
    for said in data.types {
      let property = model.properties[try QueryBinder(model).slot(said.name)]
      guard property.type == said.type else {
        throw StorageError(
          .schemaMismatch, "--type \(said.name)=\(said.type.name): the model exists and has \(property.typeName)",
          model: model.name, property: property.name)
      }
    }
  }

  /// Creates the indexes that a model lacks.
  private func makeIndexes(_ model: ModelSchema, _ tx: WriteTransaction) throws(StorageError) {
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

  /// Makes columns searchable that are not, and gives them the language.
  private func makeSearchable(_ model: ModelSchema, _ tx: WriteTransaction) throws(StorageError) {
    for column in searchable.withoutRepeats {
      let slot = try QueryBinder(model).slot(column)
      var search = model.properties[slot].search ?? PropertySchema.Search()
      if let language { search.language = language }
      guard search != model.properties[slot].search else { continue }
      try tx.apply(.changeSearch(model.id, slot: slot, search))
    }
  }

  /// Checks references against a model that is there.
  func checkReferences(_ model: ModelSchema) throws(StorageError) {
    for reference in references {
      let property = model.properties[try QueryBinder(model).slot(reference.column)]
      let target = reference.target.split(separator: ".").first.map(String.init) ?? reference.target
      guard property.reference.map({ $0.model.utf8.elementsEqual(target.utf8) }) == true else {
        throw StorageError(
          .schemaMismatch,
          "the model exists, but this property is not a reference to \(target.excerpt); "
            + "quarry migrate --reference makes it a reference",
          model: model.name, property: property.name)
      }
    }
  }

  // MARK: Rows

  private func load(_ target: Target, _ tx: WriteTransaction) throws -> Int {
    var rows = try ImportedRows(data, target.model, target.columns, firstKey: target.firstKey)
    try tx.loadRows(into: target.model) { batch throws(StorageError) in
      while batch.byteCount < Self.batchBytes, let row = try rows.next() { batch.append(row) }
      progress(rows.fraction, rows.count)
    }
    return rows.count
  }

  /// The error with the line of the row that it is about, whose key it has.
  private func locate(_ error: StorageError, _ target: Target, _ store: Store) throws -> StorageError? {
    guard let key = error.key else { return nil }
    var rows = try ImportedRows(data, target.model, target.columns, firstKey: target.firstKey)
    var first: (line: Int, key: Value)?
    while let row = try rows.next() {
      let view = try RowView(row, rows.layout)
      guard KeyText.text(of: view, rows.layout) == key else { continue }
      guard error.code == .duplicateKey else { return error.located(line: rows.line) }
      if first != nil { return error.located(line: rows.line) }
      // The first of two is right, unless the key was stored before.
      first = (rows.line, try view.value(rows.layout.keySlot, rows.layout))
      // The model may be gone with the transaction that was to create it.
      if let value = first?.key, (try? store.records.exists(in: target.model.name, key: value)) == true { break }
    }
    return first.map { error.located(line: $0.line) }
  }
}

extension StorageError {
  fileprivate func located(line: Int) -> StorageError {
    StorageError(code, "line \(line): \(message)", model: model, property: property, key: key, cause: self)
  }
}

extension ModelSchema {
  /// The model with a reference in a column.
  ///
  /// - Parameter stored: The models that the store has.
  /// - Throws: `invalidQuery` for names that are not there, and for a property that is no primary key.
  fileprivate func referring(
    _ reference: TableImport.Reference, _ stored: [ModelSchema]
  ) throws(StorageError) -> ModelSchema {
    let slot = try QueryBinder(self).slot(reference.column)
    let models = stored + [self]
    guard let target = models.first(where: { reference.target.utf8.elementsEqual($0.fullKeyName.utf8) }) else {
      let keys = models.map(\.fullKeyName)
      let hint = NearestName.suggestion(for: reference.target, among: keys)
      throw StorageError(.invalidQuery, "there is no primary key \(reference.target.excerpt)\(hint)", model: name)
    }
    var result = self
    result.properties[slot].reference = PropertySchema.Reference(
      to: target.name, deleteRule: properties[slot].isOptional ? .nullify : .deny)
    if let members = target.keyProperty.keyMembers { result.give(slot, members) }
    if slot != primaryKey, !indexes.contains(where: { $0.columns.first?.slot == slot }) {
      result.indexes.append(IndexSchema(name: properties[slot].name, columns: [IndexSchema.Column(slot: slot)]))
    }
    return result
  }

  /// The names of the model and of its primary key, as an option names them.
  private var fullKeyName: String { "\(name).\(keyNames.joined(separator: ","))" }

  /// Gives a property the type of a reference to an object with a compound key, whatever its texts or arrays look like.
  private mutating func give(_ slot: Int, _ members: [KeyMember]) {
    properties[slot].type = .data
    properties[slot].elementType = nil
    properties[slot].keyMembers = members
    guard let place = keyMembers?.firstIndex(of: slot) else { return }
    properties[primaryKey].keyMembers?[place] = KeyMember(.data, members: members)
  }
}
