public import Foundation
public import QuarryBackend
import QuarryQuery

/// A type with text that conditions can look into: strings, URLs, and optionals of them.
public protocol TextStorable: Storable {}

extension String: TextStorable {}
extension URL: TextStorable {}
extension Optional: TextStorable where Wrapped: TextStorable {}

/// An array, or an optional one.
public protocol ArrayStorable: Storable {
  /// The type of the elements.
  associatedtype ArrayElement: Storable
}

extension Array: ArrayStorable where Element: Storable {
  public typealias ArrayElement = Element
}
extension Optional: ArrayStorable where Wrapped: ArrayStorable {
  public typealias ArrayElement = Wrapped.ArrayElement
}

extension Column where Value == Bool {
  /// Whether the value is true.
  public var isTrue: Condition { compare(.equal, true) }
  /// Whether the value is false.
  public var isFalse: Condition { compare(.equal, false) }
}

extension Column where Value == Bool? {
  /// Whether the value is true; nil is not.
  public var isTrue: Condition { compare(.equal, true) }
  /// Whether the value is false; nil is not.
  public var isFalse: Condition { compare(.equal, false) }
}

// Text is compared by UTF-8 bytes, or folded as the options say. Nil fulfils none of these.
extension Column where Value: TextStorable {
  /// Whether the text has this one in it; false of nil.
  public func contains(_ text: String, options: TextOptions = []) -> Condition {
    Condition(.text(operand, .contains, text, options))
  }

  /// Whether the text begins with this one; false of nil.
  public func hasPrefix(_ text: String, options: TextOptions = []) -> Condition {
    Condition(.text(operand, .hasPrefix, text, options))
  }

  /// Whether the text ends with this one; false of nil.
  public func hasSuffix(_ text: String, options: TextOptions = []) -> Condition {
    Condition(.text(operand, .hasSuffix, text, options))
  }

  /// Whether the text is this one, folded as the options say; false of nil.
  public func equals(_ text: String, options: TextOptions) -> Condition {
    Condition(.text(operand, .equal, text, options))
  }

  /// Whether the whole text matches a pattern: `*` is any run of scalars, `?` is one, a backslash takes their meaning.
  public func like(_ pattern: String, options: TextOptions = []) -> Condition {
    Condition(.text(operand, .like, pattern, options))
  }
}

extension Column where Value: ArrayStorable {
  /// Whether an element is equal to the value.
  public func contains(_ element: Value.ArrayElement) -> Condition {
    Condition(element) { .containsElement(PropertyPath(name), $0) }
  }

  /// Whether an element fulfils the condition.
  public func any(@ConditionBuilder _ condition: (ElementColumn<Value.ArrayElement>) -> Condition) -> Condition {
    Condition(condition(ElementColumn(path: .element))) { .any(PropertyPath(name), $0) }
  }

  /// Whether every element fulfils the condition. True of an empty array and of nil.
  public func all(@ConditionBuilder _ condition: (ElementColumn<Value.ArrayElement>) -> Condition) -> Condition {
    Condition(condition(ElementColumn(path: .element))) { .all(PropertyPath(name), $0) }
  }

  /// The number of elements.
  public var count: CountColumn { CountColumn(path: PropertyPath(name)) }

  /// Whether there are no elements. Nil has no elements to be empty of.
  public var isEmpty: Condition { count == 0 }
}

/// An element of an array or a member of a nested value, in a condition.
@dynamicMemberLookup
public struct ElementColumn<Value: Storable>: Sendable {
  let path: PropertyPath
  var operand: Operand { .property(path) }

  func compare(_ comparison: Comparison, _ value: some Storable) -> Condition {
    Condition(value) { .compare(operand, comparison, .value($0)) }
  }
}

/// Whether the element or member is this value; nil equals nil alone.
public func == <V: Storable>(column: ElementColumn<V>, value: V) -> Condition { column.compare(.equal, value) }
/// Whether the element or member is another value; nil differs from all but nil.
public func != <V: Storable>(column: ElementColumn<V>, value: V) -> Condition { column.compare(.notEqual, value) }
/// Whether the element or member is less than this value.
public func < <V: Storable & Comparable>(column: ElementColumn<V>, value: V) -> Condition {
  column.compare(.less, value)
}
/// Whether the element or member is at most this value.
public func <= <V: Storable & Comparable>(column: ElementColumn<V>, value: V) -> Condition {
  column.compare(.lessOrEqual, value)
}
/// Whether the element or member is greater than this value.
public func > <V: Storable & Comparable>(column: ElementColumn<V>, value: V) -> Condition {
  column.compare(.greater, value)
}
/// Whether the element or member is at least this value.
public func >= <V: Storable & Comparable>(column: ElementColumn<V>, value: V) -> Condition {
  column.compare(.greaterOrEqual, value)
}

extension ElementColumn where Value: TextStorable {
  /// Whether the text has this one in it; false of nil.
  public func contains(_ text: String, options: TextOptions = []) -> Condition {
    Condition(.text(operand, .contains, text, options))
  }

  /// Whether the text begins with this one; false of nil.
  public func hasPrefix(_ text: String, options: TextOptions = []) -> Condition {
    Condition(.text(operand, .hasPrefix, text, options))
  }

  /// Whether the text ends with this one; false of nil.
  public func hasSuffix(_ text: String, options: TextOptions = []) -> Condition {
    Condition(.text(operand, .hasSuffix, text, options))
  }
}

extension ElementColumn where Value: ArrayStorable {
  /// Whether an element is equal to the value.
  public func contains(_ element: Value.ArrayElement) -> Condition {
    Condition(element) { .containsElement(path, $0) }
  }

  /// The number of elements.
  public var count: CountColumn { CountColumn(path: path) }
}

/// The length of an array, a string or data, in a condition.
public typealias CountColumn = CalculatedColumn<Int>

extension CalculatedColumn<Int> {
  /// The length of what the path leads to.
  init(path: PropertyPath) { self.init(.count(path)) }
}

extension Condition {
  static func oneOf<V: Storable>(_ operand: Operand, _ values: some Sequence<V>) -> Condition {
    do throws(StorageError) {
      var stored: [Value] = []
      for value in values { stored.append(try value.storedValue()) }
      return Condition(.oneOf(operand, stored))
    } catch {
      return Condition(.constant(false), failure: error)
    }
  }
}
