import Foundation
import QuarryBackend

/// The condition of a conjunct on one slot, in a form that a range of keys decides fully.
///
/// Exactly the rows whose key is in the range fulfil the conjunct.
///
/// Three things make the order of keys differ from the meaning of predicates, and are dealt with here: null has a place
/// in the order but is neither less nor greater; NaN has one too, after infinity, but equals nothing; and a range that
/// ends at nothing must leave both out. -0.0 and 0.0 are one key and one value.
enum SlotCondition {
  /// The slot has one of these values, which are distinct; null stands for nil.
  case points([Value])
  /// The slot is not null and lies between two constants.
  case range(lower: Bound?, upper: Bound?)
  /// The slot is a string that begins with these bytes.
  case hasPrefix(String)
  case notNull
  /// No value fulfils it.
  case never

  struct Bound {
    var value: Value
    var isIncluded: Bool
  }

  /// The condition on a slot that a conjunct is; nil when only the evaluator can decide it.
  static func of(_ conjunct: BoundPredicate, _ layout: RowLayout) -> (slot: Int, condition: SlotCondition)? {
    switch conjunct {
    case .isNull(let slot):
      guard isKeyed(slot, layout) else { return nil }
      return (slot, layout.slots[slot].isOptional ? .points([.null]) : .never)
    case .not(.isNull(let slot)):
      return isKeyed(slot, layout) ? (slot, .notNull) : nil
    case .compare(let slot, let comparison, let value):
      guard isKeyed(slot, layout), !value.isNull else { return nil }
      return comparing(comparison, value).map { (slot, $0) }
    case .oneOf(let slot, let values):
      guard isKeyed(slot, layout), !values.contains(where: \.isNull) else { return nil }
      let points = values.filter { !$0.isNotANumber }
      return (slot, points.isEmpty ? .never : .points(points))
    case .function(let slot, let call):
      guard isKeyed(slot, layout), let range = call.range else { return nil }
      return ranged(range, layout.slots[slot].type).map { (slot, $0) }
    case .or(let parts):
      return anyOf(parts, layout)
    default:
      return nil
    }
  }

  /// Alternatives that are all values of one slot: `x == 1 || x == nil`.
  private static func anyOf(
    _ parts: [BoundPredicate], _ layout: RowLayout
  ) -> (slot: Int, condition: SlotCondition)? {
    var all: [Value] = []
    var common: Int?
    for part in parts {
      guard let (slot, condition) = of(part, layout), common == nil || common == slot else { return nil }
      switch condition {
      case .points(let values): all += values
      case .never: break
      case .range, .hasPrefix, .notNull: return nil
      }
      common = slot
    }
    guard let common else { return nil }
    all.sort { ValueOrder.compare($0, $1) < 0 }
    var points: [Value] = []
    for value in all {
      if let last = points.last, ValueOrder.compare(last, value) == 0 { continue }
      points.append(value)
    }
    return (common, points.isEmpty ? .never : .points(points))
  }

  private static func ranged(_ range: FunctionRange, _ type: PropertyType) -> SlotCondition? {
    guard type == .string || type == .url else { return nil }
    switch range {
    case .every: return .notNull
    case .prefix(let prefix): return .hasPrefix(prefix)
    case .equal(let text): return type == .string ? .points([.string(text)]) : nil
    }
  }

  private static func comparing(_ comparison: Comparison, _ value: Value) -> SlotCondition? {
    let isNaN = value.isNotANumber
    switch comparison {
    case .notEqual: return nil
    case _ where isNaN: return .never
    case .equal: return .points([value])
    case .less: return .range(lower: nil, upper: Bound(value: value, isIncluded: false))
    case .lessOrEqual: return .range(lower: nil, upper: Bound(value: value, isIncluded: true))
    case .greater: return .range(lower: Bound(value: value, isIncluded: false), upper: nil)
    case .greaterOrEqual: return .range(lower: Bound(value: value, isIncluded: true), upper: nil)
    }
  }

  private static func isKeyed(_ slot: Int, _ layout: RowLayout) -> Bool {
    layout.slots.indices.contains(slot) && layout.slots[slot].type.isOrdered
  }
}
