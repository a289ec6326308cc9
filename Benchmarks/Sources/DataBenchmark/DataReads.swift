import BenchmarkHarness
import QuarryBackend

/// Reads an open store, each time in a transaction of its own, on any thread.
struct DataReads: Sendable {
  private let backend: any Backend
  private let model: ModelSchema
  private let layout: RowLayout

  init(_ backend: any Backend, _ model: ModelSchema, _ layout: RowLayout) {
    self.backend = backend
    self.model = model
    self.layout = layout
  }

  /// The number that stands for the row with a key, every field of which is read; nil where there is none.
  func digest(_ key: Key) throws(StorageError) -> UInt64? {
    var digest: UInt64?
    _ = try key.bytes.lent { key throws(StorageError) in
      try backend.withRow(model.id, key) { row throws(StorageError) in digest = try AnswerDigest.of(row, layout) }
    }
    return digest
  }

  /// Lends the rows of a query, one after the other.
  func rows(_ query: BoundQuery, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    let transaction = try backend.beginRead()
    defer { transaction.end() }
    var query = query
    query.model = model.id
    try transaction.cursor(query).forEachRow { row in
      try body(row)
      return true
    }
  }
}

extension [UInt8] {
  /// Lends the bytes.
  func lent<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
    let result: Result<R, StorageError> = withUnsafeBytes { bytes in
      do throws(StorageError) {
        return .success(try body(bytes))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
