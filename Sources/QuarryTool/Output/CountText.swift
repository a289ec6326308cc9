/// A number and its unit: `1 row`, `2 rows`.
enum CountText {
  static func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }
  static func rows(_ count: Int) -> String { "\(count) \(count == 1 ? "row" : "rows")" }
}
