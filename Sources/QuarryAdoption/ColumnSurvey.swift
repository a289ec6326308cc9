import CSQLite
import Foundation
import QuarryBackend

/// What a column holds, whatever its declaration says.
struct ColumnSurvey {
  private(set) var nulls = 0
  private(set) var integers = 0
  private(set) var reals = 0
  private(set) var texts = 0
  private(set) var blobs = 0
  private(set) var areBits = true
  private(set) var areExactDoubles = true
  private(set) var greatestMagnitude: UInt64 = 0
  private(set) var areDates = true
  private(set) var areMoments = true
  private(set) var areUUIDs = true
  private(set) var areDecimals = true
  private(set) var areUUIDBytes = true
  private(set) var isUTF8 = true

  var values: Int { integers + reals + texts + blobs }
  var hasOnlyTexts: Bool { texts > 0 && texts == values }
  var hasOnlyIntegers: Bool { integers > 0 && integers == values }
  var hasOnlyNumbers: Bool { integers + reals > 0 && integers + reals == values }
  var hasOnlyBlobs: Bool { blobs > 0 && blobs == values }

  mutating func add(_ statement: ForeignStatement, _ column: Int32) {
    switch statement.kind(column) {
    case SQLITE_INTEGER:
      integers += 1
      let value = statement.integer(column)
      if value != 0 && value != 1 { areBits = false }
      if Int64(exactly: Double(value)) != value { areExactDoubles = false }
      greatestMagnitude = max(greatestMagnitude, value.magnitude)
    case SQLITE_FLOAT: reals += 1
    case SQLITE_TEXT:
      texts += 1
      add(text: statement.bytes(column))
    case SQLITE_BLOB:
      blobs += 1
      if areUUIDBytes { areUUIDBytes = Self.isUUID(statement.bytes(column)) }
    default: nulls += 1
    }
  }

  private mutating func add(text bytes: UnsafeRawBufferPointer) {
    if isUTF8 { isUTF8 = String(validating: bytes, as: UTF8.self) != nil }
    if areUUIDs { areUUIDs = UUIDText.bytes(bytes, allowsLowercase: true) != nil }
    guard areDates || areDecimals else { return }
    // Longer texts are no dates and no numbers.
    let text = bytes.count <= 64 ? String(decoding: bytes, as: UTF8.self) : ""
    if areDates { areDates = ForeignForm.date(text) != nil }
    if areMoments { areMoments = areDates && bytes.count > 10 && bytes.last == UInt8(ascii: "Z") }
    if areDecimals { areDecimals = ForeignForm.decimal(text) != nil }
  }

  /// Whether sixteen bytes have the version and the variant of a UUID.
  private static func isUUID(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count == 16 && (1...8).contains(bytes[6] >> 4) && bytes[8] >> 6 == 2
  }
}
