/// Functions in the source of adopted models, which make values of the old database's.
enum SwiftHelpers {
  struct Helper {
    /// The beginning of a call.
    var call: String
    var source: String
  }

  static let refusal = """
      private static func wrong(_ value: Value) -> StorageError {
        StorageError(.invalidValue, "\\(value.kind) is not what the column had when its model was written")
      }
    """

  static let all = [
    Helper(
      call: "bool(",
      source: """
          private static func bool(_ value: Value) throws -> Value {
            switch value {
            case .null: .null
            case .int(let number): .bool(number != 0)
            default: throw wrong(value)
            }
          }
        """),
    Helper(
      call: "since:",
      source: """
          private static func date(_ value: Value, since: Double, unit: Double) throws -> Value {
            switch value {
            case .null: .null
            case .int(let number): .date(Date(timeIntervalSince1970: Double(number) / unit + since))
            case .double(let number): .date(Date(timeIntervalSince1970: number / unit + since))
            default: throw wrong(value)
            }
          }
        """),
    Helper(
      call: "date(text:",
      source: """
          private static func date(text value: Value) throws -> Value {
            switch value {
            case .null: return .null
            case .string(let text):
              // A date, a space or a T, a time with a fraction, and a zone where it is not UTC.
              var text = text.replacingOccurrences(of: " ", with: "T")
              var fraction = 0.0
              if let point = text.firstIndex(of: ".") {
                let digits = text[text.index(after: point)...].prefix { $0.isNumber }
                fraction = Double("0.\\(digits)") ?? 0
                text.removeSubrange(point..<digits.endIndex)
              }
              if text.count == 10 { text += "T00:00:00" }
              if text.count == 16 { text += ":00" }
              let hasZone = text.hasSuffix("Z") || text.dropFirst(11).contains { $0 == "+" || $0 == "-" }
              if !hasZone { text += "Z" }
              return .date(try Date(text, strategy: .iso8601) + fraction)
            default: throw wrong(value)
            }
          }
        """),
    Helper(
      call: "uuid(row",
      source: """
          private static func uuid(_ value: Value) throws -> Value {
            if case .null = value { return .null }
            guard case .string(let text) = value, let uuid = UUID(uuidString: text) else { throw wrong(value) }
            return .uuid(uuid)
          }
        """),
    Helper(
      call: "uuid(bytes:",
      source: """
          private static func uuid(bytes value: Value) throws -> Value {
            if case .null = value { return .null }
            guard case .data(let data) = value, data.count == 16 else { throw wrong(value) }
            return .uuid(data.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
          }
        """),
    Helper(
      call: "decimal(",
      source: """
          private static func decimal(_ value: Value) throws -> Value {
            if case .null = value { return .null }
            guard case .string(let text) = value, let decimal = Decimal(string: text) else { throw wrong(value) }
            return .decimal(decimal)
          }
        """),
    Helper(
      call: "text(row",
      source: """
          private static func text(_ value: Value) -> Value {
            switch value {
            case .int(let number): .string(String(number))
            case .double(let number): .string(number.description)
            default: value
            }
          }
        """),
    Helper(
      call: "bytes(row",
      source: """
          private static func bytes(_ value: Value) -> Value {
            switch value {
            case .int(let number): .data(Data(String(number).utf8))
            case .double(let number): .data(Data(number.description.utf8))
            case .string(let text): .data(Data(text.utf8))
            default: value
            }
          }
        """),
    Helper(
      call: "name(",
      source: """
          private static func name(_ value: Value, _ names: [Int64: String]) -> Value {
            if case .int(let number) = value { return .string(names[number] ?? String(number)) }
            return value
          }
        """),
  ]
}
