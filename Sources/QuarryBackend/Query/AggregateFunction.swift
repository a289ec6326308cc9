/// A function over the rows of a group.
public enum AggregateFunction: String, Sendable, Hashable, Codable, CaseIterable {
  case count, sum, average, min, max
}
