import Foundation
import QuarryBackend
import QuarryEncryption
import QuarryTestSupport
import Testing

@testable import QuarrySQLite

/// Sealed stores for tests: what is in them is known, and nothing of it may be seen in any file.
enum SealedStore {
  static let model = ModelSchema(
    name: "CanaryModel",
    properties: [
      PropertySchema(name: "canaryKey", type: .int64),
      PropertySchema(name: "canaryText", type: .string),
      PropertySchema(name: "canaryCount", type: .int64),
    ], primaryKey: 0,
    indexes: [IndexSchema(name: "canaryIndex", columns: [.init(slot: 1)])])

  /// What would be in a plain store's files.
  private static let canaries = ["CANARY", "CanaryModel", "canary", "_quarry", "SQLite format"].map { Array($0.utf8) }

  static func key(_ number: UInt8 = 1) -> Encryption {
    // 32 bytes are enough for any key.
    guard let key = try? EncryptionKey([UInt8](repeating: number, count: 32)) else { return Encryption(NoKey()) }
    return Encryption(key)
  }

  static func options(_ key: UInt8? = 1, _ change: (inout OpenOptions) -> Void = { _ in }) -> OpenOptions {
    var options = OpenOptions()
    options.encryption = key.map { Self.key($0) }
    options.busyTimeout = 1
    change(&options)
    return options
  }

  static func open(_ path: String, _ key: UInt8? = 1) throws -> SQLiteBackend {
    try SQLiteBackend(SQLiteConfiguration(path: path), options(key))
  }

  static func row(_ id: Int64, _ count: Int64 = 0) -> [Value] {
    [.int(id), .string("CANARY \(id) " + String(repeating: "canary", count: 30)), .int(count)]
  }

  static func store(_ rows: Range<Int64> = 0..<60, key: UInt8? = 1) throws -> TestStore {
    let store = try TestStore(model, options: options(key))
    if !rows.isEmpty { try store.insert(rows.map { row($0) }) }
    return store
  }

  /// Changes the count of every row.
  static func count(_ store: TestStore, to count: Int64) throws {
    try store.write { transaction in
      _ = try transaction.update(store.query(), [BoundAssignment(slot: 2, operation: .set, value: .int(count))])
    }
  }

  // MARK: Files

  static func bytes(_ path: String) -> [UInt8] { FileManager.default.contents(atPath: path).map { Array($0) } ?? [] }

  static func write(_ bytes: some Sequence<UInt8>, to path: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  /// Every file of a directory with its bytes.
  static func files(_ directory: TestDirectory) -> [String: [UInt8]] {
    Dictionary(uniqueKeysWithValues: directory.contents.map { ($0, bytes(directory.file($0))) })
  }

  /// Another directory with the files, as a process leaves them that is killed: without the index of the log.
  static func directory(_ files: [String: [UInt8]]) throws -> TestDirectory {
    let directory = try TestDirectory()
    for (name, bytes) in files where !name.hasSuffix("-shm") { try write(bytes, to: directory.file(name)) }
    return directory
  }

  /// The files that have something of a store in the clear.
  static func leaks(_ directory: TestDirectory) -> [String] {
    files(directory).filter { _, bytes in
      bytes.withUnsafeBytes { bytes in canaries.contains { contains(bytes, $0) } }
    }.map(\.key)
  }

  static func contains(_ bytes: UnsafeRawBufferPointer, _ text: [UInt8]) -> Bool {
    guard var place = bytes.baseAddress, let first = text.first else { return false }
    let end = place + bytes.count
    while end - place >= text.count, let hit = memchr(place, Int32(first), end - place) {
      let found = UnsafeRawPointer(hit)
      if end - found >= text.count, memcmp(found, text, text.count) == 0 { return true }
      place = found + 1
    }
    return false
  }

  // MARK: Content

  /// The rows of a store as another process finds them, through the table and through the index.
  static func rows(_ path: String, _ key: UInt8? = 1) throws -> [[Value]] {
    let backend = try open(path, key)
    defer { try? backend.close() }
    return try rows(backend)
  }

  static func rows(_ backend: some Backend) throws -> [[Value]] {
    let transaction = try backend.beginRead()
    defer { transaction.end() }
    guard let model = transaction.schema.models.first else { return [] }
    let layout = RowLayout(model)
    let query = { (slot: Int) in
      BoundQuery(
        model: model.id, predicate: .constant(true), order: [BoundSortKey(slot: slot)], limit: nil, offset: 0)
    }
    let byKey = try TestStore.fetch(transaction, query(0), layout)
    let byText = try TestStore.fetch(transaction, query(1), layout)
    guard byText.count == byKey.count else { throw StorageError(.corrupt, "the index has other rows") }
    return byKey
  }
}
