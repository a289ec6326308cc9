import Foundation

/// The one form in which nested values and arrays are stored: see `docs/formats/row.md`. Equal values have equal bytes,
/// and equal bytes are equal values.
package enum NestedCoding {
  /// How deep arrays and objects may be inside each other.
  package static let maximumDepth = 128

  enum Tag {
    static let null: UInt8 = 0
    static let bool = PropertyType.bool.rawValue
    static let int = PropertyType.int64.rawValue
    static let uint = PropertyType.uint64.rawValue
    static let float = PropertyType.float.rawValue
    static let double = PropertyType.double.rawValue
    static let string = PropertyType.string.rawValue
    static let date = PropertyType.date.rawValue
    static let data = PropertyType.data.rawValue
    static let uuid = PropertyType.uuid.rawValue
    static let decimal = PropertyType.decimal.rawValue
    static let url = PropertyType.url.rawValue
    static let object = PropertyType.nested.rawValue
    static let array = PropertyType.array.rawValue
  }

  /// The bytes of a value tree.
  ///
  /// - Throws: `limitExceeded` when it is too deep, `invalidValue` for what cannot be stored or an object whose members
  ///   are not in their order.
  package static func encode(_ value: Value) throws(StorageError) -> [UInt8] {
    var bytes: [UInt8] = []
    try append(value, to: &bytes, depth: 0)
    return bytes
  }

  private static func append(_ value: Value, to bytes: inout [UInt8], depth: Int) throws(StorageError) {
    guard depth <= maximumDepth else {
      throw .limitExceeded("depth of a nested value", limit: maximumDepth, actual: depth)
    }
    switch value {
    case .null: bytes.append(Tag.null)
    case .bool(let value):
      bytes.append(Tag.bool)
      bytes.append(value ? 1 : 0)
    case .int(let value):
      bytes.append(Tag.int)
      append(varint: UInt64(bitPattern: value << 1 ^ value >> 63), to: &bytes)
    case .uint(let value):
      guard value > UInt64(Int64.max) else {
        try append(.int(Int64(value)), to: &bytes, depth: depth)
        return
      }
      bytes.append(Tag.uint)
      append(varint: value, to: &bytes)
    case .float(let value):
      bytes.append(Tag.float)
      append(raw: value.bitPattern.littleEndian, to: &bytes)
    case .double(let value):
      bytes.append(Tag.double)
      append(raw: value.bitPattern.littleEndian, to: &bytes)
    case .string(let value):
      bytes.append(Tag.string)
      append(text: value, to: &bytes)
    case .date(let value):
      bytes.append(Tag.date)
      append(raw: value.timeIntervalSinceReferenceDate.bitPattern.littleEndian, to: &bytes)
    case .data(let value):
      bytes.append(Tag.data)
      append(varint: UInt64(value.count), to: &bytes)
      bytes.append(contentsOf: value)
    case .uuid(let value):
      bytes.append(Tag.uuid)
      append(raw: value.uuid, to: &bytes)
    case .decimal(let value):
      bytes.append(Tag.decimal)
      try DecimalParts(value).withRowBytes { bytes.append(contentsOf: $0) }
    case .url(let value):
      bytes.append(Tag.url)
      append(text: value.absoluteString, to: &bytes)
    case .array(let elements):
      bytes.append(Tag.array)
      append(varint: UInt64(elements.count), to: &bytes)
      for element in elements { try append(element, to: &bytes, depth: depth + 1) }
    case .object(let members):
      bytes.append(Tag.object)
      append(varint: UInt64(members.count), to: &bytes)
      var previous: String?
      for member in members {
        if let previous, !previous.utf8.lexicographicallyPrecedes(member.name.utf8) {
          throw StorageError(.invalidValue, "the members of a nested value must be in order, without duplicates")
        }
        previous = member.name
        append(text: member.name, to: &bytes)
        try append(member.value, to: &bytes, depth: depth + 1)
      }
    }
  }

  private static func append(varint value: UInt64, to bytes: inout [UInt8]) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private static func append(raw value: some BitwiseCopyable, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
  }

  private static func append(text: String, to bytes: inout [UInt8]) {
    append(varint: UInt64(text.utf8.count), to: &bytes)
    bytes.append(contentsOf: text.utf8)
  }

  /// The value tree of the bytes.
  ///
  /// - Throws: `corrupt` when the bytes are not a value in its one form.
  package static func decode(_ bytes: UnsafeRawBufferPointer) throws(StorageError) -> Value {
    var reader = NestedReader(bytes)
    let value = try reader.value(depth: 0)
    guard reader.isAtEnd else { throw NestedReader.damaged }
    return value
  }
}

/// Reads value trees; every length is checked before it is believed.
struct NestedReader {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  static let damaged = StorageError(.corrupt, "damaged nested value")

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { position == bytes.count }

  private mutating func take(_ count: Int) throws(StorageError) -> UnsafeRawBufferPointer {
    guard count >= 0, bytes.count - position >= count else { throw Self.damaged }
    defer { position += count }
    return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
  }

  private mutating func raw<T: BitwiseCopyable>(_ type: T.Type) throws(StorageError) -> T {
    try take(MemoryLayout<T>.size).loadUnaligned(as: T.self)
  }

  private mutating func varint() throws(StorageError) -> UInt64 {
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try raw(UInt8.self)
      guard shift < 63 || shift == 63 && byte <= 1 else { throw Self.damaged }
      result |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 {
        guard byte != 0 || shift == 0 else { throw Self.damaged }
        return result
      }
      shift += 7
    }
  }

  private mutating func length() throws(StorageError) -> Int {
    let value = try varint()
    guard value <= UInt64(bytes.count - position) else { throw Self.damaged }
    return Int(value)
  }

  private mutating func text() throws(StorageError) -> String {
    guard let text = String(validating: try take(try length()), as: UTF8.self) else { throw Self.damaged }
    return text
  }

  mutating func value(depth: Int) throws(StorageError) -> Value {
    guard depth <= NestedCoding.maximumDepth else { throw Self.damaged }
    typealias Tag = NestedCoding.Tag
    switch try raw(UInt8.self) {
    case Tag.null: return .null
    case Tag.bool:
      let byte = try raw(UInt8.self)
      guard byte <= 1 else { throw Self.damaged }
      return .bool(byte == 1)
    case Tag.int:
      let zigzag = try varint()
      return .int(Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1))
    case Tag.uint:
      let value = try varint()
      guard value > UInt64(Int64.max) else { throw Self.damaged }
      return .uint(value)
    case Tag.float: return .float(Float(bitPattern: UInt32(littleEndian: try raw(UInt32.self))))
    case Tag.double: return .double(Double(bitPattern: UInt64(littleEndian: try raw(UInt64.self))))
    case Tag.string: return .string(try text())
    case Tag.date:
      let seconds = Double(bitPattern: UInt64(littleEndian: try raw(UInt64.self)))
      return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case Tag.data: return .data(Data(try take(try length())))
    case Tag.uuid: return .uuid(UUID(uuid: try raw(uuid_t.self)))
    case Tag.decimal: return .decimal(try DecimalParts(rowBytes: try take(DecimalParts.rowBytes)).decimal)
    case Tag.url:
      guard let url = URL(string: try text()) else { throw Self.damaged }
      return .url(url)
    case Tag.array:
      let count = try length()
      var elements: [Value] = []
      elements.reserveCapacity(min(count, 1024))
      for _ in 0..<count { elements.append(try value(depth: depth + 1)) }
      return .array(elements)
    case Tag.object:
      let count = try length()
      var members: [Value.Member] = []
      members.reserveCapacity(min(count, 1024))
      for _ in 0..<count {
        let name = try text()
        if let last = members.last, !last.name.utf8.lexicographicallyPrecedes(name.utf8) { throw Self.damaged }
        members.append(Value.Member(name, try value(depth: depth + 1)))
      }
      return .object(members)
    default: throw Self.damaged
    }
  }
}
