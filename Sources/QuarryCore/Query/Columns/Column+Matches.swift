public import QuarryBackend
import QuarryQuery

extension Column where Value: TextStorable {
  /// Whether the whole text matches a pattern in the syntax of Swift's `Regex`: `$0.isbn.matches(#"\d{3}-\d{10}"#)`.
  ///
  /// A query with a pattern that cannot be read throws `invalidQuery` with the position. Matching takes linear time.
  ///
  /// - Parameters:
  ///   - pattern: Texts, classes, `.`, groups, `|`, `* + ? {m,n}`, `^` and `$`.
  ///   - options: How the text and the pattern are folded.
  /// - Complexity: O(n·m) for each object, in the lengths of the text and of the pattern with its repetitions written out.
  public func matches(_ pattern: String, options: TextOptions = []) -> Condition {
    Condition(.matches(operand, pattern, options))
  }
}

extension ElementColumn where Value: TextStorable {
  /// Whether the whole text matches a pattern in the syntax of Swift's `Regex`; see ``Column/matches(_:options:)``.
  public func matches(_ pattern: String, options: TextOptions = []) -> Condition {
    Condition(.matches(operand, pattern, options))
  }
}
