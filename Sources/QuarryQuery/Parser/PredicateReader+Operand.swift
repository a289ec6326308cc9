import Foundation
import QuarryBackend

extension PredicateReader {
  /// A property, a count or a constant.
  mutating func operand() throws(StorageError) -> Operand {
    switch lexer.token {
    case .keyArgument:
      let start = lexer.start
      guard case .string(let text) = try argument() else {
        throw lexer.error("the argument of %K must be a string with a property's name", at: start)
      }
      guard elements > 0 || !text.isEmpty && text.utf8.first != UInt8(ascii: ".") else {
        throw lexer.error(Self.nameless, at: start)
      }
      return Self.path(text)
    case .name: return try path()
    case .word(let word):
      if Keyword(word: word) == .self { return try path() }
      if let value = try namedConstant(word) { return .value(value) }
      return try path()
    case .string, .number, .argument, .symbol(.leftBrace): return .value(try constant())
    default: throw lexer.expected("a property or a constant")
    }
  }

  /// `name.member.member`, with `.@count` at its end or not.
  private mutating func path() throws(StorageError) -> Operand {
    var path = PropertyPath("")
    switch lexer.token {
    case .name(let name):
      // Nothing stands for the element or the object, which is written SELF; a member of a nested value may have no name.
      guard !name.isEmpty else { throw lexer.error(Self.nameless) }
      path.property = name
    case .word(let word):
      if let keyword = Keyword(word: word), keyword != .self {
        throw lexer.expected("a property or a constant (a property of that name is written #\(word))")
      }
      path.property = Keyword(word: word) == .self ? "" : word
    default: throw lexer.expected("a property")
    }
    let start = lexer.start
    try lexer.advance()
    if isAt(.leftParenthesis), lexer.start == lexer.previousEnd {
      throw refusedCall(of: path.property, at: start)
    }
    while try skip(.dot) {
      if try skip(.at) {
        guard case .word(let word) = lexer.token, word.utf8.elementsEqual("count".utf8) else {
          throw lexer.expected("@count; other operators are aggregates")
        }
        try lexer.advance()
        return .count(ofObject(path))
      }
      switch lexer.token {
      case .name(let name), .word(let name):
        let isProperty = elements == 0 && path.property.isEmpty && path.members.isEmpty
        guard !isProperty || !name.isEmpty else { throw lexer.error(Self.nameless) }
        path.members.append(name)
      default: throw lexer.expected("a name after the point")
      }
      try lexer.advance()
    }
    return .property(ofObject(path))
  }

  private static let nameless = "the name of the property is empty"

  /// Outside ANY and ALL `SELF` is the object, whose property comes after the point.
  private func ofObject(_ path: PropertyPath) -> PropertyPath {
    guard elements == 0, path.property.isEmpty, let property = path.members.first else { return path }
    return PropertyPath(property, members: Array(path.members.dropFirst()))
  }

  /// The path of a `%K` argument, whose parts are between points.
  private static func path(_ text: String) -> Operand {
    var parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map {
      String(Substring($0))
    }
    let isCount = parts.count > 1 && parts.last?.utf8.elementsEqual("@count".utf8) == true
    if isCount { parts.removeLast() }
    let path = PropertyPath(parts.first ?? "", members: Array(parts.dropFirst()))
    return isCount ? .count(path) : .property(path)
  }

  /// A constant.
  mutating func constant() throws(StorageError) -> Value {
    switch lexer.token {
    case .string(let text):
      try lexer.advance()
      return .string(text)
    case .number(let number):
      let value = try self.number(number)
      try lexer.advance()
      return value
    case .argument: return try argument()
    case .symbol(.leftBrace): return try braces()
    case .word(let word):
      if let value = try namedConstant(word) { return value }
    default: break
    }
    throw lexer.expected("a constant")
  }

  private func number(_ number: NumberText) throws(StorageError) -> Value {
    if !number.hasExponent {
      if let integer = number.integer { return integer }
      if let decimal = number.decimal { return .decimal(decimal.decimal) }
    }
    guard let double = Double(lexer.tokenText), double.isFinite else {
      throw lexer.error("the number is too large for a Double")
    }
    return .double(double)
  }

  /// `nil`, `TRUE`, `uuid '…'` and the like; nil when the word is none of them, and then nothing is read.
  private mutating func namedConstant(_ word: String) throws(StorageError) -> Value? {
    switch Keyword(word: word) {
    case .true, .yes:
      try lexer.advance()
      return .bool(true)
    case .false, .no:
      try lexer.advance()
      return .bool(false)
    case .nil, .null:
      try lexer.advance()
      return .null
    default: break
    }
    // A name before a string can be nothing else; where it is no type, the error says so.
    guard lexer.next == UInt8(ascii: "'") || lexer.next == UInt8(ascii: "\""), word.utf8.count <= 7,
      let type = PropertyType(name: String(decoding: SchemaNames.folded(word), as: UTF8.self))
    else { return nil }
    let start = lexer.start
    try lexer.advance()
    guard case .string(let text) = lexer.token else { throw lexer.expected("a string") }
    guard let value = Self.value(text, type) else {
      throw lexer.error("\(text.shortened) cannot be read as \(type.name)", at: start)
    }
    try lexer.advance()
    return value
  }

  private static func value(_ text: String, _ type: PropertyType) -> Value? {
    switch type {
    case .float:
      if let bits = bits(text), let narrow = UInt32(exactly: bits) { return .float(Float(bitPattern: narrow)) }
      return Float(text).map { .float($0) }
    case .double:
      if let bits = bits(text) { return .double(Double(bitPattern: bits)) }
      return Double(text).map { .double($0) }
    case .date:
      if let date = ISO8601Text.date(text) { return .date(date) }
      // Seconds since 2001 where no calendar reaches.
      let seconds = bits(text).map { Double(bitPattern: $0) } ?? Double(text)
      return seconds.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .decimal where text.utf8.elementsEqual("nan".utf8): return .decimal(.nan)
    case .decimal, .uuid, .data, .url:
      guard case .exact(let value) = Value.string(text).fitted(to: type) else { return nil }
      return value
    case .string: return .string(text)
    default: return nil
    }
  }

  private static func bits(_ text: String) -> UInt64? {
    guard text.utf8.starts(with: "0x".utf8) else { return nil }
    return UInt64(text.dropFirst(2), radix: 16)
  }

  /// `{1, 2}`, a list, or `{'a': 1}`, a nested value; `{:}` is a nested value without members.
  private mutating func braces() throws(StorageError) -> Value {
    if lexer.next == UInt8(ascii: ":") {
      try lexer.advance()
      try lexer.advance()
      guard try skip(.rightBrace) else { throw lexer.expected("}") }
      return .object([])
    }
    let start = lexer.start
    var list: [Value] = []
    var members: [Value.Member] = []
    try descendValue()
    defer { ascendValue() }
    try lexer.advance()
    while !isAt(.rightBrace) {
      if !list.isEmpty || !members.isEmpty {
        guard try skip(.comma) else { throw lexer.expected("a comma or }") }
      }
      let value = try constant()
      if list.isEmpty, case .string(let name) = value, try skip(.colon) {
        members.append(Value.Member(name, try constant()))
      } else if members.isEmpty {
        list.append(value)
      } else {
        throw lexer.expected("a name and a colon")
      }
    }
    try lexer.advance()
    if members.isEmpty { return .array(list) }
    guard Set(members.map { ByteString($0.name) }).count == members.count else {
      throw lexer.error("a name is given twice", at: start)
    }
    return .object(unordered: members)
  }

  // MARK: Orders and assignments

  /// `-year, title`.
  mutating func order() throws(StorageError) -> [QueryTree.SortKey] {
    var keys: [QueryTree.SortKey] = []
    if case .end = lexer.token { return keys }
    repeat {
      let isDescending = try skip(.minus)
      if !isDescending { _ = try skip(.plus) }
      var path = PropertyPath(try name())
      while try skip(.dot) { path.members.append(try name()) }
      keys.append(QueryTree.SortKey(path, isDescending: isDescending))
    } while try skip(.comma)
    guard case .end = lexer.token else { throw hint(at: .order) ?? lexer.expected("a comma or the end") }
    return keys
  }

  /// A property's name; a keyword may be one here.
  private mutating func name() throws(StorageError) -> String {
    switch lexer.token {
    case .name(let name), .word(let name):
      try lexer.advance()
      return name
    case .keyArgument:
      let start = lexer.start
      guard case .string(let name) = try argument() else {
        throw lexer.error("the argument of %K must be a string with a property's name", at: start)
      }
      return name
    default: throw lexer.expected("the name of a property")
    }
  }

  /// `title = 'x', year = year + 1, pages -= 2`.
  mutating func assignments() throws(StorageError) -> [AssignmentTree] {
    var assignments: [AssignmentTree] = []
    repeat {
      assignments.append(try assignment())
    } while try skip(.comma)
    guard case .end = lexer.token else { throw lexer.expected("a comma or the end") }
    try requireAllArguments()
    return assignments
  }

  private mutating func assignment() throws(StorageError) -> AssignmentTree {
    let name = try name()
    let operation: AssignmentOperation
    switch lexer.token {
    case .symbol(.assign), .symbol(.equal): operation = .set
    case .symbol(.plusAssign): operation = .add
    case .symbol(.minusAssign): operation = .subtract
    case .symbol(.timesAssign): operation = .multiply
    default: throw lexer.expected("=, +=, -= or *=")
    }
    try lexer.advance()
    guard operation == .set, try skipOwnName(name) else {
      return AssignmentTree(name, operation, try constant())
    }
    let arithmetic: AssignmentOperation
    switch lexer.token {
    case .symbol(.plus): arithmetic = .add
    case .symbol(.minus): arithmetic = .subtract
    case .symbol(.times): arithmetic = .multiply
    default: throw lexer.expected("+, - or * and a number")
    }
    lexer.readsSigns = true
    try lexer.advance()
    return AssignmentTree(name, arithmetic, try constant())
  }

  /// Reads the property's own name on the right of its assignment, if it is there.
  private mutating func skipOwnName(_ name: String) throws(StorageError) -> Bool {
    switch lexer.token {
    case .name(let word): return try skipOwnName(name, word)
    case .word(let word):
      if let keyword = Keyword(word: word), !word.utf8.elementsEqual(name.utf8) || keyword.isConstant { return false }
      // A type before a string is a constant, whatever the property's name.
      if lexer.next == UInt8(ascii: "'") || lexer.next == UInt8(ascii: "\"") { return false }
      return try skipOwnName(name, word)
    default: return false
    }
  }

  private mutating func skipOwnName(_ name: String, _ word: String) throws(StorageError) -> Bool {
    guard word.utf8.elementsEqual(name.utf8) else {
      throw lexer.error("\(name) can be calculated from itself and a constant, not from \(word)")
    }
    // `year-1` is a subtraction.
    lexer.readsSigns = false
    defer { lexer.readsSigns = true }
    try lexer.advance()
    return true
  }
}
