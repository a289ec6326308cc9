import Foundation
import QuarryBackend
import QuarryKeyValue

/// An engine under test, with keys and values as arrays and texts.
struct KeyValueStage<Engine: KeyValueEngine>: Sendable {
  let engine: Engine

  /// Throws unless the engine said this of what was there, where it knows that.
  func expectKnown<T: Equatable>(
    _ said: T, _ expected: T, _ about: @autoclosure () -> String = "", file: String = #fileID, line: Int = #line
  ) throws {
    guard engine.properties.knowsPresence else { return }
    try expectEqual(said, expected, about(), file: file, line: line)
  }

  func read<R>(_ body: (Engine.ReadTransaction) throws -> R) throws -> R {
    let transaction = try engine.beginRead()
    defer { transaction.end() }
    return try body(transaction)
  }

  @discardableResult
  func write<R>(_ body: (Engine.WriteTransaction) throws -> R) throws -> R {
    let transaction = try engine.beginWrite(timeout: 5)
    defer { transaction.end() }
    let result = try body(transaction)
    _ = try transaction.commit()
    return result
  }

  /// Stores texts as keys, each with itself turned round as its value.
  func fill(_ keys: [String]) throws {
    try write { tx in
      for key in keys { try tx.put(1, Array(key.utf8), Array(key.utf8.reversed())) }
    }
  }
}

extension KeyValueReadTransaction {
  func value(_ tree: TreeID, _ key: [UInt8]) throws -> [UInt8]? {
    try lend(key) { (bytes) throws(StorageError) in try get(tree, bytes).map { Array($0) } }
  }

  func value(_ tree: TreeID, _ key: String) throws -> String? {
    try value(tree, Array(key.utf8)).map { String(decoding: $0, as: UTF8.self) }
  }

  func keys(_ tree: TreeID, _ range: KeyRange = .all, descending: Bool = false) throws -> [[UInt8]] {
    var cursor = try cursor(tree, range, descending: descending)
    var keys: [[UInt8]] = []
    while let entry = try cursor.next() { keys.append(Array(entry.key)) }
    return keys
  }

  func texts(_ tree: TreeID = 1, _ range: KeyRange = .all, descending: Bool = false) throws -> [String] {
    try keys(tree, range, descending: descending).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The values of the range, asked for in batches of that many.
  func values(
    _ tree: TreeID, _ range: KeyRange = .all, descending: Bool = false, batch: Int
  ) throws -> [[UInt8]] {
    var cursor = try cursor(tree, range, descending: descending)
    let pointers = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: batch)
    defer { pointers.deallocate() }
    var values: [[UInt8]] = []
    while true {
      let count = try cursor.fill(pointers)
      guard count > 0 else { return values }
      for place in 0..<count { values.append(Array(pointers[place])) }
    }
  }
}

extension KeyValueWriteTransaction {
  @discardableResult
  func put(_ tree: TreeID, _ key: [UInt8], _ value: [UInt8]) throws -> Bool {
    try lend(key) { (key) throws(StorageError) in
      try lend(value) { (value) throws(StorageError) in try put(tree, key, value) }
    }
  }

  @discardableResult
  func put(_ tree: TreeID, _ key: String, _ value: String = "") throws -> Bool {
    try put(tree, Array(key.utf8), Array(value.utf8))
  }

  func insert(_ tree: TreeID, _ key: String, _ value: String = "") throws -> Bool {
    try lend(Array(key.utf8)) { (key) throws(StorageError) in
      try lend(Array(value.utf8)) { (value) throws(StorageError) in try insert(tree, key, value) }
    }
  }

  @discardableResult
  func delete(_ tree: TreeID, _ key: String) throws -> Bool {
    try lend(Array(key.utf8)) { (key) throws(StorageError) in try delete(tree, key) }
  }
}

extension KeyRange {
  static func texts(_ lower: String?, _ upper: String?) -> KeyRange {
    KeyRange(lower: lower.map { Array($0.utf8) }, upper: upper.map { Array($0.utf8) })
  }
}
