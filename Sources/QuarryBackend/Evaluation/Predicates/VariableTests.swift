import Foundation

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
final class BytesTest: SlotTest {
  private let comparison: Comparison
  /// In their order.
  private let constants: [[UInt8]]
  /// The only constant.
  private let single: ByteNeedle?

  init(
    _ slot: RowLayout.Slot, _ comparison: Comparison, _ values: [Value], _ defaults: DefaultRow
  ) throws(StorageError) {
    var constants: [[UInt8]] = []
    for value in values {
      guard value.isText(of: slot.type), let bytes = value.withTextBytes({ Array($0) }) else {
        throw .cannotCompare(value, slot.type)
      }
      constants.append(bytes)
    }
    self.comparison = comparison
    self.constants = constants
    single = constants.count == 1 ? ByteNeedle(constants[0]) : nil
    super.init(slot, defaults)
  }

  override var cost: Int { 4 }

  override func mask(_ span: RowSpan, _ active: UInt64) throws(StorageError) -> UInt64 {
    try span.mask(active) { row throws(StorageError) in try matches(row) }
  }

  override func matches(_ row: RowView) throws(StorageError) -> Bool {
    let row = present(row)
    if row.isNull(slot) { return comparison == .notEqual }
    let text = try row.bytes(slot)
    if let single {
      switch comparison {
      case .equal: return single.equals(text)
      case .notEqual: return !single.equals(text)
      case .less, .lessOrEqual, .greater, .greaterOrEqual: return comparison.holds(text.compare(single.bytes))
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
final class TextTest: SlotTest {
  private let matcher: TextMatcher

  init(_ slot: RowLayout.Slot, _ matcher: TextMatcher, _ defaults: DefaultRow) {
    self.matcher = matcher
    super.init(slot, defaults)
  }

  override var cost: Int { matcher.cost }

  override func matches(_ row: RowView) throws(StorageError) -> Bool {
    let row = present(row)
    if row.isNull(slot) { return false }
    return try matcher.matches(try row.bytes(slot))
  }

  override func mask(_ span: RowSpan, _ active: UInt64) throws(StorageError) -> UInt64 {
    try span.mask(active) { row throws(StorageError) in try matches(row) }
  }
}

/// A test inside a value tree.
final class NestedValueTest: SlotTest {
  private let matcher: NestedMatcher

  init(_ slot: RowLayout.Slot, _ matcher: NestedMatcher, _ defaults: DefaultRow) {
    self.matcher = matcher
    super.init(slot, defaults)
  }

  override var cost: Int { 200 }

  override func matches(_ row: RowView) throws(StorageError) -> Bool {
    let row = present(row)
    if row.isNull(slot) { return try matcher.matches(.null) }
    return try matcher.matches(try NestedCoding.decode(try row.bytes(slot)))
  }
}

/// Compares a decimal with constants in their order, of which there are many only for membership.
final class DecimalTest: SlotTest {
  private let comparison: Comparison
  private let constants: [DecimalParts]

  init(
    _ slot: RowLayout.Slot, _ comparison: Comparison, _ values: [Value], _ defaults: DefaultRow
  ) throws(StorageError) {
    var constants: [DecimalParts] = []
    for value in values {
      guard case .decimal(let decimal) = value, !decimal.isNaN else {
        throw .cannotCompare(value, slot.type)
      }
      constants.append(try DecimalParts(decimal))
    }
    self.comparison = comparison
    self.constants = constants
    super.init(slot, defaults)
  }

  override var cost: Int { 6 }

  override func matches(_ row: RowView) throws(StorageError) -> Bool {
    let row = present(row)
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
