import Foundation

/// Encodes a value as one object with its type as the key, so that it decodes to exactly the same value.
///
/// Examples are `{"int": "5"}`, `{"double": "3ff0000000000000"}` (the bits in hexadecimal), `{"string": "x"}`.
extension Value: Codable {
  private enum CodingKeys: String, CodingKey {
    case null, bool, int, uint, float, double, string, date, data, uuid, decimal, url, array, object
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .null: try container.encodeNil(forKey: .null)
    case .bool(let value): try container.encode(value, forKey: .bool)
    case .int(let value): try container.encode(String(value), forKey: .int)
    case .uint(let value): try container.encode(String(value), forKey: .uint)
    case .float(let value): try container.encode(String(value.bitPattern, radix: 16), forKey: .float)
    case .double(let value): try container.encode(String(value.bitPattern, radix: 16), forKey: .double)
    case .string(let value): try container.encode(value, forKey: .string)
    case .date(let value):
      try container.encode(String(value.timeIntervalSinceReferenceDate.bitPattern, radix: 16), forKey: .date)
    case .data(let value): try container.encode(value.base64EncodedString(), forKey: .data)
    case .uuid(let value): try container.encode(value.uuidString, forKey: .uuid)
    case .decimal(let value): try container.encode(value.description, forKey: .decimal)
    case .url(let value): try container.encode(value.absoluteString, forKey: .url)
    case .array(let value): try container.encode(value, forKey: .array)
    case .object(let value): try container.encode(value, forKey: .object)
    }
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func invalid() -> DecodingError {
      .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not a stored value"))
    }
    func parsed<T>(_ key: CodingKeys, _ parse: (String) -> T?) throws -> T {
      guard let value = parse(try container.decode(String.self, forKey: key)) else { throw invalid() }
      return value
    }
    guard let key = container.allKeys.first, container.allKeys.count == 1 else { throw invalid() }
    // Not every decoder limits how deep its input is, and this recurses. Each level of a value has up to three keys.
    guard decoder.codingPath.count <= 4 * (NestedCoding.maximumDepth + BoundPredicate.maximumDepth) else {
      throw invalid()
    }
    switch key {
    case .null: self = .null
    case .bool: self = .bool(try container.decode(Bool.self, forKey: key))
    case .int: self = .int(try parsed(key) { Int64($0) })
    case .uint: self = Value(integer: try parsed(key) { UInt64($0) })
    case .float: self = .float(Float(bitPattern: try parsed(key) { UInt32($0, radix: 16) }))
    case .double: self = .double(Double(bitPattern: try parsed(key) { UInt64($0, radix: 16) }))
    case .string: self = .string(try container.decode(String.self, forKey: key))
    case .date:
      let bits = try parsed(key) { UInt64($0, radix: 16) }
      self = .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits)))
    case .data: self = .data(try parsed(key) { Data(base64Encoded: $0) })
    case .uuid: self = .uuid(try parsed(key) { UUID(uuidString: $0) })
    case .decimal:
      self = .decimal(try parsed(key) { Decimal(string: $0, locale: Locale(identifier: "en_US_POSIX")) })
    case .url: self = .url(try parsed(key) { URL(string: $0) })
    case .array: self = .array(try container.decode([Value].self, forKey: key))
    case .object: self = .object(unordered: try container.decode([Member].self, forKey: key))
    }
  }
}
