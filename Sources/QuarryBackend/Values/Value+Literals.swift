// Values of a record as they are written in Swift: `["id": 1, "name": "Ada", "rating": 4.5, "tags": ["x"]]`. Nil is
// `.null`: as a literal it would be confused with a value that is not there.

extension Value: ExpressibleByBooleanLiteral {
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension Value: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: Int64) { self = .int(value) }
}

extension Value: ExpressibleByFloatLiteral {
  public init(floatLiteral value: Double) { self = .double(value) }
}

extension Value: ExpressibleByStringLiteral {
  public init(stringLiteral value: String) { self = .string(value) }
}

extension Value: ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: Value...) { self = .array(elements) }
}

/// A nested value. Of a name that is given twice the last counts.
extension Value: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral members: (String, Value)...) {
    var byName: [ByteString: Value] = [:]
    for (name, value) in members { byName[ByteString(name)] = value }
    self = .object(unordered: byName.map { Member($0.key.string, $0.value) })
  }
}
