import QuarryBackend
import QuarryCore
import QuarryQuery

/// The objects of a model in ranges of their primary keys.
///
/// An engine does not stop inside one of its calls. A long read is therefore many calls, one for each slice, and stops between
/// two of them.
struct KeySlices {
  /// The number of objects of a slice, a read of which takes some hundredths of a second.
  static let objects = 20_000

  private let model: ModelSchema
  private let total: Int
  private var path: Operand { .property(PropertyPath(model.keyProperty.name)) }

  init(_ model: ModelSchema, _ total: Int) {
    self.model = model
    self.total = total
  }

  /// Whether the engine would read so many objects that the read must be one in slices.
  private func areNeeded(for query: QueryTree, _ tx: ReadTransaction) throws -> Bool {
    guard total > Self.objects, model.keyProperty.type.isOrdered else { return false }
    return try tx.records.explain(query).access.contains(.scan)
  }

  /// Calls the body with the condition of each slice, in the order of the keys, until it returns false.
  private func forEach(
    _ tx: ReadTransaction, _ deadline: Deadline, _ body: (PredicateTree) throws -> Bool
  ) throws {
    let key = model.keyProperty.name
    var bounds: [PredicateTree] = []
    while true {
      try deadline.requireTime()
      let next = QueryTree(model: model.name, predicate: .and(bounds), limit: 1, offset: Self.objects)
      let end = try tx.records.first(next, columns: [key])?[key]
      guard let end else {
        _ = try body(.and(bounds))
        return
      }
      guard try body(.and(bounds + [.compare(path, .less, .value(end))])) else { return }
      bounds = [.compare(path, .greaterOrEqual, .value(end))]
    }
  }

  /// The number of objects that fulfil the condition of a query.
  ///
  /// - Throws: `limitExceeded` past the deadline.
  func count(_ query: QueryTree, _ tx: ReadTransaction, _ deadline: Deadline) throws -> Int {
    guard try areNeeded(for: query, tx) else {
      let count = try tx.records.count(query)
      try deadline.requireTime()
      return count
    }
    var count = 0
    try forEach(tx, deadline) { slice in
      count += try tx.records.count(QueryTree(model: query.model, predicate: .and([slice, query.predicate])))
      return true
    }
    return count
  }

  /// Refuses a page whose rows the engine must sort, where the sort takes longer than there is time.
  func requireTime(for query: QueryTree, matching: Int, _ tx: ReadTransaction, _ deadline: Deadline) throws {
    guard matching > Self.objects, !query.order.isEmpty, try tx.records.explain(query).sorts else { return }
    try requireTime(of: query, tx, deadline) { query in
      var first = query
      first.limit = 1
      _ = try tx.records.first(first)
    }
  }

  /// Refuses a read of all objects that takes longer than there is time, by the time that it takes for the first slice.
  func requireTime(
    of query: QueryTree, _ tx: ReadTransaction, _ deadline: Deadline, _ read: (QueryTree) throws -> Void
  ) throws {
    guard total > Self.objects, model.keyProperty.type.isOrdered else { return }
    let start = deadline.secondsLeft
    try forEach(tx, deadline) { slice in
      var part = query
      part.predicate = .and([slice, query.predicate])
      try read(part)
      return false
    }
    let left = deadline.secondsLeft
    let estimate = (start - left) * Double(total) / Double(Self.objects)
    guard estimate > left else { return }
    throw StorageError(
      .limitExceeded,
      "the query would take about \(Int(estimate.rounded(.up))) seconds: narrow the condition, or give it an index")
  }
}
