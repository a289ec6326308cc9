import BenchmarkHarness
import CBenchSQLite
import CBenchSQLiteFunctions
import Foundation

/// A prepared statement.
struct RawStatement {
  private let pointer: OpaquePointer?
  private let library: SQLiteLibrary

  init(_ pointer: OpaquePointer?, _ library: SQLiteLibrary) {
    self.pointer = pointer
    self.library = library
  }

  /// What stands for a statement before it is prepared.
  static func none(_ library: SQLiteLibrary) -> RawStatement { RawStatement(nil, library) }

  private var functions: UnsafePointer<bench_sqlite_functions> { library.functions }

  func bind(_ index: CInt, _ value: Int64) { _ = functions.pointee.bind_int64(pointer, index, value) }
  func bind(_ index: CInt, _ value: Double) { _ = functions.pointee.bind_double(pointer, index, value) }
  func bindNull(_ index: CInt) { _ = functions.pointee.bind_null(pointer, index) }

  /// The bytes must live until the statement is reset.
  func bind(_ index: CInt, _ text: UnsafeBufferPointer<UInt8>) {
    text.withMemoryRebound(to: CChar.self) { text in
      // No destructor is SQLITE_STATIC.
      _ = functions.pointee.bind_text(pointer, index, text.baseAddress, CInt(text.count), nil)
    }
  }

  /// Whether there is a row.
  func step() throws -> Bool {
    switch functions.pointee.step(pointer) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default:
      let message = library.message(functions.pointee.db_handle(pointer))
      reset()
      throw BenchmarkError("\(library.name): \(message)")
    }
  }

  func run() throws {
    while try step() {}
    reset()
  }

  func reset() { _ = functions.pointee.reset(pointer) }
  func finalize() { _ = functions.pointee.finalize(pointer) }

  func integer(_ column: CInt) -> Int64 { functions.pointee.column_int64(pointer, column) }
  func double(_ column: CInt) -> Double { functions.pointee.column_double(pointer, column) }

  /// The text of a column, read as far as its first byte; its length.
  func length(_ column: CInt) -> Int {
    guard functions.pointee.column_text(pointer, column) != nil else { return -1 }
    return Int(functions.pointee.column_bytes(pointer, column))
  }

  /// Reads every column of a person.
  @inline(__always)
  func add(to digest: inout Digest) {
    digest.add(
      id: integer(0), name: length(1), email: length(2), age: Int(integer(3)), score: double(4), created: double(5),
      active: integer(6) != 0, notes: length(7))
  }

  func text(_ column: CInt) -> String? {
    guard let bytes = functions.pointee.column_text(pointer, column) else { return nil }
    let count = Int(functions.pointee.column_bytes(pointer, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  func person() -> Person {
    Person(
      id: integer(0), name: text(1) ?? "", email: text(2) ?? "", age: Int(integer(3)), score: double(4),
      created: Date(timeIntervalSinceReferenceDate: double(5)), active: integer(6) != 0, notes: text(7))
  }
}

extension String {
  /// Lends the bytes.
  @inline(__always)
  func withUTF8Bytes<R>(_ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
    if let result = try utf8.withContiguousStorageIfAvailable(body) { return result }
    var copy = self
    return try copy.withUTF8(body)
  }
}
