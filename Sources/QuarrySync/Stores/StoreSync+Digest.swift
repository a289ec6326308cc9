import QuarryBackend
import QuarryCore

extension StoreSync {
  /// The digest of all synced objects in the tables: equal where two programs read the same.
  ///
  /// - Throws: `notFound` when sync was ended in the store; `corrupt`, `io`, and the other errors of a read.
  /// - Complexity: O(n) for n objects, in constant memory.
  public func digest() throws -> SyncDigest {
    try reading { work in try work.digest() }
  }

  /// Compares the tables with what the records show, and names the objects that differ.
  ///
  /// An object differs after a write of a program without sync, or by a defect. A record without values of its own cannot show
  /// that such a program has changed a value.
  ///
  /// - Returns: The objects as text; none where all is well.
  /// - Throws: As ``digest()``.
  /// - Complexity: O(n log n) for n objects, all of them in memory.
  public func check() throws -> [String] {
    try reading { work in
      try work.loadAll()
      let shown = work.replica.view.tables()
      let objects = Set(shown.keys).union(work.current.keys).sorted()
      return objects.filter { shown[$0] != work.current[$0] }.map { work.schema.shown($0).description }
    }
  }

  func heldCount() throws -> Int { try reading { work in try work.heldCount() } }

  package func knowledge() throws -> Knowledge { try reading { $0.state.knowledge } }

  func shape() throws -> [String] { try reading { $0.schema.shape } }
}

extension StoredWork {
  /// The digest of all synced objects in the tables.
  func digest() throws(StorageError) -> SyncDigest {
    var digest = TableDigest()
    for name in schema.sync.models.keys.sorted() {
      try schema.tables[name]?.forEach(in: transaction) { object, row throws(StorageError) in digest.add(object, row) }
    }
    return digest.finish()
  }
}

/// A digest over rows that come in order. Blocks of a megabyte are hashed with the hash of the blocks before.
struct TableDigest {
  private var writer = Self.start([])

  private static func start(_ hash: [UInt8]) -> ByteWriter {
    var writer = ByteWriter()
    writer.raw(Array("QSYN tables 1".utf8))
    writer.raw(hash)
    return writer
  }

  mutating func add(_ object: ObjectID, _ row: SyncRow) {
    writer.text(object.model)
    writer.raw(object.key.syncBytes)
    writer.count(row.count)
    for (column, value) in row.sorted(by: { $0.key < $1.key }) {
      writer.text(column)
      writer.raw(value.syncBytes)
    }
    if writer.bytes.count >= 1 << 20 { writer = Self.start(SyncHash.sha256(writer.bytes)) }
  }

  func finish() -> SyncDigest { SyncDigest(writer) }
}
