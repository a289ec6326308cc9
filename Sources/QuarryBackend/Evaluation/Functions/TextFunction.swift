/// A search for a text in texts: `contains`, `hasPrefix`, `hasSuffix`, `like`, and equality after folding.
public struct TextFunction: FunctionEvaluation {
  /// The kind of search.
  public let operation: TextOperator

  /// The function of an operator.
  public init(_ operation: TextOperator) {
    self.operation = operation
  }

  public var name: String { operation.rawValue }

  public func isDefined(for type: PropertyType) -> Bool { type == .string || type == .url }

  public func matcher(_ call: BoundFunction) throws(StorageError) -> any FunctionMatcher {
    TextMatcher(operation, try call.text(at: 0), call.options)
  }

  public func range(_ call: BoundFunction) -> FunctionRange? {
    guard call.options.isEmpty, let needle = call.search?.needle else { return nil }
    switch operation {
    case .equal: return .equal(needle)
    case .contains, .hasPrefix, .hasSuffix:
      if needle.isEmpty { return .every }
      return operation == .hasPrefix ? .prefix(needle) : nil
    case .like: return nil
    }
  }
}

extension BoundFunction {
  /// A search for a text.
  ///
  /// - Parameters:
  ///   - operation: The kind of search.
  ///   - needle: The text, or the pattern of `like`.
  ///   - options: How both texts are folded before they are compared.
  public static func text(_ operation: TextOperator, _ needle: String, _ options: TextOptions) -> BoundFunction {
    BoundFunction(TextFunction(operation), [.string(needle)], options)
  }

  /// The operator and the needle of a search for a text; nil for a call of another function.
  public var search: (operation: TextOperator, needle: String)? {
    guard let function = function as? TextFunction, arguments.count == 1, case .string(let needle) = arguments[0] else {
      return nil
    }
    return (function.operation, needle)
  }
}

extension BoundPredicate {
  /// A search for a text in a slot of type string or url. A null slot fulfils none.
  ///
  /// - Parameters:
  ///   - slot: The slot with the text.
  ///   - operation: The kind of search.
  ///   - needle: The text, or the pattern of `like`.
  ///   - options: How both texts are folded before they are compared.
  public static func text(
    slot: Int, _ operation: TextOperator, _ needle: String, _ options: TextOptions
  ) -> BoundPredicate {
    .function(slot: slot, .text(operation, needle, options))
  }
}

extension NestedTest {
  /// A search for a text in the text at the path.
  ///
  /// - Parameters:
  ///   - path: The names that lead from the nested value to the text.
  ///   - operation: The kind of search.
  ///   - needle: The text, or the pattern of `like`.
  ///   - options: How both texts are folded before they are compared.
  public static func text(
    path: [ByteString], _ operation: TextOperator, _ needle: String, _ options: TextOptions
  ) -> NestedTest {
    .function(path: path, .text(operation, needle, options))
  }
}
