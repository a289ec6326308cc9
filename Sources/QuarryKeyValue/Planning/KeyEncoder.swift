import Foundation
import QuarryBackend

/// Encodes constants of queries as components of keys, always ascending (a ``KeyBoundary`` inverts where a column descends).
struct KeyEncoder {
  private let writer = KeyWriter()

  /// A component of an index entry.
  func component(_ value: Value, _ slot: RowLayout.Slot) throws(StorageError) -> [UInt8] {
    writer.removeAll()
    try writer.append(value, type: slot.type, isOptional: slot.isOptional, isDescending: false, isLast: false)
    return Array(writer.bytes)
  }

  /// A primary key.
  func primaryKey(_ value: Value, _ slot: RowLayout.Slot) throws(StorageError) -> [UInt8] {
    writer.removeAll()
    try writer.append(value, type: slot.type, isOptional: false, isDescending: false, isLast: true)
    return Array(writer.bytes)
  }

  /// The values of an index column that fulfil a condition which is not of points.
  func interval(_ condition: SlotCondition, _ slot: RowLayout.Slot) throws(StorageError) -> Interval {
    var result = notNull(slot)
    switch condition {
    case .range(let lower, let upper):
      if let nan = nan(slot.type) { result.upper = .before(try component(nan, slot)) }
      if let lower {
        let bytes = try component(lower.value, slot)
        result.lower = lower.isIncluded ? .before(bytes) : .after(bytes)
      }
      if let upper {
        let bytes = try component(upper.value, slot)
        result.upper = upper.isIncluded ? .after(bytes) : .before(bytes)
      }
    case .hasPrefix(let prefix):
      // A component ends with two bytes that say so; without them it is the beginning of every longer one.
      var bytes = try component(.string(prefix), slot.asString)
      bytes.removeLast(min(2, bytes.count))
      result = Interval(lower: .before(bytes), upper: .after(bytes))
    case .never:
      result.upper = result.lower
    case .notNull, .points:
      break
    }
    return result
  }

  /// The keys of a table that fulfil a condition on the primary key which is not of points.
  ///
  /// A primary key stands alone, so that a string is there as it is: the least key after it is it and a zero byte.
  func keyInterval(_ condition: SlotCondition, _ slot: RowLayout.Slot) throws(StorageError) -> Interval {
    var result = Interval(lower: .before([]), upper: .after([]))
    switch condition {
    case .range(let lower, let upper):
      if let nan = nan(slot.type) { result.upper = .before(try primaryKey(nan, slot)) }
      if let lower {
        let bytes = try primaryKey(lower.value, slot)
        result.lower = .before(lower.isIncluded ? bytes : bytes + [0])
      }
      if let upper {
        let bytes = try primaryKey(upper.value, slot)
        result.upper = .before(upper.isIncluded ? bytes + [0] : bytes)
      }
    case .hasPrefix(let prefix):
      let bytes = Array(prefix.utf8)
      result = Interval(lower: .before(bytes), upper: .after(bytes))
    case .never:
      result.upper = result.lower
    case .notNull, .points:
      break
    }
    return result
  }

  /// Every value of the column but null.
  private func notNull(_ slot: RowLayout.Slot) -> Interval {
    let marker: [UInt8] = slot.isOptional ? [1] : []
    return Interval(lower: .before(marker), upper: .after(marker))
  }

  /// The value after infinity, where the type has one.
  private func nan(_ type: PropertyType) -> Value? {
    switch type {
    case .float: .float(.nan)
    case .double: .double(.nan)
    case .date: .date(Date(timeIntervalSinceReferenceDate: .nan))
    default: nil
    }
  }
}

extension RowLayout.Slot {
  /// The slot as if it held strings: a prefix of a URL need not be a URL.
  fileprivate var asString: RowLayout.Slot {
    var slot = self
    slot.type = .string
    return slot
  }
}
