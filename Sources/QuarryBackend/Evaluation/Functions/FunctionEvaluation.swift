/// An operator of predicates, as engines see it: how a call is decided, found by an index and described.
///
/// The binder resolves a name to its function, so that an engine never looks one up. A call is false where its operand is nil.
/// An engine asks a function only about values of types for which the function is defined.
public protocol FunctionEvaluation: Sendable {
  /// The name, by which functions are equal: `hasPrefix`.
  var name: String { get }

  /// The word for the function in descriptions of plans. The name, if a function does not declare another.
  var word: String { get }

  /// Whether the function is defined for the values of a slot.
  ///
  /// - Parameter type: The type of the slot.
  func isDefined(for type: PropertyType) -> Bool

  /// Prepares a call, once for all rows of a cursor.
  ///
  /// - Parameter call: A call of this function.
  /// - Throws: `invalidQuery` for arguments that the function does not take.
  func matcher(_ call: BoundFunction) throws(StorageError) -> any FunctionMatcher

  /// The texts for which a call is true, if they are next to each other in the order of texts.
  ///
  /// An engine reads such a range from an index, or compares a column with its ends, in place of calling the function.
  /// Nil, if a function does not declare a range.
  ///
  /// - Parameter call: A call of this function.
  func range(_ call: BoundFunction) -> FunctionRange?
}

extension FunctionEvaluation {
  public var word: String { name }
  public func range(_ call: BoundFunction) -> FunctionRange? { nil }
}

/// Texts that are next to each other in the order of their bytes.
public enum FunctionRange: Sendable, Hashable {
  /// Every text, and not nil.
  case every
  /// The one text that has these bytes.
  case equal(String)
  /// The texts that begin with these bytes, of which there is at least one.
  case prefix(String)
}

/// A call of a function in a bound predicate, without the operand: the case that has the call names a slot or a path.
public struct BoundFunction: Sendable, Hashable {
  /// The function.
  public let function: any FunctionEvaluation
  /// The constants, in the types that the function asks for.
  public let arguments: [Value]
  /// How texts are folded before they are compared.
  public let options: TextOptions

  /// A call of a function.
  ///
  /// - Parameters:
  ///   - function: The function.
  ///   - arguments: The constants, without the operand.
  ///   - options: How texts are folded before they are compared.
  public init(_ function: any FunctionEvaluation, _ arguments: [Value], _ options: TextOptions = []) {
    self.function = function
    self.arguments = arguments
    self.options = options
  }

  /// The range of texts for which the call is true, if there is one.
  public var range: FunctionRange? { function.range(self) }

  /// The text in an argument.
  ///
  /// - Parameter place: The place of the argument, from 0.
  /// - Throws: `invalidQuery` where there is none.
  public func text(at place: Int) throws(StorageError) -> String {
    guard arguments.indices.contains(place), case .string(let text) = arguments[place] else {
      throw StorageError(.invalidQuery, "argument \(place + 1) of \(function.name) must be a text")
    }
    return text
  }

  /// Functions are equal by the bytes of their names.
  public static func == (left: BoundFunction, right: BoundFunction) -> Bool {
    left.function.name.utf8.elementsEqual(right.function.name.utf8) && left.arguments == right.arguments
      && left.options == right.options
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(bytesOf: function.name)
    hasher.combine(arguments)
    hasher.combine(options)
  }
}
