public import Foundation
public import QuarryBackend
import QuarryQuery

/// A value with a length that is not an array: a string, data, and optionals of them.
public protocol LengthStorable: Storable {
  /// The value that is empty.
  static var emptyValue: Value { get }
}

extension String: LengthStorable {
  public static var emptyValue: Value { .string("") }
}

extension Data: LengthStorable {
  public static var emptyValue: Value { .data(Data()) }
}

extension Optional: LengthStorable where Wrapped: LengthStorable {
  public static var emptyValue: Value { Wrapped.emptyValue }
}

extension Column where Value: LengthStorable {
  /// The number of characters of a string, as Swift counts them, or of the bytes of data. The count of nil is nil.
  public var count: CountColumn { CountColumn(path: PropertyPath(name)) }

  /// Whether there are no characters or bytes. Nil has none to be empty of.
  public var isEmpty: Condition { Condition(.compare(operand, .equal, .value(Value.emptyValue))) }
}

extension ElementColumn where Value: LengthStorable {
  /// The number of characters of a string, as Swift counts them, or of the bytes of data. The count of nil is nil.
  public var count: CountColumn { CountColumn(path: path) }

  /// Whether there are no characters or bytes. Nil has none to be empty of.
  public var isEmpty: Condition { Condition(.compare(operand, .equal, .value(Value.emptyValue))) }
}
