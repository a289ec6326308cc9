public import QuarryBackend
import QuarryCore
import QuarryQuery

/// Figures of a model's objects, for each combination of the values of some properties.
public struct GroupRequest: Sendable, Hashable {
  /// The most groups of a result.
  public static let mostGroups = 1_000

  /// The model and the condition; order, columns and place are not used.
  public var objects: PageRequest
  /// The properties to group by, with commas between them. They may lead through references: `customer.city`.
  public var groups: String
  /// The figures, with commas between them: `count, sum(price), p90(price) as dear`.
  public var figures: String
  /// A condition on the groups, which may name figures: `count > 10`; empty for all groups.
  public var having = ""
  /// The order of the groups.
  public var order = Order.figure

  /// An order of groups.
  public enum Order: Sendable, Hashable {
    /// The greatest value of the first figure first.
    case figure
    /// The least value of the properties first.
    case value
    /// Properties and figures with commas between them, a minus sign before those in descending order.
    case names(String)
  }

  /// Figures for each value of properties.
  ///
  /// - Parameters:
  ///   - objects: The model and the condition; order, columns and place are not used.
  ///   - groups: The properties to group by, with commas between them.
  ///   - figures: The figures, with commas between them: `count, sum(price)`.
  public init(of objects: PageRequest, by groups: String, figures: String = "count") {
    self.objects = objects
    self.groups = groups
    self.figures = figures
  }
}

/// The groups of a ``GroupRequest`` in its order.
public struct GroupedFigures: Sendable {
  /// A group: the values of the properties, and the figures.
  public struct Row: Sendable {
    /// The values of the properties that the group has in common.
    public let values: [Value]
    /// The figures of the group.
    public let figures: [Value]
  }

  /// The names of the properties.
  public let properties: [String]
  /// The names of the figures.
  public let figures: [String]
  /// The groups.
  public let rows: [Row]
  /// The number of all groups, of which the first ``GroupRequest/mostGroups`` are here.
  public let count: Int
}

extension StoreInspector {
  /// The figures of a request, which are those of `quarry aggregate`.
  ///
  /// - Parameter deadline: The instant by which the figures are there: a request that would take longer is refused.
  /// - Throws: `limitExceeded` where the time is too short. ``QueryTextError`` where the condition cannot be read. `invalidQuery`
  ///   for an unknown name, for a text that cannot be read, and for a function that a property does not have. `invalidValue` when
  ///   a total does not fit its type.
  /// - Complexity: O(n) in the number of objects.
  public func figures(_ request: GroupRequest, until deadline: Deadline = .never) throws -> GroupedFigures {
    try store.read { tx in
      let model = try tx.model(named: request.objects.model)
      var objects = request.objects
      objects.order = ""
      let query = try checked(objects, tx)
      let report = try Self.report(request)
      let slices = KeySlices(model, try tx.records.count(QueryTree(model: model.name)))
      try slices.requireTime(of: query, tx, deadline) { _ = try report.rows($0, tx) }
      var rows = try report.rows(query, tx)
      let width = report.groups.count
      if request.order == .figure {
        // Groups with the same figure stay in the order of their values, which a stable order needs a number for.
        let figures = rows.map { $0[width].magnitude }
        rows = rows.indices.sorted { left, right in
          figures[left] == figures[right] ? left < right : figures[left] > figures[right]
        }.map { rows[$0] }
      }
      return GroupedFigures(
        properties: report.groups, figures: report.figures.map(\.name),
        rows: rows.prefix(GroupRequest.mostGroups).map { row in
          GroupedFigures.Row(values: Array(row[..<width]), figures: Array(row[width...]))
        }, count: rows.count)
    }
  }

  private static func report(_ request: GroupRequest) throws(StorageError) -> GroupReport {
    let groups = try GroupText.names(request.groups).filter { !$0.isEmpty }
    let terms = try GroupTerm.list(request.figures)
    guard !groups.isEmpty, !terms.isEmpty else {
      throw StorageError(.invalidQuery, "groups need a property to group by, and a figure")
    }
    var order: String?
    if case .names(let text) = request.order { order = text }
    return GroupReport(
      by: groups, terms, having: request.having.isBlank ? nil : request.having, order: order, limit: nil)
  }
}

/// The names of properties in the texts of a ``GroupRequest``.
public enum GroupNames {
  /// Whether a name stands in a text as it is.
  public static func isPlain(_ name: String) -> Bool {
    !name.isEmpty
      && name.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isAlphabetic || ("0"..."9").contains($0) }
  }

  /// A name as a text has it: in back quotes where it is not plain.
  public static func text(_ name: String) -> String { isPlain(name) ? name : GroupText.quoted(name) }
}

extension Value {
  /// The value as a Double, for the order and the length of bars; the least of all for what is no number.
  public var magnitude: Double {
    switch self {
    case .int(let value): Double(value)
    case .uint(let value): Double(value)
    case .float(let value): value.isNaN ? -.infinity : Double(value)
    case .double(let value): value.isNaN ? -.infinity : value
    case .decimal(let value): Double(value.description) ?? -.infinity
    default: -.infinity
    }
  }
}
