import QuarryBackend
public import QuarryQuery

extension Records {
  /// Figures of the query's objects, for each combination of the values of columns, as records of the groups and figures.
  ///
  /// ```swift
  /// let rows = try tx.records.grouped(
  ///   QueryTree(model: "Book"), by: ["kind", "author.country"], "count, median(price) as middle, last(title, year)",
  ///   having: "count > 10", sortedBy: "-middle", limit: 20)
  /// ```
  ///
  /// Groups come in ascending order of their values, nil first, unless an order is given.
  ///
  /// - Parameters:
  ///   - query: The objects, by the name of their model.
  ///   - groups: The columns to group by; each may lead through references, and of dates each may be `year(a)`, `quarter(a)`,
  ///     `month(a)`, `week(a)`, `day(a)`, `hour(a)` or `minute(a)`, in UTC. Without one, all objects are one group.
  ///   - figures: Figures with commas between them: `count`, `count(a)`, `distinct(a)`, `sum(a)`, `average(a)`, `min(a)`,
  ///     `max(a)`, `median(a)`, `percentile(a, 90)` or `p90(a)`, `deviation(a)`, `first(a, b)` and `last(a, -b)` by the order of
  ///     b. Each may end in `as NAME`.
  ///   - condition: A condition on groups, which may name any figure.
  ///   - order: Columns and figures to sort by, `-` before those that go from the greatest to the least.
  ///   - limit: The greatest number of groups.
  /// - Throws: `invalidQuery` for a text that does not parse, an unknown name and a function that a type does not have;
  ///   `invalidValue` when a total does not fit its type; `corrupt`, `io`.
  /// - Complexity: As ``ReadScope/grouped(_:by:figures:)``.
  // calls: async
  public func grouped(
    _ query: QueryTree, by groups: [String] = [], _ figures: String, having condition: String? = nil,
    sortedBy order: String? = nil, limit: Int? = nil
  ) throws -> [Record] {
    try scope.reading { tx throws(StorageError) in
      let model = try tx.modelSchema(query.model)
      return try tx.describing(model) { () throws(StorageError) in
        let report = GroupReport(
          by: groups, try GroupTerm.list(figures), having: condition, order: order, limit: limit)
        let names = RecordNames(report.names.map { ByteString($0) })
        let members = names.list.map { model.slot(named: $0.string).flatMap { model.properties[$0].keyMembers } }
        return try report.rows(query, tx).map { values in
          Record(names: names, values: zip(values, members).map { CompoundKeyBytes.shown($0, $1) })
        }
      }
    }
  }
}
