import QuarryBackend

/// A JSON value as it was written: numbers are still text, members are in the order of the file.
package indirect enum JSONValue: Sendable {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([Member])

  package struct Member: Sendable {
    package var name: String
    package var value: JSONValue
  }

  package var kind: String {
    switch self {
    case .null: "null"
    case .bool: "a Bool"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
