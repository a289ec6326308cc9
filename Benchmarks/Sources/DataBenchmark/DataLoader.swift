import BenchmarkHarness
import Foundation
import QuarryBackend
import QuarryData
import QuarryEngines
import QuarryQuery

/// Reads the rows of a source.
struct DataLoader {
  let selection: DataSelection
  /// The file that the rows are written to.
  let path: String
  /// Is asked before the rows are read, with the model, the number of rows and about their bytes.
  let approve: (_ model: ModelSchema, _ rows: Int, _ bytes: Int) throws -> Void
  let progress: (_ words: String, _ fraction: Double) throws -> Void

  func read(_ source: DataSource) throws -> DataRows {
    for column in selection.unique where selection.indexed.contains(where: { $0.utf8.elementsEqual(column.utf8) }) {
      throw BenchmarkError("--unique \(column): the column stands in --index, too")
    }
    let rows =
      switch source.content {
      case .file(let file): try read(file, named: source.modelName ?? "")
      case .store(let url): try read(url)
      }
    guard rows.count > 0 else { throw BenchmarkError("\(source.name) has no rows: there is nothing to measure") }
    return rows
  }

  // MARK: Files

  private func read(_ file: DataFile, named name: String) throws -> DataRows {
    let (new, total) = try file.model(
      named: selection.model ?? name, key: selection.key, indexed: selection.indexed, unique: selection.unique
    ) { fraction, _ in
      try? progress("reading the columns", fraction)
    }
    try progress("reading the columns", 1)
    guard total > 0 else { throw BenchmarkError("\(file.path) has no rows: there is nothing to measure") }
    let model = try Self.stored(new)
    let count = min(total, selection.first ?? total)
    let size = (try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int) ?? 0
    try approve(model, count, Self.estimate(model, count, textBytes: Int(Double(size) * Double(count) / Double(total))))

    var reader = try file.rows(as: model.properties)
    let unique = try slots(of: selection.unique, model)
    let builder = try RowBuilder(model, count, file: path, unique: [model.primaryKey] + unique)
    while builder.count < count, let values = try reader.next() {
      if let clash = try builder.add(values, line: reader.line) {
        let column = model.properties[clash.slot].name
        let isKey = clash.slot == model.primaryKey
        let what = isKey ? "the key \(Self.words(values[clash.slot]))" : Self.value(values[clash.slot])
        let earlier = builder.line(clash.earlier) ?? 0
        throw StorageError(
          isKey ? .duplicateKey : .uniqueViolation,
          "line \(reader.line), column \(column): \(what) is in line \(earlier) already",
          model: model.name, property: column)
      }
      if builder.count % 4096 == 0 { try progress("reading the rows", Double(builder.count) / Double(count)) }
    }
    guard builder.count == count else {
      throw BenchmarkError("\(file.path) has another number of rows than a moment ago: it is being written to")
    }
    return try builder.rows()
  }

  private static func words(_ value: Value) -> String {
    switch value {
    case .string(let text): "“\(text.prefix(40))”"
    case .int(let number): "\(number)"
    case .uuid(let uuid): uuid.uuidString
    default: "of this row"
    }
  }

  /// A value that is there twice.
  private static func value(_ value: Value) -> String {
    if case .string = value { return "the value \(words(value))" }
    return KeyText.text(value).map { "the value \($0.prefix(40))" } ?? "the value of this row"
  }

  /// The slots of columns, each once.
  private func slots(of columns: [String], _ model: ModelSchema) throws -> [Int] {
    var slots: [Int] = []
    for column in columns {
      let slot = try QueryBinder(model).slot(column)
      if slot != model.primaryKey, !slots.contains(slot) { slots.append(slot) }
    }
    return slots
  }

  // MARK: Stores

  private func read(_ url: StoreURL) throws -> DataRows {
    var options = OpenOptions()
    options.createsIfMissing = false
    options.isReadOnly = true
    // The URL's own options go before these: it may not ask for writing.
    var final = url.options(options)
    final.createsIfMissing = false
    final.isReadOnly = true
    let backend = try url.provider.open(final)
    defer { try? backend.close() }
    let transaction = try backend.beginRead()
    defer { transaction.end() }
    let stored = try model(in: transaction.schema)
    let model = try Self.stored(try copy(of: stored))
    let all = BoundQuery(model: stored.id, order: [BoundSortKey(slot: stored.primaryKey)], limit: selection.first)
    let count = try transaction.count(all)
    let bytes = try? backend.statistics().models.first { $0.name == stored.name }?.bytes
    try approve(model, count, Self.estimate(model, count, textBytes: bytes ?? count * 100))

    let layout = RowLayout(stored)
    let slots = stored.liveSlots.map { layout.slots[$0] }
    let builder = try RowBuilder(model, count, file: path, unique: self.slots(of: selection.unique, model))
    try transaction.cursor(all).forEachRow { row in
      let view = try RowView(row, layout)
      var values: [Value] = []
      for slot in slots { values.append(try view.value(slot, layout)) }
      if let clash = try builder.add(values, line: nil) {
        let column = model.properties[clash.slot].name
        let earlier = KeyText.text(try builder.value(clash.earlier, model.primaryKey)) ?? "?"
        let later = KeyText.text(values[model.primaryKey]) ?? "?"
        throw StorageError(
          .uniqueViolation,
          "column \(column): the objects with the keys \(earlier.prefix(40)) and \(later.prefix(40)) both have "
            + Self.value(values[clash.slot]),
          model: model.name, property: column)
      }
      if builder.count % 4096 == 0 { try progress("reading the store", Double(builder.count) / Double(max(1, count))) }
      return true
    }
    return try builder.rows()
  }

  /// The model that is asked for, or the only one.
  private func model(in schema: Schema) throws -> ModelSchema {
    let names = schema.models.map(\.name)
    guard let name = selection.model else {
      if schema.models.count == 1 { return schema.models[0] }
      throw BenchmarkError("the store has \(names.count) models: --model names one of \(names.joined(separator: ", "))")
    }
    if let model = schema.model(named: name) { return model }
    throw StorageError(
      .invalidQuery, "there is no model \(name)" + NearestName.suggestion(for: name, among: names), model: name)
  }

  /// A stored model without what it has lost, and with the indexes that are asked for.
  private func copy(of stored: ModelSchema) throws(StorageError) -> ModelSchema {
    if let key = selection.key, !key.utf8.elementsEqual(stored.keyProperty.name.utf8) {
      throw StorageError(
        .schemaMismatch, "--key \(key): the model is there and its key is \(stored.keyProperty.name)",
        model: stored.name)
    }
    let live = stored.liveSlots
    let places = Dictionary(uniqueKeysWithValues: live.enumerated().map { ($1, $0) })
    var indexes = stored.indexes.map { index in
      IndexSchema(
        name: index.name,
        columns: index.columns.map { .init(slot: places[$0.slot] ?? 0, isDescending: $0.isDescending) },
        isUnique: index.isUnique)
    }
    let wanted = selection.unique.map { ($0, true) } + selection.indexed.map { ($0, false) }
    for (column, isUnique) in wanted {
      let slot = places[try QueryBinder(stored).slot(column)] ?? 0
      let isThere = indexes.contains { index in
        isUnique ? index.isUnique && index.columns.map(\.slot) == [slot] : index.columns.first?.slot == slot
      }
      guard !isThere else { continue }
      // A plain index over the column has its name already where it is to become unique too.
      let isTaken = indexes.contains { $0.name.utf8.elementsEqual(column.utf8) }
      let name = isTaken ? "\(column)_\(isUnique ? "unique" : "index")" : column
      indexes.append(IndexSchema(name: name, columns: [.init(slot: slot)], isUnique: isUnique))
    }
    return ModelSchema(
      name: stored.name, properties: live.map { stored.properties[$0] }, primaryKey: places[stored.primaryKey] ?? 0,
      indexes: indexes)
  }

  // MARK: Models

  /// The model as a new store has it, with the ids that it allots.
  private static func stored(_ new: ModelSchema) throws -> ModelSchema {
    let backend = try StoreURL(parsing: "memory:").open(OpenOptions())
    defer { try? backend.close() }
    let transaction = try backend.beginWrite(WriteOptions())
    defer { transaction.end() }
    try transaction.apply(.createModel(new))
    guard let model = transaction.schema.model(named: new.name) else {
      throw BenchmarkError("the model \(new.name) cannot be made")
    }
    return model
  }

  /// About the bytes of all rows in the row format.
  private static func estimate(_ model: ModelSchema, _ rows: Int, textBytes: Int) -> Int {
    let fixed = model.properties.reduce(8 + model.properties.count / 8) { $0 + $1.type.fixedWidth }
    let (product, overflow) = rows.multipliedReportingOverflow(by: fixed)
    let (sum, overflow2) = product.addingReportingOverflow(textBytes)
    return overflow || overflow2 ? .max : sum
  }
}

extension RowCursor {
  /// Calls the body with every row until it returns false, and closes the cursor.
  func forEachRow(_ body: (UnsafeRawBufferPointer) throws -> Bool) throws {
    defer { close() }
    let pointers = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: 64)
    defer { pointers.deallocate() }
    while true {
      let count = try fill(pointers)
      guard count > 0 else { return }
      for index in 0..<count where !(try body(pointers[index])) { return }
    }
  }
}
