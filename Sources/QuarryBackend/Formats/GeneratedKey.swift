package import Foundation

/// The primary key in the rows of a model whose keys are generated.
///
/// A key whose bytes are all zero is not given yet. No stored row has such a key.
package struct GeneratedKey: Sendable {
  package let model: ModelSchema
  package let generation: KeyGeneration
  private let offset: Int
  private let width: Int
  private let isSigned: Bool

  /// Nil for a model whose keys the program gives.
  package init?(_ model: ModelSchema) {
    guard let generation = model.keyGeneration else { return nil }
    self.model = model
    self.generation = generation
    offset = Int(RowLayout(model).keySlot.offset)
    let type = model.keyProperty.type
    width = type.fixedWidth
    switch type {
    case .int8, .int16, .int32, .int64: isSigned = true
    default: isSigned = false
    }
  }

  /// The greatest number that a key can be.
  package var greatest: UInt64 { UInt64.max >> UInt64(64 - 8 * min(width, 8) + (isSigned ? 1 : 0)) }

  /// Whether the row has no key yet.
  package func isMissing(in row: UnsafeRawBufferPointer) -> Bool {
    row[offset..<(offset + width)].allSatisfy { $0 == 0 }
  }

  /// The number that the row has as its key; 0 for a negative one, which no sequence gives.
  package func number(in row: UnsafeRawBufferPointer) -> UInt64 {
    var number: UInt64 = 0
    for byte in row[offset..<(offset + width)].reversed() { number = number << 8 | UInt64(byte) }
    return number > greatest ? 0 : number
  }

  /// Sets the key of a row to a number.
  package func set(_ number: UInt64, in row: UnsafeMutableRawBufferPointer) {
    for place in 0..<width { row[offset + place] = UInt8(truncatingIfNeeded: number >> UInt64(8 * place)) }
  }

  /// Sets the key of a row to a UUID.
  package func set(_ uuid: UUID, in row: UnsafeMutableRawBufferPointer) {
    withUnsafeBytes(of: uuid.uuid) { bytes in
      for (place, byte) in bytes.enumerated() { row[offset + place] = byte }
    }
  }
}

extension RowBatch {
  /// Calls the body with each row, whose bytes it may change.
  package mutating func forEachMutable(
    _ body: (UnsafeMutableRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) {
    let ends = ends
    let failure = bytes.withUnsafeMutableBytes { all -> StorageError? in
      var start = 0
      for end in ends {
        do throws(StorageError) {
          try body(UnsafeMutableRawBufferPointer(rebasing: all[start..<end]))
        } catch {
          return error
        }
        start = end
      }
      return nil
    }
    if let failure { throw failure }
  }
}
