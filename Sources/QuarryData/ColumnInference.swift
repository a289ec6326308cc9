import QuarryBackend

/// Infers the type of one column from its cells, in constant memory.
///
/// A type is taken only if it reproduces the text of the file: `007`, `+1`, `1.10` and `32E0134` are no numbers, a time without
/// `Z` is no date, a UUID has 36 characters.
struct ColumnInference {
  struct Kinds: OptionSet {
    let rawValue: UInt16
    static let bool = Kinds(rawValue: 1)
    static let number = Kinds(rawValue: 2)
    /// NaN and the infinities: numbers among numbers, text among text.
    static let special = Kinds(rawValue: 4)
    static let uuid = Kinds(rawValue: 8)
    static let date = Kinds(rawValue: 16)
    static let text = Kinds(rawValue: 32)
    static let array = Kinds(rawValue: 64)
    static let object = Kinds(rawValue: 128)
    static let strings: Kinds = [.special, .uuid, .date, .text]
  }

  var name: String
  private(set) var kinds: Kinds = []
  private(set) var hasNull = false
  /// The line of the first nil.
  private(set) var firstNull = 0
  /// The line of the first cell with a text that means nil; 0 where there is none.
  private(set) var firstNamedNull = 0
  /// Whether a quoted cell looks like a number or a Bool.
  private(set) var hasQuotedScalar = false
  /// The first cell whose text no number gives back, and its line.
  private(set) var firstChanged: (line: Int, text: String)?
  private var numbers = NumberInference()
  private var elements: ElementInference?

  init(name: String) {
    self.name = name
  }

  mutating func addNull(line: @autoclosure () -> Int) {
    if !hasNull { firstNull = line() }
    hasNull = true
  }

  /// Adds a cell with a text that means nil.
  mutating func addNamedNull(line: @autoclosure () -> Int) {
    if firstNamedNull == 0 { firstNamedNull = line() }
    addNull(line: line())
  }

  /// A cell of CSV.
  @inline(__always)
  mutating func add(_ cell: UnsafeRawBufferPointer, isQuoted: Bool, line: @autoclosure () -> Int) {
    // Text stays text whatever else there is.
    if kinds.contains(.text) { return }
    if let plain = PlainNumber(cell) {
      if !numbers.add(plain, cell) { noteChanged(cell, line()) }
      kinds.insert(.number)
      if isQuoted { hasQuotedScalar = true }
    } else {
      addOther(cell, isQuoted, line)
    }
  }

  /// A cell that is no number as most are written.
  @inline(never)
  private mutating func addOther(_ cell: UnsafeRawBufferPointer, _ isQuoted: Bool, _ line: () -> Int) {
    switch cell.first {
    case .some(0x30...0x39), UInt8(ascii: "-"), UInt8(ascii: "."):
      if let comesBack = numbers.add(cell) {
        if !comesBack { noteChanged(cell, line()) }
        kinds.insert(.number)
        if isQuoted { hasQuotedScalar = true }
        return
      }
    case UInt8(ascii: "t"), UInt8(ascii: "f"):
      if cell.elementsEqual("true".utf8) || cell.elementsEqual("false".utf8) {
        kinds.insert(.bool)
        if isQuoted { hasQuotedScalar = true }
        return
      }
    default: break
    }
    addString(cell)
    if isQuoted, kinds.contains(.special) { hasQuotedScalar = true }
  }

  private mutating func noteChanged(_ cell: UnsafeRawBufferPointer, _ line: Int) {
    if firstChanged == nil { firstChanged = (line, String(decoding: cell.prefix(100), as: UTF8.self)) }
  }

  /// A string of JSON, or a cell of CSV that is neither number nor Bool.
  private mutating func addString(_ text: some BidirectionalCollection<UInt8>) {
    if kinds.contains(.text) { return }
    if text.count <= 9, SpecialNumber.number(text) != nil {
      kinds.insert(.special)
      numbers.hasSpecial = true
    } else if UUIDText.bytes(text, allowsLowercase: true) != nil {
      kinds.insert(.uuid)
    } else if text.count >= 20, ISO8601Text.losslessDate(text) != nil {
      kinds.insert(.date)
    } else {
      kinds.insert(.text)
    }
  }

  /// A value of JSON.
  ///
  /// - Throws: `invalidValue` where it does not go with the values of the lines before, or has a number in it that no type
  ///   holds.
  mutating func add(_ value: JSONValue, line: Int) throws(StorageError) {
    let before = kinds
    switch value {
    case .null: addNull(line: line)
    case .bool: kinds.insert(.bool)
    case .number(let text):
      kinds.insert(.number)
      guard let form = NumberForm(text.utf8) else { break }
      numbers.add(form, text.utf8)
    case .string(let text): addString(text.utf8)
    case .array(let values):
      kinds.insert(.array)
      if elements == nil { elements = ElementInference() }
      elements?.add(values)
    case .object: kinds.insert(.object)
    }
    // For the column's own numbers, the column as a whole decides.
    let isOwn = if case .number = value { true } else { false }
    if !isOwn, let number = JSONConversion.numberWithoutType(in: value) {
      throw StorageError(
        .invalidValue,
        "line \(line), column \(name.escapedForDisplay): no type holds "
          + "\(number.shortened) without loss; write it as a string",
        property: name)
    }
    guard !isConsistent else { return }
    throw StorageError(
      .invalidValue,
      "line \(line), column \(name.escapedForDisplay): \(value.kind) where the lines before have \(before.words)",
      property: name)
  }

  private var isConsistent: Bool {
    kinds == .bool || kinds.isSubset(of: .strings) || kinds.isSubset(of: [.number, .special])
      || kinds.isSubset(of: [.array, .object])
  }

  /// The column as a property.
  ///
  /// - Parameter quotesMeanText: Whether a quoted number is text: not in a file in which everything is quoted.
  /// - Returns: nil where the column has numbers that only text can hold and text is not allowed.
  func property(quotesMeanText: Bool, allowsText: Bool) -> PropertySchema? {
    func made(_ type: PropertyType, _ element: PropertyType? = nil) -> PropertySchema {
      PropertySchema(name: name, type: type, isOptional: hasNull, elementType: element)
    }
    if quotesMeanText && hasQuotedScalar { return made(.string) }
    switch kinds {
    case .bool: return made(.bool)
    case .uuid: return made(.uuid)
    case .date: return made(.date)
    case .number, [.number, .special]:
      if firstChanged != nil { return made(.string) }
      if let type = numbers.type { return made(type) }
      return allowsText ? made(.string) : nil
    case .array:
      guard let element = elements?.type else { return made(.nested) }
      return made(.array, element)
    case .object, [.array, .object]: return made(.nested)
    default: return made(.string)
    }
  }
}

extension ColumnInference {
  /// The reason why a column that has nothing but numbers is text; nil for every other column.
  ///
  /// - Parameter property: The inferred property of the column.
  func reason(_ property: PropertySchema) -> String? {
    guard property.type == .string, !hasQuotedScalar, kinds == .number || kinds == [.number, .special] else {
      return nil
    }
    let name = name.escapedForDisplay
    guard let firstChanged else {
      return "\(name) is text: no type holds all its numbers as they are written"
    }
    return "\(name) is text: no number gives back \(firstChanged.text.excerpt) in line \(firstChanged.line) as it is "
      + "written, beside the cells before it (--type \(name)=double makes it a number)"
  }
}

extension ColumnInference.Kinds {
  fileprivate var words: String {
    if contains(.bool) { return "a Bool" }
    if contains(.number) { return "a number" }
    if contains(.array) { return "an array" }
    if contains(.object) { return "an object" }
    return "a string"
  }
}

/// Infers the one type of all elements of a column's arrays. Where there is none the column is a nested value.
struct ElementInference {
  private var kinds: ColumnInference.Kinds = []
  private var numbers = NumberInference()

  mutating func add(_ values: [JSONValue]) {
    for value in values {
      switch value {
      case .bool: kinds.insert(.bool)
      case .number(let text):
        kinds.insert(.number)
        if let form = NumberForm(text.utf8) { numbers.add(form, text.utf8) }
      case .string: kinds.insert(.text)
      // An array of any type may have nils.
      case .null: break
      case .array, .object: kinds.insert(.object)
      }
    }
  }

  var type: PropertyType? {
    switch kinds {
    case .bool: .bool
    case .number: numbers.type
    case .text: .string
    default: nil
    }
  }
}
