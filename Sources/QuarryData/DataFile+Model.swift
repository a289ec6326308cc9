public import QuarryBackend

extension DataFile {
  /// The model formed by the columns of a file.
  package struct Draft: Sendable {
    /// Without ids of a store.
    package var model: ModelSchema
    /// The number of rows in the file.
    package var rows: Int
    /// Whether the key is no column of the file but counted: 1 for the first row, 2 for the second.
    package var isKeyCounted: Bool
    /// The notes for a person on how the model was inferred.
    package var notes: [String]
  }

  /// Reads the whole file and creates the model of its columns: one property for each, with a type that holds the column's
  /// values.
  ///
  /// - Parameters:
  ///   - name: The model's name.
  ///   - key: The column that is the primary key.
  ///   - indexed: Columns to index; each once, however often it is named.
  ///   - unique: Columns whose values are unique.
  ///   - progress: Reports how much has been read.
  /// - Returns: The model, without ids of a store, and the number of rows in the file.
  /// - Throws: `invalidQuery` for a column that does not exist, with the nearest name. `missingValue`, with the line, for a key
  ///   that is nil in some row. `invalidValue` for JSON without rows; as ``infer(progress:)``.
  public func model(
    named name: String, key: String, indexed: [String] = [], unique: [String] = [],
    progress: Progress = { _, _ in }
  ) throws(StorageError) -> (model: ModelSchema, rows: Int) {
    let draft = try draft(named: name, key: .column(key), indexed: indexed, unique: unique, progress: progress)
    return (draft.model, draft.rows)
  }

  /// The choice of the primary key of a new model.
  package enum Key: Sendable, Hashable {
    /// This column.
    case column(String)
    /// A property of this name, which is no column, with the number of each row.
    case counted(String)
    /// A column whose values all differ, or else a counted one.
    case found
  }

  /// As ``model(named:key:indexed:unique:progress:)``, with other keys.
  package func draft(
    named name: String, key: Key, indexed: [String] = [], unique: [String] = [],
    progress: Progress = { _, _ in }
  ) throws(StorageError) -> Draft {
    let inference = try infer(findsKey: key == .found, progress)
    var properties = inference.properties
    guard !properties.isEmpty else {
      throw StorageError(
        .invalidValue,
        "\(path.escapedForDisplay) has no rows, and without rows JSON has no columns to make a model of: "
          + "the model has to be there, or the data in CSV, whose header has the names", model: name)
    }
    var notes = inference.notes
    var keySlot = 0
    var isCounted = false
    switch key {
    case .column(let column):
      keySlot = try Self.slot(column, "--key", properties, name)
      if properties[keySlot].isOptional {
        let line = inference.firstNulls[keySlot].map { "line \($0), column \(column.escapedForDisplay): " } ?? ""
        throw StorageError(.missingValue, "\(line)the key has no value", model: name, property: column)
      }
    case .counted(let column):
      guard !Self.isTaken(column, properties) else {
        throw StorageError(
          .invalidQuery, "--generate-key \(column): the data has a column of that name", model: name, property: column)
      }
      properties.insert(PropertySchema(name: column, type: .int64), at: 0)
      isCounted = true
    case .found:
      if let column = inference.uniqueColumns.first {
        keySlot = column
        notes.append(
          "the key is \(properties[column].name.escapedForDisplay): its values all differ (--key names another)")
      } else {
        let column = Self.freeName(properties)
        properties.insert(PropertySchema(name: column, type: .int64), at: 0)
        isCounted = true
        notes.append("the key is \(column), the number of the row: no column was found whose values all differ")
      }
    }
    var indexes: [IndexSchema] = []
    for column in unique.withoutRepeats {
      let slot = try Self.slot(column, "--unique", properties, name)
      indexes.append(IndexSchema(name: column, columns: [.init(slot: slot)], isUnique: true))
    }
    for column in indexed.withoutRepeats where !unique.contains(where: { $0.utf8.elementsEqual(column.utf8) }) {
      indexes.append(
        IndexSchema(name: column, columns: [.init(slot: try Self.slot(column, "--index", properties, name))]))
    }
    return Draft(
      model: ModelSchema(name: name, properties: properties, primaryKey: keySlot, indexes: indexes),
      rows: inference.rows, isKeyCounted: isCounted, notes: notes)
  }

  private static func slot(
    _ column: String, _ option: String, _ properties: [PropertySchema], _ model: String
  ) throws(StorageError) -> Int {
    if let slot = properties.firstIndex(where: { $0.name.utf8.elementsEqual(column.utf8) }) { return slot }
    throw StorageError(
      .invalidQuery,
      "\(option) \(column): the data has no such column"
        + NearestName.suggestion(for: column, among: properties.map(\.name)),
      model: model, property: column)
  }

  /// Whether a property has the name, or one that differs in case alone.
  private static func isTaken(_ name: String, _ properties: [PropertySchema]) -> Bool {
    properties.contains { $0.name.loweredASCII.utf8.elementsEqual(name.loweredASCII.utf8) }
  }

  private static func freeName(_ properties: [PropertySchema]) -> String {
    if let name = ["id", "row", "row_number"].first(where: { !isTaken($0, properties) }) { return name }
    var number = 2
    while isTaken("row_\(number)", properties) { number += 1 }
    return "row_\(number)"
  }
}

extension [String] {
  /// Each once, by its bytes.
  package var withoutRepeats: [String] {
    var seen: Set<ByteString> = []
    return filter { seen.insert(ByteString($0)).inserted }
  }
}
