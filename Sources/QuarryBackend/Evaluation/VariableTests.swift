import Foundation

extension RowView {
  /// The bytes of a slot of variable size that is not null.
  @inline(__always)
  func text(_ slot: RowLayout.Slot) throws(StorageError) -> UnsafeRawBufferPointer {
    try bytes(slot)
  }
}

extension Value {
  /// The bytes of text or data; nil for other kinds.
  func withTextBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R? {
    switch self {
    case .string(var text): return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    case .url(let url):
      var text = url.absoluteString
      return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    case .data(let data): return data.withUnsafeBytes { body($0) }
    default: return nil
    }
  }

  /// Whether this is a value of a string, url or data column of that type.
  func isText(of type: PropertyType) -> Bool {
    switch (type, self) {
    case (.string, .string), (.url, .url), (.data, .data): true
    default: false
    }
  }
}

/// Compares the bytes of text or data with constants, of which there are many only for membership.
final class BytesTest: RowTest {
  private let slot: RowLayout.Slot
  private let comparison: Comparison
  /// In their order.
  private let constants: [[UInt8]]
  private let defaults: DefaultRow

  init(
    _ slot: RowLayout.Slot, _ comparison: Comparison, _ values: [Value], _ defaults: DefaultRow
  ) throws(StorageError) {
    var constants: [[UInt8]] = []
    for value in values {
      guard value.isText(of: slot.type), let bytes = value.withTextBytes({ Array($0) }) else {
        throw StorageError(.invalidQuery, "\(value.kind) cannot be compared with the type \(slot.type.name)")
      }
      constants.append(bytes)
    }
    self.slot = slot
    self.comparison = comparison
    self.constants = constants
    self.defaults = defaults
  }

  override var cost: Int { 4 }

  override func matches(_ row: RowView) throws(StorageError) -> Bool {
    let row = defaults.row(for: slot, in: row)
    if row.isNull(slot) { return comparison == .notEqual }
    let text = try row.text(slot)
    if constants.count == 1 {
      return constants[0].withUnsafeBytes { constant in
        switch comparison {
        case .equal: text.count == constant.count && text.compare(constant) == 0
        case .notEqual: text.count != constant.count || text.compare(constant) != 0
        case .less, .lessOrEqual, .greater, .greaterOrEqual: comparison.holds(text.compare(constant))
        }
      }
    }
    var low = 0
    var high = constants.count
    while low < high {
      let middle = (low &+ high) &>> 1
      let order = constants[middle].withUnsafeBytes { text.compare($0) }
      if order == 0 { return true }
      if order > 0 { low = middle &+ 1 } else { high = middle }
    }
    return false
  }
}

/// A text operator on a string or a URL.
final class TextTest: RowTest {
  private let slot: RowLayout.Slot
  private let matcher: TextMatcher
  private let defaults: DefaultRow

  init(_ slot: RowLayout.Slot, _ matcher: TextMatcher, _ defaults: DefaultRow) {
    self.slot = slot
    self.matcher = matcher
    self.defaults = defaults
  }

  override var cost: Int { matcher.cost }

  override func matches(_ row: RowView) throws(StorageError) -> Bool {
    let row = defaults.row(for: slot, in: row)
    if row.isNull(slot) { return false }
    return try matcher.matches(try row.text(slot))
  }
}

/// A test inside a value tree.
final class NestedValueTest: RowTest {
  private let slot: RowLayout.Slot
  private let matcher: NestedMatcher
  private let defaults: DefaultRow

  init(_ slot: RowLayout.Slot, _ matcher: NestedMatcher, _ defaults: DefaultRow) {
    self.slot = slot
    self.matcher = matcher
    self.defaults = defaults
  }

  override var cost: Int { 200 }

  override func matches(_ row: RowView) throws(StorageError) -> Bool {
    let row = defaults.row(for: slot, in: row)
    if row.isNull(slot) { return try matcher.matches(.null) }
    return try matcher.matches(try NestedCoding.decode(try row.bytes(slot)))
  }
}

/// Compares a decimal with constants in their order, of which there are many only for membership.
final class DecimalTest: RowTest {
  private let slot: RowLayout.Slot
  private let comparison: Comparison
  private let constants: [DecimalParts]
  private let defaults: DefaultRow

  init(
    _ slot: RowLayout.Slot, _ comparison: Comparison, _ values: [Value], _ defaults: DefaultRow
  ) throws(StorageError) {
    var constants: [DecimalParts] = []
    for value in values {
      guard case .decimal(let decimal) = value, !decimal.isNaN else {
        throw StorageError(.invalidQuery, "\(value.kind) cannot be compared with the type \(slot.type.name)")
      }
      constants.append(try DecimalParts(decimal))
    }
    self.slot = slot
    self.comparison = comparison
    self.constants = constants
    self.defaults = defaults
  }

  override var cost: Int { 6 }

  override func matches(_ row: RowView) throws(StorageError) -> Bool {
    let row = defaults.row(for: slot, in: row)
    if row.isNull(slot) { return comparison == .notEqual }
    let value = try row.decimal(slot)
    if constants.count == 1 { return comparison.holds(value.compare(constants[0])) }
    var low = 0
    var high = constants.count
    while low < high {
      let middle = (low + high) / 2
      let order = value.compare(constants[middle])
      if order == 0 { return true }
      if order > 0 { low = middle + 1 } else { high = middle }
    }
    return false
  }
}
