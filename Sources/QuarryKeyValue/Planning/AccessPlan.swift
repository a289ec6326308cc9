import QuarryBackend

/// How a query is executed: where its rows are found, in which order, and what is left for the evaluator.
struct AccessPlan {
  /// Where rows are found.
  enum Path {
    /// Nothing can match.
    case empty
    /// Rows with these primary keys, in the order of their bytes.
    case keys([[UInt8]])
    /// Rows of a range of the table.
    case table(KeyRange)
    /// Rows of one entry each of a unique index, in the order of the entries' bytes.
    case entries(TableIndex, [[UInt8]])
    /// Rows of ranges of an index, which are disjoint and in the order of their bytes.
    case index(TableIndex, [KeyRange])
  }

  /// How the query's order comes about.
  enum Ordering {
    /// The path has the order already, or none is asked for.
    case served
    /// The order is by the primary key: keys are sorted before their rows are read.
    case keys
    /// Rows are sorted.
    case rows
  }

  var path: Path
  /// How the path is named in `explain`.
  var access: QueryPlan.Access
  /// Whether the path is walked from its end.
  var isDescending = false
  var ordering: Ordering = .served
  /// The conjuncts that the path decides.
  var pushed: [BoundPredicate] = []
  /// The conjuncts that the evaluator decides.
  var residual: [BoundPredicate] = []

  /// The residual as one predicate; nil when every row of the path is a row of the query.
  var residualPredicate: BoundPredicate? {
    switch residual.count {
    case 0: nil
    case 1: residual[0]
    default: .and(residual)
    }
  }
}
