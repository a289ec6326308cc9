public import QuarryBackend
import QuarryCore
import QuarryQuery

extension StoreInspector {
  /// The conjuncts of the longest condition whose index range is sought.
  private static var mostConjuncts: Int { 16 }

  /// The number of rows that a plan's index range or key lookup leads to, before the rest of the condition is tested.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - plan: The plan of the request, as ``explain(_:)`` returned it.
  ///   - deadline: The instant after which nothing more is counted.
  /// - Returns: The exact number; nil where the plan does not tell which part of the condition its ranges are made of.
  /// - Throws: As ``page(_:until:)``.
  /// - Complexity: O(n) in the number of conjuncts for plans, and one count of the objects in the range.
  public func rowsRead(
    _ request: PageRequest, by plan: QueryPlan, until deadline: Deadline = .never
  ) throws -> Int? {
    try store.read { tx in
      let model = try tx.model(named: request.model)
      let query = try checked(request, tx)
      let total = { try tx.records.count(QueryTree(model: model.name)) }
      guard let way = plan.onlyWay else { return nil }
      if way == .empty { return 0 }
      if plan.readsEverything { return try total() }
      guard plan.first.isEmpty, let range = try rangeCondition(of: query, plan, tx) else { return nil }
      let counted = QueryTree(model: model.name, predicate: range)
      return try KeySlices(model, total()).count(counted, tx, deadline)
    }
  }

  /// The conjuncts of a condition that the ranges of its plan are made of; nil where that is not certain.
  ///
  /// A conjunct belongs to the ranges if the plan without it is another one. The plan of these conjuncts alone must then be the same
  /// as that of the whole.
  private func rangeCondition(of query: QueryTree, _ plan: QueryPlan, _ tx: ReadTransaction) throws -> PredicateTree? {
    let conjuncts = query.predicate.conjuncts
    guard conjuncts.count <= Self.mostConjuncts else { return nil }
    func explain(_ parts: [PredicateTree]) throws -> QueryPlan {
      var query = query
      query.predicate = .and(parts)
      return try tx.records.explain(query)
    }
    var found: [PredicateTree] = []
    for place in conjuncts.indices {
      var rest = conjuncts
      let conjunct = rest.remove(at: place)
      if try plan.differsInRanges(from: explain(rest)) { found.append(conjunct) }
    }
    guard !found.isEmpty else { return nil }
    let alone = try explain(found)
    guard !plan.differsInRanges(from: alone), alone.residual.isEmpty else { return nil }
    if case .engine(let step)? = plan.onlyWay {
      // A step of SQLite names each bound of its range: SEARCH Order USING INDEX amounts (amount>? AND amount<?).
      let bounds = step.utf8.filter { $0 == UInt8(ascii: "?") }
      guard step.hasPrefix("SEARCH "), bounds.count == found.count else { return nil }
    }
    return .and(found)
  }
}

extension QueryPlan {
  /// Whether the engine reads all rows of the model, in whatever order.
  package var readsEverything: Bool {
    switch onlyWay {
    case .scan, .indexOrder: true
    case .engine: steps.contains { $0.hasPrefix("SCAN ") || $0.hasPrefix("Seq Scan on ") }
    default: false
    }
  }

  /// The ways by which rows are found, in words. The server's marks of nested steps are left out.
  package var steps: [String] {
    access.map { way in String(way.description.drop { "-> ".contains($0) }) }
  }

  /// The one way by which rows are found; nil where there are several.
  fileprivate var onlyWay: Access? {
    // SQL engines have steps of their own for sorts and limits.
    let ways = zip(access, steps).filter { way, step in
      guard case .engine = way else { return true }
      return ["SCAN", "SEARCH", "Scan"].contains { step.contains($0) }
    }
    return ways.count == 1 ? ways[0].0 : nil
  }

  /// Whether the plan finds rows by another way than the other plan, or by other bounds.
  fileprivate func differsInRanges(from other: QueryPlan) -> Bool {
    if access != other.access { return true }
    // The statement of an SQL engine has all that is pushed; its step has the bounds.
    return statement == nil && pushed != other.pushed
  }
}

extension PredicateTree {
  /// The conditions that must all hold.
  fileprivate var conjuncts: [PredicateTree] {
    if case .and(let parts) = self { parts.flatMap(\.conjuncts) } else { [self] }
  }
}
