import Foundation

/// Writes predicates and constants in the language that ``PredicateParser`` reads.
enum PredicateText {
  /// The words that mean something by themselves, and so are quoted as names.
  enum Keyword: String {
    case and, or, not, `in`, between, contains, beginswith, endswith, like, matches
    case anyOf = "any"
    case someOf = "some"
    case allOf = "all"
    case noneOf = "none"
    case truepredicate, falsepredicate, `true`, `false`, yes, no, `nil`, null, `self`, subquery, function, cast

    init?(word: String) {
      // No keyword is longer.
      guard word.utf8.count <= 14 else { return nil }
      self.init(rawValue: String(decoding: SchemaNames.folded(word), as: UTF8.self))
    }

    /// Whether the word stands for a value.
    var isValue: Bool { isConstant || self == .self }

    var isConstant: Bool {
      switch self {
      case .true, .false, .yes, .no, .nil, .null: true
      default: false
      }
    }
  }

  // MARK: Names

  static func name(_ name: String, isFirst: Bool = true) -> String {
    let bytes = name.utf8
    if let first = bytes.first, PredicateLexer.isNameStart(first), bytes.allSatisfy(PredicateLexer.isNamePart),
      !isFirst || Keyword(word: name) == nil
    {
      return name
    }
    var quoted = "`"
    for scalar in name.unicodeScalars {
      if scalar == "`" { quoted.unicodeScalars.append(scalar) }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "`"
  }

  static func path(_ path: PropertyPath) -> String {
    var text = path.property.isEmpty ? "SELF" : name(path.property)
    for member in path.members { text += "." + name(member, isFirst: false) }
    return text
  }

  static func operand(_ operand: Operand) -> String {
    switch operand {
    case .property(let path): self.path(path)
    case .count(let path): self.path(path) + ".@count"
    case .value(let value): literal(value)
    case .arithmetic(let left, let operation, let right): "\(side(left)) \(operation.symbol) \(side(right))"
    }
  }

  /// A side of a calculation.
  private static func side(_ operand: Operand) -> String {
    if case .arithmetic = operand { return "(\(self.operand(operand)))" }
    return self.operand(operand)
  }

  // MARK: Constants

  /// The constant as it is written in a predicate. Types that no plain literal has are named before a text.
  static func literal(_ value: Value) -> String {
    switch value {
    case .null: "nil"
    case .bool(let value): value ? "TRUE" : "FALSE"
    case .int(let value): String(value)
    case .uint(let value): String(value)
    case .float(let value): "float '\(special(value) { "0x\(String($0.bitPattern, radix: 16))" })'"
    case .double(let value): number(value)
    case .string(let value): string(value)
    case .date(let value): date(value)
    case .data(let value): "data '\(value.base64EncodedString())'"
    case .uuid(let value): "uuid '\(value.uuidString)'"
    case .decimal(let value): decimal(value)
    case .url(let value): "url \(string(value.absoluteString))"
    case .array(let values): list(values)
    case .object(let members):
      members.isEmpty
        ? "{:}" : "{\(members.map { "\(string($0.name)): \(literal($0.value))" }.joined(separator: ", "))}"
    }
  }

  static func list(_ values: [Value]) -> String {
    "{\(values.map(literal).joined(separator: ", "))}"
  }

  private static func special<F: BinaryFloatingPoint & CustomStringConvertible>(
    _ value: F, _ bits: (F) -> String
  ) -> String {
    value.isNaN ? bits(value) : value.description
  }

  /// A Double has an exponent, which a decimal has not.
  private static func number(_ value: Double) -> String {
    guard value.isFinite else { return "double '\(special(value) { "0x\(String($0.bitPattern, radix: 16))" })'" }
    let text = value.description
    return text.utf8.contains(UInt8(ascii: "e")) ? text : text + "e0"
  }

  private static func decimal(_ value: Decimal) -> String {
    let parts: DecimalParts
    do throws(StorageError) {
      parts = try DecimalParts(value)
    } catch {
      return "decimal 'nan'"
    }
    let sign = parts.isNegative ? "-" : ""
    guard (-40...20).contains(parts.exponent) else { return "decimal '\(sign)\(parts.mantissa)e\(parts.exponent)'" }
    var digits = String(parts.mantissa)
    guard parts.exponent < 0 else {
      return "\(sign)\(digits)\(parts.mantissa == 0 ? "" : String(repeating: "0", count: parts.exponent)).0"
    }
    let places = -parts.exponent
    if digits.utf8.count <= places { digits = String(repeating: "0", count: places + 1 - digits.utf8.count) + digits }
    return "\(sign)\(digits.dropLast(places)).\(digits.suffix(places))"
  }

  private static func date(_ value: Date) -> String {
    if let text = ISO8601Text.text(value) { return "date '\(text)'" }
    let seconds = value.timeIntervalSinceReferenceDate
    return "date '\(special(seconds) { "0x\(String($0.bitPattern, radix: 16))" })'"
  }

  static func string(_ value: String) -> String {
    var text = "'"
    for scalar in value.unicodeScalars {
      switch scalar {
      case "'", "\\": text += "\\\(scalar)"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case "\r": text += "\\r"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F: text += "\\u{\(String(scalar.value, radix: 16))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "'"
  }

  /// A text for a message, cut when it is long.
  static func shortened(_ text: String) -> String {
    text.utf8.count <= 80 ? text : String(text.unicodeScalars.prefix(60)) + "…"
  }

  // MARK: Predicates

  /// How firmly the parts of a predicate hold together.
  enum Strength: Int {
    case or, and, not, primary
  }

  /// Whether the text of a predicate is one thing by itself.
  static func strength(_ predicate: PredicateTree) -> Strength {
    switch predicate {
    case .and(let parts): parts.count < 2 ? .primary : .and
    case .or(let parts): parts.count < 2 ? .primary : .or
    case .not: .not
    default: .primary
    }
  }

  static func append(_ predicate: PredicateTree, to text: inout String) {
    switch predicate {
    case .constant(let value): text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .compare(let left, let comparison, let right):
      text += "\(operand(left)) \(comparison.symbol) \(operand(right))"
    case .oneOf(let operand, let values):
      text += "\(self.operand(operand)) IN \(list(values))"
    case .text(let operand, let operation, let needle, let options):
      text += "\(self.operand(operand)) \(word(operation))\(modifiers(operation, options)) \(string(needle))"
    case .containsElement(let path, let value):
      text += "\(literal(value)) IN \(self.path(path))"
    case .any(let path, let condition), .all(let path, let condition):
      if case .any = predicate { text += "ANY " } else { text += "ALL " }
      text += "\(self.path(path)) ("
      append(condition, to: &text)
      text += ")"
    case .not(let condition):
      text += "NOT "
      append(condition, to: &text, above: .and)
    case .and(let conditions): append(conditions, "AND", to: &text, above: .and)
    case .or(let conditions): append(conditions, "OR", to: &text, above: .or)
    }
  }

  private static func append(_ predicate: PredicateTree, to text: inout String, above strength: Strength) {
    if self.strength(predicate).rawValue > strength.rawValue {
      append(predicate, to: &text)
    } else {
      text += "("
      append(predicate, to: &text)
      text += ")"
    }
  }

  private static func append(
    _ conditions: [PredicateTree], _ word: String, to text: inout String, above strength: Strength
  ) {
    guard conditions.count > 1 else {
      text += "\(word)("
      if let condition = conditions.first { append(condition, to: &text) }
      text += ")"
      return
    }
    for (index, condition) in conditions.enumerated() {
      if index > 0 { text += " \(word) " }
      append(condition, to: &text, above: strength)
    }
  }

  private static func word(_ operation: TextOperator) -> String {
    switch operation {
    case .equal: "=="
    case .contains: "CONTAINS"
    case .hasPrefix: "BEGINSWITH"
    case .hasSuffix: "ENDSWITH"
    case .like: "LIKE"
    }
  }

  /// Equality of texts without options is written with empty brackets, because without them it is a comparison.
  private static func modifiers(_ operation: TextOperator, _ options: TextOptions) -> String {
    operation == .equal && options.symbol.isEmpty ? "[]" : options.symbol
  }
}

extension Value: CustomStringConvertible {
  /// The literal of the value, as predicates are written. Foundation's own text of a date ends the process for one that
  /// is millions of years away.
  public var description: String { PredicateText.literal(self) }
}

extension PredicateTree: CustomStringConvertible {
  /// The predicate in the language of ``PredicateParser``, which reads it back to an equal tree.
  public var description: String {
    do throws(StorageError) {
      try TreeLimits.check(self)
    } catch {
      return "a predicate that is too large to write"
    }
    var text = ""
    PredicateText.append(self, to: &text)
    return text
  }
}
