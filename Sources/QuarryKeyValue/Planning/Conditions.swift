import QuarryBackend

/// The conjuncts of a predicate, and what they say of single slots.
struct Conditions {
  struct Points {
    var slot: Int
    var conjunct: Int
    var values: [Value]
  }

  struct Range {
    var slot: Int
    var conjuncts: [Int]
    var interval: Interval
  }

  struct Position {
    var conjunct: Int
    var order: [BoundSortKey]
    var values: [Value]
  }

  // Lists and no dictionaries: few slots have conditions, and for one or two a dictionary costs more than all the rest.
  private(set) var conjuncts: [BoundPredicate] = []
  /// The conjunct with the fewest values for each slot that is compared with values.
  private(set) var points: [Points] = []
  /// Conjuncts that every row fulfils.
  private(set) var trivial: [Int] = []
  /// The range of each slot, as a column of an index, that conjuncts limit to one.
  private var ranges: [Range] = []
  /// The conditions of the ranges of the primary key.
  private var keyConditions: [SlotCondition] = []
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
        let new = Points(slot: slot, conjunct: place, values: values)
        guard let known = points.firstIndex(where: { $0.slot == slot }) else {
          points.append(new)
          continue
        }
        if values.count < points[known].values.count { points[known] = new }
      case .notNull where !table.layout.slots[slot].isOptional:
        trivial.append(place)
      case .range, .hasPrefix, .notNull:
        let next = try encoder.interval(condition, table.layout.slots[slot])
        if slot == table.layout.primaryKey { keyConditions.append(condition) }
        guard let known = ranges.firstIndex(where: { $0.slot == slot }) else {
          ranges.append(Range(slot: slot, conjuncts: [place], interval: next))
          continue
        }
        ranges[known].conjuncts.append(place)
        ranges[known].interval = ranges[known].interval.intersection(next)
      }
    }
    if ranges.contains(where: \.interval.isEmpty) { return nil }
  }

  /// The values of a slot, when a conjunct compares it with some.
  func points(of slot: Int) -> Points? { points.first { $0.slot == slot } }

  /// Whether conjuncts say which values of an index column, or which of its ranges, the rows have.
  func limit(_ slot: RowLayout.Slot) -> Bool { points(of: Int(slot.index)) != nil || interval(slot) != nil }

  /// The value of a slot that has one value only in the rows of the query.
  func fixed(_ slot: Int) -> Value? {
    guard let points = points(of: slot), points.values.count == 1 else { return nil }
    return points.values[0]
  }

  /// The range of an index column, when conjuncts limit it to one.
  func interval(_ slot: RowLayout.Slot) -> Range? { ranges.first { $0.slot == slot.index } }

  /// The range of primary keys, when conjuncts limit them to one.
  func keyInterval(_ encoder: KeyEncoder) throws(StorageError) -> Range? {
    guard var result = interval(table.layout.keySlot) else { return nil }
    for (place, condition) in keyConditions.enumerated() {
      let next = try encoder.keyInterval(condition, table.layout.keySlot)
      result.interval = place == 0 ? next : result.interval.intersection(next)
    }
    return result
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
