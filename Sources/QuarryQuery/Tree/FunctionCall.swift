public import QuarryBackend

/// A call of a function in a condition, by names: the function, its operands, its constants.
///
/// A function is an operator that predicates have by its name and not by a case of ``PredicateTree``. Binding finds it in the
/// list of functions. A call is false where its first operand is nil.
public struct FunctionCall: Sendable, Hashable {
  /// The name of the function: `like`.
  public var name: String
  /// The values that the function is about; the first one is the value that is tested.
  public var operands: [Operand]
  /// Constants of the call.
  public var arguments: [Value]
  /// How texts are folded before they are compared.
  public var options: TextOptions

  /// A call of the function with that name.
  ///
  /// - Parameters:
  ///   - name: The name of the function, which binding looks up.
  ///   - operands: The properties and expressions; the call is false where the first is nil.
  ///   - arguments: The constants.
  ///   - options: How texts are folded before they are compared.
  public init(_ name: String, _ operands: [Operand], _ arguments: [Value] = [], _ options: TextOptions = []) {
    self.name = name
    self.operands = operands
    self.arguments = arguments
    self.options = options
  }

  /// Calls are equal when their texts are equal by bytes.
  public static func == (left: FunctionCall, right: FunctionCall) -> Bool {
    left.name.utf8.elementsEqual(right.name.utf8) && left.operands == right.operands
      && left.arguments == right.arguments && left.options == right.options
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(bytesOf: name)
    hasher.combine(operands)
    hasher.combine(arguments)
    hasher.combine(options)
  }
}

extension PredicateTree {
  /// A search for a text in a text.
  ///
  /// - Parameters:
  ///   - operand: The text in question.
  ///   - operation: The kind of search.
  ///   - needle: The text to look for, or the pattern of `like`.
  ///   - options: How both texts are folded before they are compared.
  public static func text(
    _ operand: Operand, _ operation: TextOperator, _ needle: String, _ options: TextOptions
  ) -> PredicateTree {
    .function(FunctionCall(operation.rawValue, [operand], [.string(needle)], options))
  }

  /// Whether an array has an element that is equal to the value.
  ///
  /// - Parameters:
  ///   - path: The path to the array.
  ///   - value: The value to look for.
  public static func containsElement(_ path: PropertyPath, _ value: Value) -> PredicateTree {
    .function(FunctionCall(ContainsElementFunction().name, [.property(path)], [value]))
  }
}
