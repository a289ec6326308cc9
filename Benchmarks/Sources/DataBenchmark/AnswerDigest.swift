import Foundation
import QuarryBackend

/// A number that stands for all that was read: every field of every row, and the order of the rows. Two engines with
/// the same digest gave the same answers.
struct AnswerDigest: Hashable, Codable {
  private(set) var sum: UInt64 = 0
  private(set) var rows = 0

  /// The next row of an answer.
  mutating func add(row: UInt64) {
    rows &+= 1
    sum = (sum ^ row).mixed
  }

  /// What an answer says beside its rows: a count, or that there is no row.
  mutating func add(number: Int) {
    sum = (sum ^ UInt64(truncatingIfNeeded: number) ^ 0x5155_4152_5259).mixed
  }

  /// The number that stands for a row.
  static func of(_ values: [Value]) -> UInt64 {
    var hash = FieldHash()
    for value in values { hash.add(value) }
    return hash.state
  }

  static func of(_ bytes: UnsafeRawBufferPointer, _ layout: RowLayout) throws(StorageError) -> UInt64 {
    let view = try RowView(bytes, layout)
    var hash = FieldHash()
    // Each field is made into a value, as a program would do it.
    for slot in layout.slots { hash.add(try view.value(slot, layout)) }
    return hash.state
  }
}

/// Mixes the bits of values; equal values, and only these, give equal numbers but for rare chance.
private struct FieldHash {
  var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  mutating func add(_ word: UInt64) {
    state = (state ^ word).mixed
  }

  mutating func add(_ value: Value) {
    switch value {
    case .null: add(0 as UInt64)
    case .bool(let value): add((value ? 2 : 1) as UInt64)
    case .int(let value): add(UInt64(bitPattern: value) &+ 3)
    case .uint(let value): add(value &+ 3)
    case .float(let value): add(UInt64(value.bitPattern))
    case .double(let value): add(value.bitPattern)
    case .date(let value): add(value.timeIntervalSinceReferenceDate.bitPattern)
    case .string(let value): add(text: value)
    case .url(let value): add(text: value.absoluteString)
    case .decimal(let value): add(text: value.description)
    case .data(let value): value.withUnsafeBytes { add(bytes: $0) }
    case .uuid(let value): withUnsafeBytes(of: value.uuid) { add(bytes: $0) }
    case .array(let values):
      add(UInt64(values.count))
      for value in values { add(value) }
    case .object(let members):
      add(UInt64(members.count))
      for member in members {
        add(text: member.name)
        add(member.value)
      }
    }
  }

  private mutating func add(text: String) {
    var text = text
    text.withUTF8 { add(bytes: UnsafeRawBufferPointer($0)) }
  }

  private mutating func add(bytes: UnsafeRawBufferPointer) {
    add(UInt64(bytes.count))
    var place = 0
    while place + 8 <= bytes.count {
      add(bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
      place += 8
    }
    var last: UInt64 = 0
    while place < bytes.count {
      last = last << 8 | UInt64(bytes[place])
      place += 1
    }
    add(last)
  }
}

extension UInt64 {
  /// The bits scattered over the whole word.
  fileprivate var mixed: UInt64 {
    let product = multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
    return product.high ^ product.low &+ 0xE703_7ED1_A0B4_28DB
  }
}
