import QuarryBackend
import QuarryQuery

/// Groups as a text names them: their columns, figures, condition and order.
package struct GroupReport: Sendable {
  package var groups: [String]
  /// The figures of the result.
  package var figures: [GroupTerm]
  /// A condition on groups, which may name figures that are not in the result.
  package var having: String?
  /// An order of groups, which may name figures that are not in the result.
  package var order: String?
  package var limit: Int?

  package init(by groups: [String], _ figures: [GroupTerm], having: String?, order: String?, limit: Int?) {
    self.groups = groups
    self.figures = figures
    self.having = having
    self.order = order
    self.limit = limit
  }

  /// The names of the columns of the result.
  package var names: [String] { groups + figures.map(\.name) }

  /// The rows of the result, each with the values of the groups and the figures.
  ///
  /// - Throws: `invalidQuery` for a text that does not parse, for an unknown name, two columns of one name and a negative limit;
  ///   as ``GroupQuery/run(_:)``.
  package func rows(_ objects: QueryTree, _ tx: ReadTransaction) throws(StorageError) -> [[Value]] {
    try checkNames()
    if let limit, limit < 0 { throw .negative("limit", limit, model: nil) }
    var terms = figures
    var condition: PredicateTree?
    var keys: [QueryTree.SortKey] = []
    if let having {
      condition = try PredicateParser.parse(GroupText.quoting(having, names: names, terms: &terms))
    }
    if let order { keys = try SortParser.parse(GroupText.quoting(order, names: names, terms: &terms)) }
    var result = try GroupQuery(objects, by: groups, terms).run(tx)
    if let condition { result.rows = try result.filtered(condition) }
    if !keys.isEmpty { result.rows = try result.sorted(keys) }
    let rows = limit.map { Array(result.rows.prefix($0)) } ?? result.rows
    return terms.count > figures.count ? rows.map { Array($0.prefix(names.count)) } : rows
  }

  /// - Throws: `invalidQuery` where two columns have one name.
  package func checkNames() throws(StorageError) {
    var known: Set<ByteString> = []
    for name in names where !known.insert(ByteString(name)).inserted {
      throw StorageError(
        .invalidQuery, "two columns have the name \(name.shortened): give one of them another name with \"as NAME\"")
    }
  }
}
