/// Whether an array has an element that is equal to a constant.
public struct ContainsElementFunction: FunctionEvaluation {
  /// The function.
  public init() {}

  public var name: String { "containsElement" }
  public var word: String { "contains" }

  public func isDefined(for type: PropertyType) -> Bool { type == .array || type == .nested }

  public func matcher(_ call: BoundFunction) throws(StorageError) -> any FunctionMatcher {
    guard call.arguments.count == 1 else { throw StorageError(.invalidQuery, "\(name) takes one argument") }
    return ElementMatcher(element: call.arguments[0])
  }
}

/// Looks for an element in arrays.
private struct ElementMatcher: TreeFunctionMatcher {
  let element: Value

  var cost: Int { 200 }

  func matches(_ value: Value) -> Bool {
    guard case .array(let elements) = value else { return false }
    return elements.contains { PredicateEquality.equal($0, element) }
  }
}

extension NestedTest {
  /// Whether the array at the path has an element that is equal to a value.
  ///
  /// - Parameters:
  ///   - path: The names that lead from the nested value to the array.
  ///   - value: The constant, of the type of the array's elements.
  public static func containsElement(path: [ByteString], _ value: Value) -> NestedTest {
    .function(path: path, BoundFunction(ContainsElementFunction(), [value]))
  }
}
