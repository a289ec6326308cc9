import QuarryBackend

/// An operator of predicates: everything that Quarry knows of it.
///
/// ``FunctionEvaluation`` has its meaning for values. This protocol adds how strings spell it, which operands it takes, and what
/// becomes of its constants. ``PredicateFunctions`` lists the functions there are.
protocol PredicateFunction: FunctionEvaluation {
  /// The word between the operand and the rest in predicate strings, in capitals. Nil for a function that is written with a
  /// symbol, or with the word of another one.
  var keyword: String? { get }

  /// Reads the rest of a call, after its word.
  func read(_ operand: Operand, _ reader: inout PredicateReader) throws(StorageError) -> PredicateTree

  /// Writes a call that the function accepts, so that the parser reads it back to an equal call.
  func text(_ call: FunctionCall) -> String

  /// Checks the number and the kinds of a call's parts.
  ///
  /// - Throws: `invalidQuery`.
  func check(_ call: FunctionCall) throws(StorageError)

  /// The condition that a call stands for, if the function is an abbreviation. Only this condition is bound.
  func expansion(_ call: FunctionCall) -> PredicateTree?

  /// The condition on an element that a call stands for, if the function tests the elements of its operand.
  func elementCondition(_ call: FunctionCall) -> PredicateTree?

  /// Binds a call to an operand of a known form.
  ///
  /// - Throws: `invalidQuery` for an operand that the function is not defined for, and for constants that do not fit.
  func bind(_ call: FunctionCall, to operand: FunctionOperand) throws(StorageError) -> FunctionBinding
}

extension PredicateFunction {
  func expansion(_ call: FunctionCall) -> PredicateTree? { nil }
  func elementCondition(_ call: FunctionCall) -> PredicateTree? { nil }
}

/// The result of binding a call.
enum FunctionBinding {
  /// A call for the engine.
  case call(BoundFunction)
  /// A condition that means the same, to be bound in place of the call.
  case tree(PredicateTree)
}

/// An operand of a function: what is known of its values.
struct FunctionOperand {
  /// The form of the values.
  let form: NestedForm
  /// Whether the operand is a property, and not a part of a value tree.
  let isColumn: Bool
  /// The operand in the words of a message.
  let words: String
  private let binder: NestedBinder?

  /// The language in which the property is searched; nil for none.
  var language: SearchLanguage? { binder?.language }

  init(_ form: NestedForm, isColumn: Bool, _ words: String, _ binder: NestedBinder) {
    self.form = form
    self.isColumn = isColumn
    self.words = words
    self.binder = binder
  }

  /// A constant as an operand.
  init(_ constant: Value) {
    form = NestedForm(of: constant)
    isColumn = false
    words = "this"
    binder = nil
  }

  /// A constant in the type of the operand's values, or of its elements.
  ///
  /// - Throws: `invalidQuery` for a constant that values of that form are not compared with.
  func fitted(_ value: Value, to form: NestedForm) throws(StorageError) -> Value {
    guard let binder else { return value }
    return try binder.element(value, form)
  }

  /// An error about the operand: the text after its words.
  func invalid(_ message: String) -> StorageError {
    if case .foreign(let type) = form, let binder { return binder.foreign(words, type) }
    return StorageError(.invalidQuery, message, property: binder?.name)
  }

  /// The error about an operand that is not of the form that a function needs.
  ///
  /// - Parameter need: What the function needs: `a text`.
  func invalid(_ function: some PredicateFunction, needs need: String) -> StorageError {
    invalid("\(function.name) needs \(need), and \(words) \(form.words)")
  }
}

extension NestedForm {
  /// The form of a constant.
  fileprivate init(of value: Value) {
    self =
      switch value {
      case .bool: .plain(.bool)
      case .int: .plain(.int64)
      case .uint: .plain(.uint64)
      case .float: .plain(.float)
      case .double: .plain(.double)
      case .string: .plain(.string)
      case .date: .plain(.date)
      case .data: .plain(.data)
      case .uuid: .plain(.uuid)
      case .decimal: .plain(.decimal)
      case .url: .plain(.url)
      case .array: .array(.unknown)
      case .null, .object: .unknown
      }
  }

  /// A value of the form, in words for a message.
  var words: String {
    switch self {
    case .plain(let type): "is \(type.name)"
    case .nested(let reference): "is a \(reference.shape.name)"
    case .array: "is an array"
    case .unknown, .foreign: "is a value"
    }
  }
}
