/// How a backend executes a query: what `explain` returns.
public struct QueryPlan: Sendable, Hashable, Codable, CustomStringConvertible {
  /// How rows are found.
  public enum Access: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The engine looks up one primary key.
    case keyLookup
    /// The engine reads the entries of an index with given values.
    case indexEquality(index: String)
    /// The engine reads a range of an index.
    case indexRange(index: String)
    /// The engine reads a whole index for its order.
    case indexOrder(index: String)
    /// The engine reads a range of primary keys.
    case keyRange
    /// The engine reads all rows.
    case scan
    /// Nothing can match.
    case empty
    /// The engine's own words.
    case engine(String)

    public var description: String {
      switch self {
      case .keyLookup: "key lookup"
      case .indexEquality(let index): "index equality on \(index)"
      case .indexRange(let index): "index range on \(index)"
      case .indexOrder(let index): "index order on \(index)"
      case .keyRange: "key range"
      case .scan: "scan"
      case .empty: "nothing can match"
      case .engine(let text): text
      }
    }
  }

  /// The name of the backend.
  public var backend: String
  /// How rows are found, the first way first.
  public var access: [Access]
  /// The parts of the predicate that the engine decides.
  public var pushed: [String]
  /// The parts of the predicate that the common evaluator decides, row by row.
  public var residual: [String]
  /// Whether rows are sorted after they were found.
  public var sorts: Bool
  /// The engine's own statement, where it has one.
  public var statement: String?
  /// The queries that were done first, of other models that conditions or orders lead to, and what each found.
  public var first: [String] = []

  /// Creates a query plan.
  ///
  /// - Parameters:
  ///   - backend: The name of the backend.
  ///   - access: How rows are found, the first way first.
  ///   - pushed: The parts of the predicate that the engine decides.
  ///   - residual: The parts that the common evaluator decides, row by row.
  ///   - sorts: Whether rows are sorted after they were found.
  ///   - statement: The engine's own statement, where it has one.
  public init(
    backend: String, access: [Access], pushed: [String] = [], residual: [String] = [], sorts: Bool = false,
    statement: String? = nil
  ) {
    self.backend = backend
    self.access = access
    self.pushed = pushed
    self.residual = residual
    self.sorts = sorts
    self.statement = statement
  }

  /// The plan in a few lines, as `quarry explain` prints it.
  public var description: String {
    var lines = first.map { "first: \($0)" }
    lines += ["backend: \(backend)", "access: \(access.map(\.description).joined(separator: ", "))"]
    lines.append("pushed: \(pushed.isEmpty ? "nothing" : pushed.joined(separator: " AND "))")
    lines.append("residual: \(residual.isEmpty ? "nothing" : residual.joined(separator: " AND "))")
    lines.append("sort: \(sorts ? "after reading" : "none needed")")
    if let statement { lines.append("statement: \(statement)") }
    return lines.joined(separator: "\n")
  }
}
