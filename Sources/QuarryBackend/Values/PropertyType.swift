/// The type of a stored property. The raw value is the type's tag in stored schemas and nested values.
public enum PropertyType: UInt8, Sendable, Hashable, CaseIterable {
  /// A truth value.
  case bool = 1
  /// A signed integer of 8 bits.
  case int8 = 2
  /// A signed integer of 16 bits.
  case int16 = 3
  /// A signed integer of 32 bits.
  case int32 = 4
  /// A signed integer of 64 bits.
  case int64 = 5
  /// An unsigned integer of 8 bits.
  case uint8 = 6
  /// An unsigned integer of 16 bits.
  case uint16 = 7
  /// An unsigned integer of 32 bits.
  case uint32 = 8
  /// An unsigned integer of 64 bits.
  case uint64 = 9
  /// A floating-point number of 32 bits.
  case float = 10
  /// A floating-point number of 64 bits.
  case double = 11
  /// A text, which is stored as UTF-8.
  case string = 12
  /// A date, as seconds since 2001.
  case date = 13
  /// Bytes.
  case data = 14
  /// A UUID.
  case uuid = 15
  /// A decimal number.
  case decimal = 16
  /// A URL.
  case url = 17
  /// A Codable value, stored as a value tree.
  case nested = 18
  /// An array of storable elements, stored as a value tree.
  case array = 19
  // 20 and 21 are reserved.

  /// The type's name in schemas and messages.
  public var name: String { Self.names[self] ?? String(describing: self) }

  /// The type with that name.
  public init?(name: String) {
    guard let type = Self.named[name] else { return nil }
    self = type
  }

  // Each opening of a store asks for every property's: a name is reflected once, not each time.
  private static let names = Dictionary(uniqueKeysWithValues: allCases.map { ($0, String(describing: $0)) })
  private static let named = Dictionary(uniqueKeysWithValues: names.map { ($1, $0) })

  /// The bytes that a value takes in the fixed part of a row. A type of variable size has its place there.
  public var fixedWidth: Int {
    switch self {
    case .bool, .int8, .uint8: 1
    case .int16, .uint16: 2
    case .int32, .uint32, .float: 4
    case .int64, .uint64, .double, .date: 8
    case .uuid: 16
    case .decimal: 18
    case .string, .data, .url, .nested, .array: 4
    }
  }

  /// Whether the value's bytes are in the variable part of a row.
  package var isVariable: Bool {
    switch self {
    case .string, .data, .url, .nested, .array: true
    default: false
    }
  }

  /// Whether values have an order, so that they can be keys, sorted and indexed.
  public var isOrdered: Bool {
    switch self {
    case .nested, .array: false
    default: true
    }
  }

  /// Whether a value has a number of characters, bytes or elements.
  package var isCountable: Bool { self == .string || self == .data || self == .array }

  /// Whether this is one of the eight integer types.
  public var isInteger: Bool { integerRange != nil }

  /// Whether values can be added up.
  public var isNumeric: Bool { isInteger || self == .float || self == .double || self == .decimal }

  /// The range of an integer type, wide enough for all of them.
  public var integerRange: ClosedRange<Int128>? {
    switch self {
    case .int8: Int128(Int8.min)...Int128(Int8.max)
    case .int16: Int128(Int16.min)...Int128(Int16.max)
    case .int32: Int128(Int32.min)...Int128(Int32.max)
    case .int64: Int128(Int64.min)...Int128(Int64.max)
    case .uint8: 0...Int128(UInt8.max)
    case .uint16: 0...Int128(UInt16.max)
    case .uint32: 0...Int128(UInt32.max)
    case .uint64: 0...Int128(UInt64.max)
    default: nil
    }
  }
}

extension PropertyType: Codable {
  public init(from decoder: any Decoder) throws {
    let name = try decoder.singleValueContainer().decode(String.self)
    guard let type = PropertyType(name: name) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "unknown property type \(name)"))
    }
    self = type
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}
