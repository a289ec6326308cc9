import QuarryBackend

/// Chooses how a query is executed.
///
/// Rules choose, so that a plan is the same for small and large stores: a lookup by key before a lookup in an index, an equality
/// before a range, a range before a walk in the order, and a walk before a scan with a sort. Where the engine counts ranges in
/// its trees, counts decide between paths of one rank, and keep an index from being used for most of a table: reading a row
/// through an index costs several times what it costs in a scan.
struct Planner {
  /// Counts the entries of a range of a tree; nil for an engine that would have to visit them.
  typealias Counter = (Tree, KeyRange) throws(StorageError) -> Int

  /// Products of points of several columns above this many ranges are not made.
  static let maximumRanges = 10_000
  /// Tables with fewer rows are not worth a second thought.
  static let smallTable = 1024
  /// A path that is not selective gives more than the table's rows divided by this. In memory a row costs 6 ns in a
  /// filtered scan and 60 to 180 through an index.
  static let unselective = 10

  let table: Table
  let predicate: BoundPredicate
  /// The order to serve; nil when any will do.
  let order: [BoundSortKey]?
  let hasLimit: Bool
  /// Whether a path that decides the whole predicate goes before any other: it is counted without reading rows.
  let prefersDecided: Bool
  let count: Counter?
  private let encoder = KeyEncoder()

  init(
    _ table: Table, _ predicate: BoundPredicate, order: [BoundSortKey]?, hasLimit: Bool,
    prefersDecided: Bool = false, count: Counter?
  ) {
    self.table = table
    self.predicate = predicate
    self.order = order
    self.hasLimit = hasLimit
    self.prefersDecided = prefersDecided
    self.count = count
  }

  /// The best way to execute the query.
  func plan() throws(StorageError) -> AccessPlan {
    guard let conditions = try Conditions(predicate, table, encoder) else {
      return AccessPlan(path: .empty, access: .empty, pushed: [predicate])
    }
    var candidates = try [tableCandidate(conditions)]
    for index in table.indexes {
      if let candidate = try indexCandidate(index, conditions) { candidates.append(candidate) }
    }
    if prefersDecided {
      let decided = candidates.filter { Set($0.pushed).union(conditions.trivial).count == conditions.conjuncts.count }
      if !decided.isEmpty { return complete(try best(decided, isCounting: true), conditions) }
    }
    var candidate = try best(candidates, isCounting: false)
    if candidate.ordering == .served, let order, let position = conditions.position(in: order) {
      try candidate.start(after: position, conditions, table, encoder)
    }
    return complete(candidate, conditions)
  }

  // MARK: Candidates

  private func tableCandidate(_ conditions: Conditions) throws(StorageError) -> Candidate {
    let slot = table.layout.keySlot
    if let points = conditions.points(of: table.layout.primaryKey) {
      var keys: [[UInt8]] = []
      for value in points.values { keys.append(try encoder.primaryKey(value, slot)) }
      keys = Self.distinct(keys)
      var candidate = Candidate(.keys(keys), .keyLookup, rank: .key, pushed: [points.conjunct])
      candidate.matchOrder(order, Candidate.walk(table), conditions, estimate: keys.count)
      return candidate
    }
    var candidate: Candidate
    if let range = try conditions.keyInterval(encoder) {
      let keys = range.interval.range(behind: [], isDescending: false)
      candidate = Candidate(
        .table(keys ?? KeyRange(lower: [], upper: [])), .keyRange, rank: .range, pushed: range.conjuncts)
    } else {
      candidate = Candidate(.table(.all), .scan, rank: .scan, pushed: [])
    }
    candidate.matchOrder(order, Candidate.walk(table), conditions)
    return candidate
  }

  private func indexCandidate(_ index: TableIndex, _ conditions: Conditions) throws(StorageError) -> Candidate? {
    guard conditions.limit(index.columns[0].slot) || beginsOrder(index, conditions) else { return nil }
    var prefixes: [[UInt8]] = [[]]
    var pushed: [Int] = []
    var equalities = 0
    var hasNull = false
    for column in index.columns {
      guard let points = conditions.points(of: Int(column.slot.index)),
        prefixes.count * points.values.count <= Self.maximumRanges
      else { break }
      var components: [[UInt8]] = []
      for value in points.values {
        if value.isNull { hasNull = true }
        let component = try encoder.component(value, column.slot)
        components.append(column.isDescending ? component.map { ~$0 } : component)
      }
      components = Self.distinct(components)
      prefixes = prefixes.flatMap { prefix in components.map { prefix + $0 } }
      pushed.append(points.conjunct)
      equalities += 1
    }
    var candidate: Candidate
    let name = index.schema.name
    if index.isUnique, equalities == index.columns.count, !hasNull {
      candidate = Candidate(.entries(index, prefixes), .indexEquality(index: name), rank: .unique, pushed: pushed)
      candidate.equalities = equalities
      candidate.matchOrder(order, Candidate.walk(index, table), conditions, estimate: prefixes.count)
      return candidate
    }
    if equalities < index.columns.count,
      let range = conditions.interval(index.columns[equalities].slot)
    {
      let isDescending = index.columns[equalities].isDescending
      let ranges = prefixes.compactMap { range.interval.range(behind: $0, isDescending: isDescending) }
      candidate = Candidate(
        .index(index, ranges), equalities > 0 ? .indexEquality(index: name) : .indexRange(index: name),
        rank: equalities > 0 ? .equality : .range, pushed: pushed + range.conjuncts)
      candidate.hasRange = true
    } else if equalities > 0 {
      candidate = Candidate(
        .index(index, prefixes.map { KeyRange.prefix($0) }), .indexEquality(index: name), rank: .equality,
        pushed: pushed)
    } else {
      guard beginsOrder(index, conditions) else { return nil }
      candidate = Candidate(.index(index, [.all]), .indexOrder(index: name), rank: .order, pushed: [])
    }
    candidate.equalities = equalities
    candidate.matchOrder(order, Candidate.walk(index, table), conditions)
    if candidate.rank == .order, candidate.ordering != .served { return nil }
    return candidate
  }

  /// Whether a walk through the whole index can be of use: for its order alone, which begins with the index's first column.
  private func beginsOrder(_ index: TableIndex, _ conditions: Conditions) -> Bool {
    guard let order else { return false }
    guard let first = order.first(where: { conditions.fixed($0.slot) == nil }) else { return true }
    return first.slot == Int(index.columns[0].slot.index)
  }

  /// The byte strings in their order, each once.
  private static func distinct(_ strings: [[UInt8]]) -> [[UInt8]] {
    var result: [[UInt8]] = []
    for string in strings.sorted(by: { $0.lexicographicallyPrecedes($1) }) where result.last != string {
      result.append(string)
    }
    return result
  }

  // MARK: Choice

  private func best(_ candidates: [Candidate], isCounting: Bool) throws(StorageError) -> Candidate {
    if candidates.count == 1 { return candidates[0] }
    var candidates = candidates
    if !isCounting { try dropUnselective(&candidates) }
    let leastRank = candidates.map(\.rank).min() ?? .scan
    var best = candidates.filter { $0.rank == leastRank }
    if best.count > 1, leastRank != .order, leastRank != .unique, let count {
      for place in best.indices { best[place].estimate = try best[place].count(table, count) }
    }
    // The first of equals stays, so that the choice does not hang on anything else.
    return best.dropFirst().reduce(best[0]) { $1.isBetter(than: $0) ? $1 : $0 }
  }

  /// Leaves out index paths that give most of a table, where another way is cheaper.
  private func dropUnselective(_ candidates: inout [Candidate]) throws(StorageError) {
    guard let count, candidates.contains(where: { $0.rank == .range || $0.rank == .equality }) else { return }
    let rows = try count(table.tree, .all)
    guard rows >= Self.smallTable else { return }
    let ordered = candidates.contains { $0.rank == .order || ($0.rank == .scan && $0.ordering == .served) }
    for place in candidates.indices.reversed() {
      let candidate = candidates[place]
      guard case .index = candidate.path, candidate.ordering != .served || order == nil else { continue }
      // A range is given up for a scan, an equality only for a walk in the order that can stop at the limit.
      guard candidate.rank == .range || (candidate.rank == .equality && hasLimit && ordered) else { continue }
      if try candidate.count(table, count) * Self.unselective > rows { candidates.remove(at: place) }
    }
  }

  // MARK: The rest

  private func complete(_ candidate: Candidate, _ conditions: Conditions) -> AccessPlan {
    var plan = AccessPlan(path: candidate.path, access: candidate.access)
    plan.isDescending = candidate.isDescending
    plan.ordering = candidate.ordering
    for (place, conjunct) in conditions.conjuncts.enumerated() {
      if candidate.pushed.contains(place) || conditions.trivial.contains(place) {
        plan.pushed.append(conjunct)
      } else {
        plan.residual.append(conjunct)
      }
    }
    return plan
  }
}
