import QuarryBackend

/// The conjuncts of a predicate, and what they say of single slots.
struct Conditions {
  struct Points {
    var conjunct: Int
    var values: [Value]
  }

  struct Range {
    var conjuncts: [Int]
    var interval: Interval
  }

  struct Position {
    var conjunct: Int
    var order: [BoundSortKey]
    var values: [Value]
  }

  private(set) var conjuncts: [BoundPredicate] = []
  /// The conjunct with the fewest values for each slot that is compared with values.
  private(set) var points: [Int: Points] = [:]
  /// Conjuncts that every row fulfils.
  private(set) var trivial: Set<Int> = []
  /// The value of each slot that has one value only in the rows of the query.
  private(set) var fixed: [Int: Value] = [:]
  private var ranges: [Int: [(conjunct: Int, condition: SlotCondition)]] = [:]
  private var positions: [Position] = []
  private let table: Table

  /// Nil when no row can fulfil the predicate.
  init?(_ predicate: BoundPredicate, _ table: Table, _ encoder: KeyEncoder) throws(StorageError) {
    self.table = table
    guard collect(predicate) else { return nil }
    for (place, conjunct) in conjuncts.enumerated() {
      if case .after(let order, let values) = conjunct {
        positions.append(Position(conjunct: place, order: order, values: values))
      }
      guard let (slot, condition) = SlotCondition.of(conjunct, table.layout) else { continue }
      switch condition {
      case .never:
        return nil
      case .points(let values):
        if let known = points[slot], known.values.count <= values.count { continue }
        points[slot] = Points(conjunct: place, values: values)
        fixed[slot] = values.count == 1 ? values[0] : nil
      case .notNull where !table.layout.slots[slot].isOptional:
        trivial.insert(place)
      case .range, .hasPrefix, .notNull:
        ranges[slot, default: []].append((place, condition))
      }
    }
    for slot in ranges.keys.sorted() {
      if let range = try interval(table.layout.slots[slot], encoder), range.interval.isEmpty { return nil }
    }
  }

  /// The range of an index column, when conjuncts limit it to one.
  func interval(_ slot: RowLayout.Slot, _ encoder: KeyEncoder) throws(StorageError) -> Range? {
    guard let conditions = ranges[Int(slot.index)] else { return nil }
    var result: Interval?
    for (_, condition) in conditions {
      let next = try encoder.interval(condition, slot)
      result = result?.intersection(next) ?? next
    }
    return result.map { Range(conjuncts: conditions.map(\.conjunct), interval: $0) }
  }

  /// The range of primary keys, when conjuncts limit them to one.
  func keyInterval(_ encoder: KeyEncoder) throws(StorageError) -> Range? {
    guard let conditions = ranges[table.layout.primaryKey] else { return nil }
    var result: Interval?
    for (_, condition) in conditions {
      let next = try encoder.keyInterval(condition, table.layout.keySlot)
      result = result?.intersection(next) ?? next
    }
    return result.map { Range(conjuncts: conditions.map(\.conjunct), interval: $0) }
  }

  /// The position after which the rows of a page begin, when it is one of this order.
  func position(in order: [BoundSortKey]) -> Position? {
    positions.first { $0.order == order && $0.values.count == order.count }
  }

  /// Takes the conjuncts apart. False when one of them is never true.
  private mutating func collect(_ predicate: BoundPredicate) -> Bool {
    switch predicate {
    case .constant(let value):
      return value
    case .and(let parts):
      for part in parts where !collect(part) { return false }
      return true
    default:
      conjuncts.append(predicate)
      return true
    }
  }
}
