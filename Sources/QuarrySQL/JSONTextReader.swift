package import QuarryBackend

/// The JSON of a column: value trees.
///
/// Integers and Doubles are distinguished by a point or a power of ten. A duplicate name, text after the value and trees that are
/// too deep are refused.
package struct JSONTextReader: JSONTarget {
  package static let damaged = StorageError(.corrupt, "a nested value is not JSON of its type")

  package static func read(_ text: UnsafeRawBufferPointer) throws(StorageError) -> Value {
    try JSONReader.read(text, into: JSONTextReader())
  }

  package func failure(_ defect: JSONDefect, at offset: Int) -> StorageError { Self.damaged }

  // A person who edits by hand may write a number as Swift reads it.
  package static var takesLooseNumbers: Bool { true }
  package func isTooDeep(_ depth: Int, isArrayOrObject: Bool) -> Bool { depth > NestedCoding.maximumDepth }

  package static var null: Value { .null }
  package static func bool(_ value: Bool) -> Value { .bool(value) }
  package static func string(_ value: String) -> Value { .string(value) }
  package static func array(_ elements: [Value]) -> Value { .array(elements) }

  package static func number(_ text: Slice<UnsafeRawBufferPointer>) -> Value? {
    let digits = String(decoding: text, as: UTF8.self)
    if text.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: "-") }) {
      return Int64(digits).map { .int($0) } ?? UInt64(digits).map { .uint($0) }
    }
    guard let value = Double(digits), value.isFinite else { return nil }
    return .double(value)
  }

  package struct Members: JSONMembers {
    private var members: [Value.Member] = []

    package init() {}

    package mutating func takes(_ name: String) -> Bool { true }
    package mutating func append(_ name: String, _ value: Value) { members.append(Value.Member(name, value)) }

    package consuming func object() throws(StorageError) -> Value {
      // Quarry writes names in their order; a person who edited by hand may not have.
      members.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
      for (member, following) in zip(members, members.dropFirst())
      where member.name.utf8.elementsEqual(following.name.utf8) {
        throw JSONTextReader.damaged
      }
      return .object(members)
    }
  }
}
