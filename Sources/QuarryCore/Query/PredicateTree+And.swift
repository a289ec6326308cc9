import QuarryBackend
import QuarryQuery

extension PredicateTree {
  func and(_ other: PredicateTree) -> PredicateTree {
    switch (self, other) {
    case (.constant(true), _): other
    case (_, .constant(true)): self
    case (.and(let left), .and(let right)): .and(left + right)
    case (.and(let left), _): .and(left + [other])
    default: .and([self, other])
    }
  }
}
