import QuarryBackend

/// One way to find the rows of a query.
struct Candidate {
  /// Better ranks come first.
  enum Rank: Int, Comparable {
    case key, unique, equality, range, order, scan

    static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
  }

  var path: AccessPlan.Path
  var access: QueryPlan.Access
  var rank: Rank
  /// Places of the conjuncts that the path decides.
  var pushed: [Int]
  var ordering: AccessPlan.Ordering = .served
  var isDescending = false
  /// Columns of the index with one or several values.
  var equalities = 0
  var hasRange = false
  /// Rows that the path gives, where they were counted.
  var estimate: Int?

  init(_ path: AccessPlan.Path, _ access: QueryPlan.Access, rank: Rank, pushed: [Int]) {
    self.path = path
    self.access = access
    self.rank = rank
    self.pushed = pushed
  }

  func isBetter(than other: Candidate) -> Bool {
    if let estimate, let known = other.estimate, estimate != known { return estimate < known }
    if equalities != other.equalities { return equalities > other.equalities }
    if hasRange != other.hasRange { return hasRange }
    return ordering == .served && other.ordering != .served
  }

  /// The rows that the path gives.
  func count(_ table: Table, _ count: Planner.Counter) throws(StorageError) -> Int {
    switch path {
    case .empty: return 0
    case .keys(let keys): return keys.count
    case .entries(_, let entries): return entries.count
    case .table(let range): return try count(table.tree, range)
    case .index(let index, let ranges):
      var total = 0
      for range in ranges { total += try count(index.tree, range) }
      return total
    }
  }

  // MARK: Order

  /// The order in which a table is walked.
  static func walk(_ table: Table) -> [BoundSortKey] {
    [BoundSortKey(slot: table.layout.primaryKey)]
  }

  /// The order in which an index is walked: its columns, then the primary key in the direction of the last of them.
  static func walk(_ index: TableIndex, _ table: Table) -> [BoundSortKey] {
    index.schema.columns.map { BoundSortKey(slot: $0.slot, isDescending: $0.isDescending) }
      + [BoundSortKey(slot: table.layout.primaryKey, isDescending: index.isKeyDescending)]
  }

  /// Determines whether the path has the requested order, forwards or backwards.
  ///
  /// Slots with one value only do not affect an order, nor do slots that came before.
  mutating func matchOrder(
    _ order: [BoundSortKey]?, _ walk: [BoundSortKey], _ conditions: Conditions, estimate: Int? = nil
  ) {
    self.estimate = estimate
    guard let order, estimate != 1 else { return }
    let wanted = Self.essential(order, conditions, key: walk.last?.slot)
    let given = Self.essential(walk, conditions, key: walk.last?.slot)
    guard wanted.count <= given.count, let first = wanted.first else {
      // Everything that the order uses is fixed, the primary key too: there is one row.
      ordering = wanted.isEmpty ? .served : .rows
      return
    }
    let isBackwards = first.isDescending != given[0].isDescending
    let isServed = zip(wanted, given).allSatisfy { wanted, given in
      wanted.slot == given.slot && wanted.isDescending == (given.isDescending != isBackwards)
    }
    if isServed {
      isDescending = isBackwards
    } else if wanted.count == 1, let key = walk.last, key.slot == first.slot {
      isDescending = first.isDescending
      ordering = .keys
    } else {
      ordering = .rows
    }
  }

  private static func essential(_ order: [BoundSortKey], _ conditions: Conditions, key: Int?) -> [BoundSortKey] {
    if order.count == 1, conditions.points.isEmpty { return order }
    var keys: [BoundSortKey] = []
    keys.reserveCapacity(order.count)
    for wanted in order {
      if conditions.fixed(wanted.slot) != nil || keys.contains(where: { $0.slot == wanted.slot }) { continue }
      keys.append(wanted)
      // No two rows have one primary key, so that nothing after it matters.
      if wanted.slot == key { break }
    }
    return keys
  }

  // MARK: Paging

  /// Begins the walk at a position instead of filtering everything before it.
  mutating func start(
    after position: Conditions.Position, _ conditions: Conditions, _ table: Table, _ encoder: KeyEncoder
  ) throws(StorageError) {
    var values: [Int: Value] = [:]
    for points in conditions.points where points.values.count == 1 { values[points.slot] = points.values[0] }
    for (key, value) in zip(position.order, position.values) {
      if let fixed = values[key.slot], ValueOrder.compare(fixed, value) != 0 { return }
      values[key.slot] = value
    }
    guard let keyValue = values[table.layout.primaryKey] else { return }
    let key = try encoder.primaryKey(keyValue, table.layout.keySlot)
    switch path {
    case .empty, .keys, .entries:
      return
    case .table(let range):
      path = .table(range.intersection(rest(after: key, isExact: true)))
      if case .scan = access { access = .keyRange }
      pushed.append(position.conjunct)
    case .index(let index, let ranges):
      var entry: [UInt8] = []
      var isWhole = true
      var hasNull = false
      for column in index.columns {
        guard let value = values[Int(column.slot.index)] else {
          isWhole = false
          break
        }
        if value.isNull { hasNull = true }
        let component = try encoder.component(value, column.slot)
        entry += column.isDescending ? component.map { ~$0 } : component
      }
      // An entry without the primary key may belong to another row by now, which the evaluator has to check.
      let isExact = isWhole && (!index.isUnique || hasNull)
      if isExact {
        entry += index.isKeyDescending ? try encoder.component(keyValue, table.layout.keySlot).map { ~$0 } : key
      }
      let rest = rest(after: entry, isExact: isExact)
      path = .index(index, ranges.map { $0.intersection(rest) }.filter { !$0.isEmpty })
      if isExact { pushed.append(position.conjunct) }
    }
  }

  private func rest(after key: [UInt8], isExact: Bool) -> KeyRange {
    switch (isDescending, isExact) {
    case (false, true): KeyRange(lower: key + [0])
    case (false, false): KeyRange(lower: key)
    case (true, true): KeyRange(upper: key)
    case (true, false): KeyRange(upper: KeyRange.successor(ofPrefix: key))
    }
  }
}
