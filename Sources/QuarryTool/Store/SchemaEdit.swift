import ArgumentParser
import QuarryBackend
import QuarryData

/// `Book.title=name`: a part of a model that gets another name, type or any other value after the sign.
struct NameChange: Sendable, Hashable {
  var old: String
  var new: String

  init(_ old: String, _ new: String) {
    self.old = old
    self.new = new
  }

  /// - Throws: `ValidationError`, because such a text is wrong usage.
  init(argument text: String) throws {
    guard let sign = text.utf8.firstIndex(of: UInt8(ascii: "=")) else {
      throw ValidationError("\(text.excerpt) has no '=' between the old and the new")
    }
    old = String(text[..<sign])
    new = String(text[text.utf8.index(after: sign)...])
    guard !old.isEmpty, !new.isEmpty else { throw ValidationError("\(text.excerpt) has nothing beside the '='") }
  }

  /// The changes in an order in which no name is taken when it is given: names that are exchanged go by one between.
  static func ordered(_ changes: [NameChange]) -> [NameChange] {
    let old = Set(changes.map { ByteString($0.old) })
    guard changes.contains(where: { old.contains(ByteString($0.new)) }) else { return changes }
    let between = changes.indices.map { "between~\($0)" }
    return zip(changes, between).map { NameChange($0.old, $1) } + zip(changes, between).map { NameChange($1, $0.new) }
  }
}

/// `Book.year=int64?`: a property that gets another type.
struct TypeChange: Sendable, Hashable {
  var path: String
  var type: TypeName

  init(argument text: String) throws {
    let change = try NameChange(argument: text)
    path = change.old
    guard let type = TypeName(change.new) else {
      let names = PropertyType.allCases.filter(\.isOrdered).map(\.name).joined(separator: ", ")
      throw ValidationError(
        "\(change.new.excerpt) is not a type; types are \(names), one of them in brackets for an array, "
          + "and followed by '?' if the value may be nil")
    }
    self.type = type
  }
}

/// A type as `quarry schema` prints it: `int64`, `string?`, `[double]`.
struct TypeName: Sendable, Hashable {
  var type: PropertyType
  var elementType: PropertyType?
  var isOptional: Bool

  /// `int` and `uint` are the types of 64 bits, as in Swift.
  init?(_ text: String) {
    var name = text[...]
    isOptional = name.last == "?"
    if isOptional { name = name.dropLast() }
    let isArray = name.first == "[" && name.last == "]"
    if isArray { name = name.dropFirst().dropLast() }
    let spelled = ["int": "int64", "uint": "uint64"][String(name)] ?? String(name)
    guard let known = PropertyType(name: spelled), known != .array, known != .nested else { return nil }
    type = isArray ? .array : known
    elementType = isArray ? known : nil
  }
}
