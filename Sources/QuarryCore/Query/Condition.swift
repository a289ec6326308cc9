public import QuarryBackend
public import QuarryQuery

/// A condition on an object, made by comparing columns in a typed query: `$0.year >= 1970 && $0.title.hasPrefix("The")`.
///
/// A condition that a program builds in a loop may have any number of parts; a query refuses more than the contract allows. The
/// nesting is counted while the condition is built. A condition that is too deep becomes an error at once, because even releasing
/// a deeper tree could exhaust the stack.
public struct Condition: Sendable {
  private enum Form: Sendable {
    case tree(PredicateTree)
    case and(ConditionParts)
    case or(ConditionParts)
  }

  private var form: Form
  /// The number of conditions inside each other.
  private let depth: Int
  /// Why a constant of the condition cannot be stored; thrown when the query is used.
  var failure: StorageError?

  /// - Parameter depth: The number of conditions inside each other.
  init(_ tree: PredicateTree, depth: Int = 1, failure: StorageError? = nil) {
    self.init(.tree(tree), depth, failure)
  }

  private init(_ form: Form, _ depth: Int, _ failure: StorageError?) {
    guard depth <= TreeLimits.maximumDepth else {
      self.form = .tree(.constant(false))
      self.depth = 1
      self.failure =
        failure ?? .limitExceeded("depth of a predicate", limit: TreeLimits.maximumDepth, actual: depth)
      return
    }
    self.form = form
    self.depth = depth
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

  /// A condition on elements, or on other objects.
  init(_ inner: Condition, _ make: (PredicateTree) -> PredicateTree) {
    self.init(.tree(make(inner.tree)), inner.depth + 1, inner.failure)
  }

  /// The condition by names.
  ///
  /// - Complexity: O(n) in the number of its parts.
  var tree: PredicateTree {
    switch form {
    case .tree(let tree): tree
    case .and(let parts): .and(parts.all)
    case .or(let parts): .or(parts.all)
    }
  }

  /// A condition fulfilled by every object, or by none.
  public static func constant(_ value: Bool) -> Condition { Condition(.constant(value)) }

  /// A condition fulfilled where both are.
  public static func && (left: Condition, right: Condition) -> Condition {
    let (leftParts, leftDepth) = left.conjuncts
    let (rightParts, rightDepth) = right.conjuncts
    return Condition(
      .and(leftParts + rightParts), max(leftDepth, rightDepth) + 1, left.failure ?? right.failure)
  }

  /// A condition fulfilled where one of them is, or both.
  public static func || (left: Condition, right: Condition) -> Condition {
    let (leftParts, leftDepth) = left.disjuncts
    let (rightParts, rightDepth) = right.disjuncts
    return Condition(
      .or(leftParts + rightParts), max(leftDepth, rightDepth) + 1, left.failure ?? right.failure)
  }

  /// A condition fulfilled where the given one is not, also where a compared value is nil.
  public static prefix func ! (condition: Condition) -> Condition {
    // The negation of a negation is the condition itself.
    if case .tree(.not(let inner)) = condition.form {
      return Condition(.tree(inner), condition.depth - 1, condition.failure)
    }
    return Condition(.tree(.not(condition.tree)), condition.depth + 1, condition.failure)
  }

  /// Its parts joined by AND, and their depth.
  private var conjuncts: (ConditionParts, Int) {
    switch form {
    case .and(let parts): return (parts, depth - 1)
    case .tree(.and(let parts)): return (ConditionParts(parts), depth - 1)
    default: return (ConditionParts([tree]), depth)
    }
  }

  /// Its parts joined by OR, and their depth.
  private var disjuncts: (ConditionParts, Int) {
    switch form {
    case .or(let parts): return (parts, depth - 1)
    case .tree(.or(let parts)): return (ConditionParts(parts), depth - 1)
    default: return (ConditionParts([tree]), depth)
    }
  }
}
