public import Foundation

/// A stored value whose type is known only at run time: a constant of a query, a default, a field of a dynamic record.
///
/// Two values are equal (`==`) when they would be stored as the same bytes. Strings are compared by their UTF-8 bytes, so
/// composed and decomposed forms differ; floating-point numbers by their bits. Predicates and sorting have rules of their own:
/// see ``ValueOrder``.
public enum Value: Sendable {
  /// Nil.
  case null
  /// A truth value.
  case bool(Bool)
  /// Any integer that fits; every integer has one form, so `uint` is only for those above `Int64.max`.
  case int(Int64)
  /// An integer above `Int64.max`. Make integers with ``Value/init(integer:)`` to get the one form.
  case uint(UInt64)
  /// A floating-point number of 32 bits.
  case float(Float)
  /// A floating-point number of 64 bits.
  case double(Double)
  /// A text.
  case string(String)
  /// A date.
  case date(Date)
  /// Bytes.
  case data(Data)
  /// A UUID.
  case uuid(UUID)
  /// A decimal number.
  case decimal(Decimal)
  /// A URL.
  case url(URL)
  /// An array of values.
  case array([Value])
  /// A nested value. Members are in the order of their names' UTF-8 bytes; make it with ``Value/object(unordered:)``.
  case object([Member])

  /// A named part of a nested value.
  public struct Member: Sendable, Hashable, Codable {
    /// The name of the member.
    public var name: String
    /// Its value.
    public var value: Value

    /// A member by its name.
    public init(_ name: String, _ value: Value) {
      self.name = name
      self.value = value
    }

    public static func == (left: Member, right: Member) -> Bool {
      left.name.utf8.elementsEqual(right.name.utf8) && left.value == right.value
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(bytesOf: name)
      hasher.combine(value)
    }
  }

  /// The one form of an integer.
  ///
  /// - Parameter integer: An integer of any type. One that no stored type holds becomes the nearest that one does.
  @inlinable
  public init(integer: some FixedWidthInteger) {
    if let signed = Int64(exactly: integer) {
      self = .int(signed)
    } else if let unsigned = UInt64(exactly: integer) {
      self = .uint(unsigned)
    } else {
      // Wider than anything that is stored: the nearest that is, which no caller with a stored type can reach.
      self = integer < 0 ? .int(.min) : .uint(.max)
    }
  }

  /// A nested value of these members, put into their order.
  ///
  /// - Parameter members: The members in any order, each name once.
  /// - Complexity: O(n log n) for n members.
  public static func object(unordered members: [Member]) -> Value {
    .object(members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
  }

  /// Whether this is nil.
  public var isNull: Bool {
    if case .null = self { return true }
    return false
  }

  /// The integer, whatever its width.
  public var integer: Int128? {
    switch self {
    case .int(let value): Int128(value)
    case .uint(let value): Int128(value)
    default: nil
    }
  }

  /// The kind of the value, for messages.
  public var kind: String {
    switch self {
    case .null: "nil"
    case .bool: "a Bool"
    case .int, .uint: "an integer"
    case .float: "a Float"
    case .double: "a Double"
    case .string: "a string"
    case .date: "a date"
    case .data: "data"
    case .uuid: "a UUID"
    case .decimal: "a decimal"
    case .url: "a URL"
    case .array: "an array"
    case .object: "a nested value"
    }
  }
}

extension Value: Hashable {
  public static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.int(let a), .int(let b)): a == b
    case (.uint(let a), .uint(let b)): a == b
    case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern
    case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
    case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
    case (.date(let a), .date(let b)):
      a.timeIntervalSinceReferenceDate.bitPattern == b.timeIntervalSinceReferenceDate.bitPattern
    case (.data(let a), .data(let b)): a == b
    case (.uuid(let a), .uuid(let b)): a == b
    case (.decimal(let a), .decimal(let b)): a == b
    case (.url(let a), .url(let b)): a.absoluteString.utf8.elementsEqual(b.absoluteString.utf8)
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .int(let value): hasher.combine(value)
    case .uint(let value): hasher.combine(value)
    case .float(let value): hasher.combine(value.bitPattern)
    case .double(let value): hasher.combine(value.bitPattern)
    case .string(let value): hasher.combine(bytesOf: value)
    case .date(let value): hasher.combine(value.timeIntervalSinceReferenceDate.bitPattern)
    case .data(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .decimal(let value): hasher.combine(value)
    case .url(let value): hasher.combine(bytesOf: value.absoluteString)
    case .array(let value): hasher.combine(value)
    case .object(let value): hasher.combine(value)
    }
  }
}

extension Hasher {
  /// Hashes a string by its UTF-8 bytes, under which composed and decomposed forms differ.
  package mutating func combine(bytesOf string: String) {
    var string = string
    string.withUTF8 { combine(bytes: UnsafeRawBufferPointer($0)) }
    combine(0xFF as UInt8)
  }
}

/// A string that is compared and hashed by its UTF-8 bytes.
///
/// Dictionaries inside Quarry use it as a key, because `String` unites composed and decomposed forms.
public struct ByteString: Sendable, Hashable {
  /// The string itself.
  public let string: String

  /// The string, to be compared by its bytes.
  public init(_ string: String) {
    self.string = string
  }

  public static func == (left: ByteString, right: ByteString) -> Bool {
    let (left, right) = (left.string.utf8, right.string.utf8)
    // Strings know their length, which distinguishes most that differ.
    guard left.count == right.count else { return false }
    let areEqual = left.withContiguousStorageIfAvailable { left in
      right.withContiguousStorageIfAvailable { right in
        guard let left = left.baseAddress, let other = right.baseAddress else { return true }
        return memcmp(left, other, right.count) == 0
      }
    }
    return (areEqual ?? nil) ?? left.elementsEqual(right)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(bytesOf: string)
  }
}
