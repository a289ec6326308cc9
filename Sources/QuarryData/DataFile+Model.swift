public import QuarryBackend

extension DataFile {
  /// Reads the whole file and makes the model that its columns are: one property for each, with the type that holds
  /// what the column says.
  ///
  /// - Parameters:
  ///   - name: The model's name.
  ///   - key: The column that is the primary key.
  ///   - indexed: Columns to index; each once, however often it is named.
  ///   - unique: Columns whose values are unique.
  ///   - progress: Is told how far the reading is.
  /// - Returns: The model, without ids of a store, and the number of rows in the file.
  /// - Throws: `invalidQuery` for a column that is not there, with the nearest name; `missingValue` with the line for a
  ///   key that is nil somewhere; `invalidValue` for JSON Lines without rows; as ``infer(progress:)``.
  public func model(
    named name: String, key: String, indexed: [String] = [], unique: [String] = [],
    progress: Progress = { _, _ in }
  ) throws(StorageError) -> (model: ModelSchema, rows: Int) {
    let inference = try infer(progress: progress)
    let properties = inference.properties
    guard !properties.isEmpty else {
      throw StorageError(
        .invalidValue,
        "\(path.escapedForDisplay) has no rows, and without rows JSON Lines has no columns to make a model of: "
          + "the model has to be there, or the data in CSV, whose header has the names", model: name)
    }
    func slot(_ column: String, _ option: String) throws(StorageError) -> Int {
      if let slot = properties.firstIndex(where: { $0.name.utf8.elementsEqual(column.utf8) }) { return slot }
      throw StorageError(
        .invalidQuery,
        "\(option) \(column): the data has no such column"
          + NearestName.suggestion(for: column, among: properties.map(\.name)),
        model: name, property: column)
    }
    let keySlot = try slot(key, "--key")
    if properties[keySlot].isOptional {
      let line = inference.firstNulls[keySlot].map { "line \($0), column \(key.escapedForDisplay): " } ?? ""
      throw StorageError(.missingValue, "\(line)the key has no value", model: name, property: key)
    }
    var indexes: [IndexSchema] = []
    for column in unique.withoutRepeats {
      indexes.append(IndexSchema(name: column, columns: [.init(slot: try slot(column, "--unique"))], isUnique: true))
    }
    for column in indexed.withoutRepeats where !unique.contains(where: { $0.utf8.elementsEqual(column.utf8) }) {
      indexes.append(IndexSchema(name: column, columns: [.init(slot: try slot(column, "--index"))]))
    }
    return (
      ModelSchema(name: name, properties: properties, primaryKey: keySlot, indexes: indexes), inference.rows
    )
  }
}

extension [String] {
  /// Each once, by its bytes.
  package var withoutRepeats: [String] {
    var seen: Set<ByteString> = []
    return filter { seen.insert(ByteString($0)).inserted }
  }
}
