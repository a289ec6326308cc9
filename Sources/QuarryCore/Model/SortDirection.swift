/// The direction of a sort or of a column of an index.
public enum SortDirection: String, Sendable, Hashable, Codable {
  /// From the least value to the greatest; nil first.
  case forward
  /// From the greatest value to the least; nil last.
  case reverse
}
