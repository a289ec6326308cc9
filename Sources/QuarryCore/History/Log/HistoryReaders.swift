import QuarryBackend

/// The named readers of a log: how far each has read.
struct HistoryReaders {
  private let models: HistoryModels

  init(_ models: HistoryModels) {
    self.models = models
  }

  static let nameBytes = 255

  /// The first position that a reader has not read; the greatest number where there are no readers.
  func firstNeeded(in transaction: any BackendReadTransaction) throws(StorageError) -> Int64 {
    var first = Int64.max
    try models.readers.forEach(in: transaction) { values throws(StorageError) in
      first = min(first, try values.integer(1) + 1)
      return true
    }
    return first
  }

  func position(_ name: String, in transaction: any BackendReadTransaction) throws(StorageError) -> HistoryPosition? {
    guard let values = try models.readers.find(.string(name), in: transaction) else { return nil }
    return HistoryPosition(try values.integer(1))
  }

  func all(in transaction: any BackendReadTransaction) throws(StorageError) -> [(
    name: String, position: HistoryPosition
  )] {
    var result: [(name: String, position: HistoryPosition)] = []
    try models.readers.forEach(in: transaction) { values throws(StorageError) in
      result.append((try values.text(0), HistoryPosition(try values.integer(1))))
      return true
    }
    return result
  }

  func set(
    _ name: String, _ position: HistoryPosition, in transaction: any BackendWriteTransaction
  ) throws(StorageError) {
    guard !name.isEmpty else { throw StorageError(.invalidValue, "the name of a reader is empty") }
    guard name.utf8.count <= Self.nameBytes else {
      throw .limitExceeded("bytes of a reader's name", limit: Self.nameBytes, actual: name.utf8.count)
    }
    try models.readers.upsert([.string(name), .int(position.number), .int(HistoryTime.now)], in: transaction)
  }

  func remove(_ name: String, in transaction: any BackendWriteTransaction) throws(StorageError) -> Bool {
    try transaction.delete(models.readers.id, [try Key.primary(.string(name), models.readers.schema)]) == 1
  }
}
