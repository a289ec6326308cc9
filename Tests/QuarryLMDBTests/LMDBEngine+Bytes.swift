import Foundation
import QuarryBackend
import QuarryKeyValue

@testable import QuarryLMDB

extension KeyValueReadTransaction {
  func get(_ tree: TreeID, _ key: [UInt8]) throws(StorageError) -> [UInt8]? {
    var result: [UInt8]?
    try lend(key) { bytes throws(StorageError) in result = try get(tree, bytes).map { Array($0) } }
    return result
  }

  func keys(_ tree: TreeID, _ range: KeyRange = .all, descending: Bool = false) throws(StorageError) -> [[UInt8]] {
    var cursor = try cursor(tree, range, descending: descending)
    var keys: [[UInt8]] = []
    while let (key, _) = try cursor.next() { keys.append(Array(key)) }
    return keys
  }

  /// All entries of some trees.
  func contents(_ trees: some Sequence<TreeID>) throws(StorageError) -> [[[UInt8]: [UInt8]]] {
    var result: [[[UInt8]: [UInt8]]] = []
    for tree in trees {
      var entries: [[UInt8]: [UInt8]] = [:]
      var cursor = try cursor(tree, .all, descending: false)
      while let (key, value) = try cursor.next() { entries[Array(key)] = Array(value) }
      result.append(entries)
    }
    return result
  }
}

extension KeyValueWriteTransaction {
  @discardableResult
  func put(_ tree: TreeID, _ key: [UInt8], _ value: [UInt8]) throws(StorageError) -> Bool {
    var result = false
    try lend(key) { key throws(StorageError) in
      try lend(value) { value throws(StorageError) in result = try put(tree, key, value) }
    }
    return result
  }

  func insert(_ tree: TreeID, _ key: [UInt8], _ value: [UInt8]) throws(StorageError) -> Bool {
    var result = false
    try lend(key) { key throws(StorageError) in
      try lend(value) { value throws(StorageError) in result = try insert(tree, key, value) }
    }
    return result
  }

  func delete(_ tree: TreeID, _ key: [UInt8]) throws(StorageError) -> Bool {
    var result = false
    try lend(key) { key throws(StorageError) in result = try delete(tree, key) }
    return result
  }
}

/// Lends the bytes to a body with a typed throw.
func lend(
  _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
) throws(StorageError) {
  let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
  defer { copy.deallocate() }
  copy.copyBytes(from: bytes)
  try body(UnsafeRawBufferPointer(copy))
}

extension LMDBEngine {
  /// Writes in a transaction of its own.
  @discardableResult
  func write(_ body: (LMDBWriteTransaction) throws(StorageError) -> Void) throws(StorageError) -> CommitVersion {
    let transaction = try beginWrite(timeout: 5)
    try body(transaction)
    return try transaction.commit()
  }

  func value(_ tree: TreeID, _ key: [UInt8]) throws(StorageError) -> [UInt8]? {
    var result: [UInt8]?
    try lend(key) { key throws(StorageError) in
      _ = try withValue(tree, key) { value throws(StorageError) in result = Array(value) }
    }
    return result
  }
}

/// The error that the body throws, or nil.
func failure(_ body: () throws(StorageError) -> Void) -> StorageError? {
  do {
    try body()
    return nil
  } catch {
    return error
  }
}

/// The code that the body throws, or nil.
func code(_ body: () throws(StorageError) -> Void) -> StorageError.Code? { failure(body)?.code }

/// A big-endian number, whose bytes have the order of the numbers.
func key(_ number: Int) -> [UInt8] { withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) } }

/// A folder for one test, with the path of a store in it.
final class Place: Sendable {
  let folder: String
  var path: String { folder + "/store.lmdb" }

  init() throws {
    folder = FileManager.default.temporaryDirectory.path + "/quarry-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }

  func open(
    readOnly: Bool = false, creates: Bool = true, mapBytes: Int = 1 << 30, readers: Int = 126, path: String? = nil,
    durability: BackendManifest.Durability = .none
  ) throws(StorageError) -> LMDBEngine {
    var options = OpenOptions()
    options.isReadOnly = readOnly
    options.createsIfMissing = creates
    options.durability = durability
    options.busyTimeout = 0.2
    return try LMDBEngine(LMDBConfiguration(path: path ?? self.path, mapBytes: mapBytes, readers: readers), options)
  }
}

/// Runs a program and gives back what it printed.
func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = [program] + arguments
  let pipe = Pipe()
  process.standardOutput = pipe
  process.standardError = pipe
  try process.run()
  let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
  process.waitUntilExit()
  return (process.terminationStatus, String(decoding: output, as: UTF8.self))
}
