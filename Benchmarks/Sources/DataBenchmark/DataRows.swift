import BenchmarkHarness
import Foundation
import QuarryBackend

/// All rows of the user's data in the row format: what every store is filled from. They stand in a file of the run's folder
/// that is written once while the data are read, and mapped by the process of every engine.
///
/// The file has the rows, the end of each, the digest of each, the model in JSON, and at its end how long each of these is.
///
/// - Complexity: No memory beside the pages of the file.
final class DataRows: Sendable {
  /// The model as a store has it.
  let model: ModelSchema
  let layout: RowLayout
  let count: Int
  /// Bytes of all rows.
  let byteCount: Int
  private let file: MappedFile
  private let ends: Int
  private let digests: Int

  /// How long the parts of the file are, as its last bytes say it.
  struct Lengths {
    static let size = 24

    var rowBytes: Int
    var rows: Int
    var model: Int

    /// Where the ends begin: at a multiple of 8.
    var ends: Int { (rowBytes + 7) & ~7 }
    var digests: Int { ends + rows * 8 }
    var modelStart: Int { digests + rows * 8 }
    var total: Int { modelStart + model + Self.size }
  }

  /// - Throws: `BenchmarkError` when the file is not one that was written to its end.
  init(file path: String) throws {
    file = try MappedFile(path)
    let bytes = file.bytes
    func number(_ place: Int) -> Int? {
      Int(exactly: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
    }
    let limit = bytes.count
    guard limit >= Lengths.size, let rowBytes = number(limit - 24), let rows = number(limit - 16),
      let model = number(limit - 8), max(rowBytes, rows, model) <= limit
    else { throw Self.damaged }
    let lengths = Lengths(rowBytes: rowBytes, rows: rows, model: model)
    guard lengths.total == limit else { throw Self.damaged }
    var last = 0
    for index in 0..<rows {
      guard let end = number(lengths.ends + index * 8), end >= last, end <= rowBytes else { throw Self.damaged }
      last = end
    }
    let text = Data(bytes[lengths.modelStart..<lengths.modelStart + model])
    guard let schema = try? JSONDecoder().decode(ModelSchema.self, from: text) else { throw Self.damaged }
    self.model = schema
    layout = RowLayout(schema)
    count = rows
    byteCount = rowBytes
    ends = lengths.ends
    digests = lengths.digests
  }

  private static let damaged = BenchmarkError("the file of the rows was not written to its end")

  private func number(_ start: Int, _ index: Int) -> UInt64 {
    UInt64(littleEndian: file.bytes.loadUnaligned(fromByteOffset: start + index * 8, as: UInt64.self))
  }

  private func end(_ index: Int) -> Int { Int(truncatingIfNeeded: number(ends, index)) }

  /// The number that stands for a row.
  func digest(_ index: Int) -> UInt64 { number(digests, index) }

  /// Makes all pages of the file resident, so that they do not count as what comes after.
  func makeResident() { _ = file.touch() }

  /// Lends the bytes of a row.
  func withRow<R>(
    _ index: Int, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    let start = index > 0 ? end(index - 1) : 0
    return try body(UnsafeRawBufferPointer(rebasing: file.bytes[start..<end(index)]))
  }

  /// The values of a row in the order of the slots.
  func values(_ index: Int) throws(StorageError) -> [Value] {
    try withRow(index) { bytes throws(StorageError) in try layout.values(of: bytes) }
  }

  func value(_ index: Int, _ slot: Int) throws(StorageError) -> Value {
    try withRow(index) { bytes throws(StorageError) in
      try RowView(bytes, layout).value(layout.slots[slot], layout)
    }
  }

  func key(_ index: Int) throws(StorageError) -> Key {
    try Key.primary(value(index, model.primaryKey), model)
  }
}

extension RowLayout {
  /// Every field of a row.
  func values(of bytes: UnsafeRawBufferPointer) throws(StorageError) -> [Value] {
    let view = try RowView(bytes, self)
    var values: [Value] = []
    values.reserveCapacity(slots.count)
    for slot in slots { values.append(try view.value(slot, self)) }
    return values
  }
}
