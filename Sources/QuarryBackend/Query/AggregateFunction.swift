/// A function over the rows of a group.
public enum AggregateFunction: String, Sendable, Hashable, Codable, CaseIterable {
  /// A figure that is computed from the rows of a query or a group.
  case count, sum, average, min, max
}

extension AggregateFunction {
  /// Whether the values of a type have the function: sums and averages are of numbers, extremes of values with an order.
  package func isDefined(for type: PropertyType) -> Bool {
    switch self {
    case .count: true
    case .sum, .average: type.isNumeric
    case .min, .max: type.isOrdered
    }
  }
}
