import Foundation
import QuarryBackend
import QuarryQuery

/// `$0.title.contains(/\d{4}/)`: a pattern that matches somewhere in a text, in the part of the syntax that Quarry has.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension PredicateExpressions.StringContainsRegex: TranslatableExpression {
  func term(_ translator: PredicateTranslator) throws(StorageError) -> PredicateTerm {
    let (text, pattern) = (try translator.term(subject), try translator.term(regex))
    return PredicateTerm(
      condition: try text.condition(with: pattern) { (text, pattern) throws(StorageError) in
        guard case .constant(let any) = pattern, let regex = any as? PredicateExpressions.PredicateRegex else {
          throw PredicateTranslator.unsupported(self, "the pattern must be a literal")
        }
        return try search(text, regex.stringRepresentation)
      })
  }

  private func search(_ text: PredicateTerm.Value, _ pattern: String) throws(StorageError) -> PredicateTree {
    if case .null = text { return .constant(false) }
    guard Subject.Output.self == String.self else {
      throw PredicateTranslator.unsupported(self, "only of a String property")
    }
    do throws(StorageError) {
      _ = try PatternMachine(pattern, [])
    } catch {
      throw PredicateTranslator.unsupported(self, error.message)
    }
    // A pattern of Quarry matches the whole text.
    return .matches(try text.operand(self), "[\\s\\S]*(?:\(pattern))[\\s\\S]*")
  }
}
