public import QuarryBackend
public import QuarryQuery

/// A condition on an object, made by comparing columns in a typed query: `$0.year >= 1970 && $0.title.hasPrefix("The")`.
public struct Condition: Sendable {
  var tree: PredicateTree
  /// Why a constant of the condition cannot be stored; thrown when the query is used.
  var failure: StorageError?

  init(_ tree: PredicateTree, failure: StorageError? = nil) {
    self.tree = tree
    self.failure = failure
  }

  /// A condition on a constant of the program.
  @usableFromInline
  init(_ value: some Storable, _ make: (Value) -> PredicateTree) {
    do throws(StorageError) {
      self.init(make(try value.storedValue()))
    } catch {
      self.init(.constant(false), failure: error)
    }
  }

  /// Fulfilled by every object, or by none.
  public static func constant(_ value: Bool) -> Condition { Condition(.constant(value)) }

  /// Fulfilled where both are.
  public static func && (left: Condition, right: Condition) -> Condition {
    var parts: [PredicateTree] = []
    if case .and(let inner) = left.tree { parts = inner } else { parts = [left.tree] }
    if case .and(let inner) = right.tree { parts += inner } else { parts.append(right.tree) }
    return Condition(.and(parts), failure: left.failure ?? right.failure)
  }

  /// Fulfilled where one of them is, or both.
  public static func || (left: Condition, right: Condition) -> Condition {
    var parts: [PredicateTree] = []
    if case .or(let inner) = left.tree { parts = inner } else { parts = [left.tree] }
    if case .or(let inner) = right.tree { parts += inner } else { parts.append(right.tree) }
    return Condition(.or(parts), failure: left.failure ?? right.failure)
  }

  /// Fulfilled where the condition is not, also where what it compares is nil.
  public static prefix func ! (condition: Condition) -> Condition {
    Condition(.not(condition.tree), failure: condition.failure)
  }
}
