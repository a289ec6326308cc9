package import QuarryBackend

/// Parses one JSON text (RFC 8259) strictly, without losing anything of its numbers.
///
/// Foundation's decoders give numbers as doubles or decimals and keep one of two members of the same name; here numbers
/// stay text until their column's type is known, and a name that comes twice is an error.
package struct JSONParser: JSONTarget {
  /// Arrays and objects inside each other.
  package static let depthLimit = 128

  /// The line of the file on which the text begins, and the bytes before it on that line, for messages.
  private let line: Int
  private let column: Int
  private let text: UnsafeRawBufferPointer
  private let depthLimit: Int

  /// - Parameter text: UTF-8; it is checked before anything else.
  /// - Parameter depthLimit: The maximum nesting of arrays and objects.
  package static func parse(
    _ text: [UInt8], line: Int, depthLimit: Int = depthLimit
  ) throws(StorageError) -> JSONValue {
    try text.withBytes { text throws(StorageError) in try parse(text, line: line, depthLimit: depthLimit) }
  }

  /// - Parameter column: The bytes before the text on its line.
  package static func parse(
    _ text: UnsafeRawBufferPointer, line: Int, column: Int = 0, depthLimit: Int = depthLimit
  ) throws(StorageError) -> JSONValue {
    let parser = JSONParser(line: line, column: column, text: text, depthLimit: depthLimit)
    if let invalid = text.firstInvalidUTF8 { throw parser.failure(.notUTF8, at: invalid) }
    return try JSONReader.read(text, into: parser)
  }

  // MARK: Results for a text

  package static var takesLooseNumbers: Bool { false }
  package func isTooDeep(_ depth: Int, isArrayOrObject: Bool) -> Bool { isArrayOrObject && depth >= depthLimit }

  package static var null: JSONValue { .null }
  package static func bool(_ value: Bool) -> JSONValue { .bool(value) }
  package static func string(_ value: String) -> JSONValue { .string(value) }
  package static func array(_ elements: [JSONValue]) -> JSONValue { .array(elements) }

  package static func number(_ text: Slice<UnsafeRawBufferPointer>) -> JSONValue? {
    NumberForm(text) == nil ? nil : .number(String(decoding: text, as: UTF8.self))
  }

  package struct Members: JSONMembers {
    private var members: [JSONValue.Member] = []
    private var names: Set<ByteString> = []

    package init() {}

    /// A name is compared with each while there are few, and looked up when there are many.
    package mutating func takes(_ name: String) -> Bool {
      if members.count < 16 { return !members.contains { $0.name.utf8.elementsEqual(name.utf8) } }
      if names.isEmpty { names = Set(members.map { ByteString($0.name) }) }
      return names.insert(ByteString(name)).inserted
    }

    package mutating func append(_ name: String, _ value: JSONValue) {
      members.append(JSONValue.Member(name: name, value: value))
    }

    package consuming func object() -> JSONValue { .object(members) }
  }

  // MARK: Errors

  package func failure(_ defect: JSONDefect, at offset: Int) -> StorageError {
    if case .tooDeep(let depth) = defect {
      return .limitExceeded("line \(line): depth of arrays and objects", limit: depthLimit, actual: depth)
    }
    let before = text.prefix(offset)
    let lines = before.count { $0 == UInt8(ascii: "\n") }
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 - text.startIndex }
    let byte = start.map { offset - $0 } ?? (column + offset)
    return StorageError(.invalidValue, "line \(line + lines), byte \(byte + 1): \(defect.words)")
  }
}

extension JSONDefect {
  fileprivate var words: String {
    switch self {
    case .notUTF8: "the text is not UTF-8"
    case .moreAfterValue: "there is more after the value"
    case .noValue: "a value is missing"
    case .noSuchValue: "this is not a JSON value"
    case .noNumber: "this is not a JSON number"
    case .tooDeep: "arrays and objects are nested too deeply"
    case .noCommaOrBracket: "a comma or ] is missing"
    case .noCommaOrBrace: "a comma or } is missing"
    case .noName: "a member's name is missing"
    case .noColon: "a colon is missing"
    case .nameTwice(let name): "the object has the name \(name.excerpt) twice"
    case .controlCharacter: "a control character in a string is not escaped"
    case .noEndOfString: "the string is never closed"
    case .meaninglessEscape: "a backslash cannot precede this character"
    case .noHexadecimalDigits: "four hexadecimal digits are missing"
    case .halfOfPair: "half of a surrogate pair"
    }
  }
}
