public import QuarryBackend
import QuarryCore
import QuarryQuery

/// A figure of a model's objects, for each value of a property.
public struct GroupRequest: Sendable, Hashable {
  /// The most groups of a result.
  public static let mostGroups = 1_000

  /// The model and the condition; order, columns and place are not used.
  public var objects: PageRequest
  /// The property to group by.
  public var group: String
  /// The function.
  public var function: AggregateFunction
  /// The property that the function is of; nil for the number of objects.
  public var property: String?
  /// The order of the groups.
  public var order = Order.figure

  /// An order of groups.
  public enum Order: Sendable, Hashable {
    /// The greatest figure first.
    case figure
    /// The least value of the property first.
    case value
  }

  /// A figure for each value of a property.
  ///
  /// - Parameters:
  ///   - objects: The model and the condition; order, columns and place are not used.
  ///   - group: The property to group by.
  ///   - function: The function.
  ///   - property: The property that the function is of; nil for the number of objects.
  public init(of objects: PageRequest, by group: String, function: AggregateFunction = .count, property: String? = nil)
  {
    self.objects = objects
    self.group = group
    self.function = function
    self.property = property
  }
}

/// The groups of a ``GroupRequest`` in its order.
public struct GroupedFigures: Sendable {
  /// The groups: the value of the property, and the figure.
  public let groups: [(value: Value, figure: Value)]
  /// The number of all groups, of which the first ``GroupRequest/mostGroups`` are here.
  public let count: Int
}

extension StoreInspector {
  /// The figures of a request.
  ///
  /// - Parameter deadline: The instant by which the figures are there: a request that would take longer is refused.
  /// - Throws: `limitExceeded` where the time is too short. ``QueryTextError`` where the condition cannot be read. `invalidQuery`
  ///   for an unknown name and for a function that the property does not have. `invalidValue` when a total does not fit its type.
  /// - Complexity: O(n) in the number of objects.
  public func figures(_ request: GroupRequest, until deadline: Deadline = .never) throws -> GroupedFigures {
    try store.read { tx in
      let model = try tx.model(named: request.objects.model)
      var objects = request.objects
      objects.order = ""
      let query = try checked(objects, tx)
      func rows(of query: QueryTree) throws -> [AggregateRow] {
        try tx.records.aggregate(query, groupedBy: [request.group], [(request.function, request.property)])
      }
      let slices = KeySlices(model, try tx.records.count(QueryTree(model: model.name)))
      try slices.requireTime(of: query, tx, deadline) { _ = try rows(of: $0) }
      let rows = try rows(of: query)
      var groups = rows.map { (value: $0.groups[0], figure: $0.values[0]) }
      // Groups with the same figure stay in the order of their values, which a stable order needs a number for.
      guard request.order == .figure else {
        return GroupedFigures(groups: Array(groups.prefix(GroupRequest.mostGroups)), count: rows.count)
      }
      let order = groups.indices.sorted { left, right in
        let (a, b) = (groups[left].figure.magnitude, groups[right].figure.magnitude)
        return a == b ? left < right : a > b
      }
      groups = order.prefix(GroupRequest.mostGroups).map { groups[$0] }
      return GroupedFigures(groups: groups, count: rows.count)
    }
  }
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
