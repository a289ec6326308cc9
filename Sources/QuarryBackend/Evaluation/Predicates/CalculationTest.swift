import Foundation

/// Compares two numbers that are calculated from a row.
final class CalculationTest: RowTest {
  private let left: RowNumber
  private let right: RowNumber
  private let comparison: Comparison
  private let defaults: DefaultRow

  init(_ left: RowNumber, _ comparison: Comparison, _ right: RowNumber, _ defaults: DefaultRow) {
    self.left = left
    self.right = right
    self.comparison = comparison
    self.defaults = defaults
  }

  override var cost: Int { 20 }

  override func matches(_ row: RowView) throws(StorageError) -> Bool {
    let first = try left.value(row, defaults)
    let second = try right.value(row, defaults)
    guard let first, let second else {
      // Nil equals nil, and has no order.
      let isEqual = first == nil && second == nil
      return isEqual ? comparison == .equal : comparison == .notEqual
    }
    guard let order = ExactNumber.compare(first, second) else { return comparison == .notEqual }
    return comparison.holds(order)
  }
}

/// A number of a row, with its slots made ready.
indirect enum RowNumber {
  case slot(RowLayout.Slot)
  case count(RowLayout.Slot)
  case constant(ExactNumber?)
  case arithmetic(RowNumber, ArithmeticOperator, RowNumber, CalculationType)

  /// The number; nil where the row has none.
  func value(_ row: RowView, _ defaults: DefaultRow) throws(StorageError) -> ExactNumber? {
    switch self {
    case .constant(let number): return number
    case .slot(let slot):
      let row = defaults.row(for: slot, in: row)
      return row.isNull(slot) ? nil : try row.number(slot)
    case .count(let slot):
      let row = defaults.row(for: slot, in: row)
      return row.isNull(slot) ? nil : try row.count(slot).map { .integer(Int128($0)) }
    case .arithmetic(let left, let operation, let right, let type):
      guard let a = try left.value(row, defaults), let b = try right.value(row, defaults) else { return nil }
      return type.result(a, operation, b)
    }
  }
}

extension RowView {
  /// How many characters, bytes or elements the value of a slot that is not null has; nil for other types.
  func count(_ slot: RowLayout.Slot) throws(StorageError) -> Int? {
    switch slot.type {
    case .data: return try bytes(slot).count
    case .string:
      let text = try bytes(slot)
      // A character of ASCII is a byte, but for a line's end of two.
      if text.allSatisfy({ $0 < 0x80 && $0 != 0x0D }) { return text.count }
      return try string(slot).count
    case .array: return try NestedCoding.decode(try bytes(slot)).elementCount
    default: return nil
    }
  }
}

extension Value {
  /// How many characters, bytes or elements the value has; nil for other kinds.
  var elementCount: Int? {
    switch self {
    case .array(let elements): elements.count
    case .string(let text): text.count
    case .data(let data): data.count
    default: nil
    }
  }
}
