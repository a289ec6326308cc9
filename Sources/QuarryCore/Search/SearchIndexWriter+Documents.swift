import QuarryBackend

// The rows of documents and objects.

extension SearchIndexWriter {
  func writeDocuments() throws(StorageError) {
    let byRow = Dictionary(grouping: documents.keys) { $0 / SearchKey.documentsOfRow }
    let numbers = byRow.keys.sorted()
    // Rows behind the last number that was given are new, and need no read.
    let next = written?.next ?? 0
    let old = numbers.filter { model.numbering == .assigned ? $0 * SearchKey.documentsOfRow < next : written != nil }
    var stored: [UInt64: SearchDocuments] = [:]
    try base.rows(index.id, old.map { SearchKey.documents($0) }) { place, row throws(StorageError) in
      if let row { stored[old[place]] = try SearchDocuments(decoding: value(row), of: model) }
    }
    var changes = RowChanges()
    for number in numbers {
      var content = stored[number] ?? SearchDocuments()
      for document in byRow[number] ?? [] {
        content.documents[document % SearchKey.documentsOfRow] = documents[document].flatMap { $0 }
      }
      let value = content.documents.isEmpty ? nil : content.encoded(model.numbering)
      try changes.set(SearchKey.documents(number), value, isStored: stored[number] != nil, self)
    }
    try changes.write(base, index.id)
  }

  func writeObjects() throws(StorageError) {
    var rows: [Key: SearchObjects] = [:]
    var stored: Set<Key> = []
    let long = objects.keys.filter { SearchKey.isLong($0) }.map { SearchKey.object($0) }
    try base.rows(index.id, long) { place, row throws(StorageError) in
      guard let row else { return }
      rows[long[place]] = try SearchObjects(decoding: value(row))
      stored.insert(long[place])
    }
    for (key, number) in objects {
      let row = SearchKey.object(key)
      rows[row, default: SearchObjects()].set(key, number)
      // An object that went was there, and one that came was not.
      if number == nil { stored.insert(row) }
    }
    var changes = RowChanges()
    for (key, content) in rows.sorted(by: { $0.key < $1.key }) {
      try changes.set(key, content.numbers.isEmpty ? nil : content.encoded, isStored: stored.contains(key), self)
    }
    try changes.write(base, index.id)
  }
}

/// Rows of an index to be written together, in the order of their keys.
struct RowChanges: ~Copyable {
  private var inserted = RowBatch()
  private var replaced = RowBatch()
  private var removed: [Key] = []

  /// Sets the value of a row, or removes the row.
  ///
  /// - Parameter isStored: Whether there is such a row.
  mutating func set(
    _ key: Key, _ value: [UInt8]?, isStored: Bool, _ writer: SearchIndexWriter
  ) throws(StorageError) {
    guard let value else {
      if isStored { removed.append(key) }
      return
    }
    let row = try writer.row(key, value)
    if isStored { replaced.append(row) } else { inserted.append(row) }
  }

  consuming func write(_ base: any BackendWriteTransaction, _ index: ModelID) throws(StorageError) {
    if !removed.isEmpty { _ = try base.delete(index, removed) }
    if replaced.count > 0 { _ = try base.upsert(index, replaced, .replace) }
    if inserted.count > 0 { try base.insert(index, inserted) }
  }
}
