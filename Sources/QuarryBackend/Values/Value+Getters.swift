public import Foundation

// What a value is, or nil where it is something else: `record["name"]?.stringValue`.
extension Value {
  /// The Bool.
  public var boolValue: Bool? {
    if case .bool(let value) = self { return value }
    return nil
  }

  /// The integer, when it fits; of other numbers nil.
  public var intValue: Int? { integer.flatMap { Int(exactly: $0) } }

  /// The number, when a Double holds exactly that: of a Double, a Float or an integer. A decimal is no Double.
  public var doubleValue: Double? {
    switch self {
    case .double(let value): value
    case .float(let value): Double(value)
    default: integer.flatMap { Double(exactly: $0) }
    }
  }

  /// The string.
  public var stringValue: String? {
    if case .string(let value) = self { return value }
    return nil
  }

  /// The date.
  public var dateValue: Date? {
    if case .date(let value) = self { return value }
    return nil
  }

  /// The data.
  public var dataValue: Data? {
    if case .data(let value) = self { return value }
    return nil
  }

  /// The UUID.
  public var uuidValue: UUID? {
    if case .uuid(let value) = self { return value }
    return nil
  }

  /// The number exactly: of a decimal or an integer. A Double is no decimal.
  public var decimalValue: Decimal? {
    switch self {
    case .decimal(let value): value
    case .int(let value): Decimal(value)
    case .uint(let value): Decimal(value)
    default: nil
    }
  }

  /// The URL.
  public var urlValue: URL? {
    if case .url(let value) = self { return value }
    return nil
  }

  /// The elements of the array.
  public var arrayValue: [Value]? {
    if case .array(let value) = self { return value }
    return nil
  }

  /// The member of a nested value with that name; nil when there is none, and for other values.
  public subscript(_ name: String) -> Value? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }
}
