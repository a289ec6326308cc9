// Operators whose two sides do not fit together. The compiler accepts these and then reports the conformance, which is
// unavailable, with its message. Without them it tries every combination of all overloads before it reports an error, which
// takes seconds to minutes for one wrong type next to arithmetic.

/// The operands that a comparison takes. No type conforms to it; the message names the types that can be compared.
public protocol ComparedWithAnyType: Sendable {}

/// The operands that a calculation takes. No type conforms to it; the message names the types that can be calculated.
public protocol CalculatedWithAnyType: Sendable {}

@available(
  *, unavailable,
  message: "a column is compared with a value or a column of its own type, and a number with any number"
)
extension Column: ComparedWithAnyType {}

@available(
  *, unavailable,
  message: "a column is compared with a value or a column of its own type, and a number with any number"
)
extension ElementColumn: ComparedWithAnyType {}

@available(
  *, unavailable,
  message: "a column is compared with a value or a column of its own type, and a number with any number"
)
extension CalculatedColumn: ComparedWithAnyType {}

@available(
  *, unavailable,
  message: "a calculation has numbers of one type on both sides; / is not for Decimal, and % is for integers only"
)
extension Column: CalculatedWithAnyType {}

@available(
  *, unavailable,
  message: "a calculation has numbers of one type on both sides; / is not for Decimal, and % is for integers only"
)
extension ElementColumn: CalculatedWithAnyType {}

@available(
  *, unavailable,
  message: "a calculation has numbers of one type on both sides; / is not for Decimal, and % is for integers only"
)
extension CalculatedColumn: CalculatedWithAnyType {}

/// Reports a right side of another type.
@_disfavoredOverload
public func == <L: ComparedWithAnyType, R>(left: L, right: R) -> Condition { .constant(false) }

/// Reports a left side of another type.
@_disfavoredOverload
public func == <L, R: ComparedWithAnyType>(left: L, right: R) -> Condition { .constant(false) }

/// Reports two columns of different types.
@_disfavoredOverload
public func == <L: ComparedWithAnyType, R: ComparedWithAnyType>(left: L, right: R) -> Condition { .constant(false) }

/// Reports a right side of another type.
@_disfavoredOverload
public func != <L: ComparedWithAnyType, R>(left: L, right: R) -> Condition { .constant(false) }

/// Reports a left side of another type.
@_disfavoredOverload
public func != <L, R: ComparedWithAnyType>(left: L, right: R) -> Condition { .constant(false) }

/// Reports two columns of different types.
@_disfavoredOverload
public func != <L: ComparedWithAnyType, R: ComparedWithAnyType>(left: L, right: R) -> Condition { .constant(false) }

/// Reports a right side of another type.
@_disfavoredOverload
public func < <L: ComparedWithAnyType, R>(left: L, right: R) -> Condition { .constant(false) }

/// Reports a left side of another type.
@_disfavoredOverload
public func < <L, R: ComparedWithAnyType>(left: L, right: R) -> Condition { .constant(false) }

/// Reports two columns of different types.
@_disfavoredOverload
public func < <L: ComparedWithAnyType, R: ComparedWithAnyType>(left: L, right: R) -> Condition { .constant(false) }

/// Reports a right side of another type.
@_disfavoredOverload
public func <= <L: ComparedWithAnyType, R>(left: L, right: R) -> Condition { .constant(false) }

/// Reports a left side of another type.
@_disfavoredOverload
public func <= <L, R: ComparedWithAnyType>(left: L, right: R) -> Condition { .constant(false) }

/// Reports two columns of different types.
@_disfavoredOverload
public func <= <L: ComparedWithAnyType, R: ComparedWithAnyType>(left: L, right: R) -> Condition { .constant(false) }

/// Reports a right side of another type.
@_disfavoredOverload
public func > <L: ComparedWithAnyType, R>(left: L, right: R) -> Condition { .constant(false) }

/// Reports a left side of another type.
@_disfavoredOverload
public func > <L, R: ComparedWithAnyType>(left: L, right: R) -> Condition { .constant(false) }

/// Reports two columns of different types.
@_disfavoredOverload
public func > <L: ComparedWithAnyType, R: ComparedWithAnyType>(left: L, right: R) -> Condition { .constant(false) }

/// Reports a right side of another type.
@_disfavoredOverload
public func >= <L: ComparedWithAnyType, R>(left: L, right: R) -> Condition { .constant(false) }

/// Reports a left side of another type.
@_disfavoredOverload
public func >= <L, R: ComparedWithAnyType>(left: L, right: R) -> Condition { .constant(false) }

/// Reports two columns of different types.
@_disfavoredOverload
public func >= <L: ComparedWithAnyType, R: ComparedWithAnyType>(left: L, right: R) -> Condition { .constant(false) }

/// Reports a right side that is not a number of the same type.
@_disfavoredOverload
public func + <L: CalculatedWithAnyType, R>(left: L, right: R) -> CalculatedColumn<Int> {
  CalculatedColumn(.value(.null))
}

/// Reports a left side that is not a number of the same type.
@_disfavoredOverload
public func + <L, R: CalculatedWithAnyType>(left: L, right: R) -> CalculatedColumn<Int> {
  CalculatedColumn(.value(.null))
}

/// Reports two columns that are not numbers of one type.
@_disfavoredOverload
public func + <L: CalculatedWithAnyType, R: CalculatedWithAnyType>(left: L, right: R) -> CalculatedColumn<Int> {
  CalculatedColumn(.value(.null))
}

/// Reports a right side that is not a number of the same type.
@_disfavoredOverload
public func - <L: CalculatedWithAnyType, R>(left: L, right: R) -> CalculatedColumn<Int> {
  CalculatedColumn(.value(.null))
}

/// Reports a left side that is not a number of the same type.
@_disfavoredOverload
public func - <L, R: CalculatedWithAnyType>(left: L, right: R) -> CalculatedColumn<Int> {
  CalculatedColumn(.value(.null))
}

/// Reports two columns that are not numbers of one type.
@_disfavoredOverload
public func - <L: CalculatedWithAnyType, R: CalculatedWithAnyType>(left: L, right: R) -> CalculatedColumn<Int> {
  CalculatedColumn(.value(.null))
}

/// Reports a right side that is not a number of the same type.
@_disfavoredOverload
public func * <L: CalculatedWithAnyType, R>(left: L, right: R) -> CalculatedColumn<Int> {
  CalculatedColumn(.value(.null))
}

/// Reports a left side that is not a number of the same type.
@_disfavoredOverload
public func * <L, R: CalculatedWithAnyType>(left: L, right: R) -> CalculatedColumn<Int> {
  CalculatedColumn(.value(.null))
}

/// Reports two columns that are not numbers of one type.
@_disfavoredOverload
public func * <L: CalculatedWithAnyType, R: CalculatedWithAnyType>(left: L, right: R) -> CalculatedColumn<Int> {
  CalculatedColumn(.value(.null))
}

/// Reports a right side that is not a number of the same type.
@_disfavoredOverload
public func / <L: CalculatedWithAnyType, R>(left: L, right: R) -> CalculatedColumn<Int> {
  CalculatedColumn(.value(.null))
}

/// Reports a left side that is not a number of the same type.
@_disfavoredOverload
public func / <L, R: CalculatedWithAnyType>(left: L, right: R) -> CalculatedColumn<Int> {
  CalculatedColumn(.value(.null))
}

/// Reports two columns that are not numbers of one type.
@_disfavoredOverload
public func / <L: CalculatedWithAnyType, R: CalculatedWithAnyType>(left: L, right: R) -> CalculatedColumn<Int> {
  CalculatedColumn(.value(.null))
}

/// Reports a right side that is not a number of the same type.
@_disfavoredOverload
public func % <L: CalculatedWithAnyType, R>(left: L, right: R) -> CalculatedColumn<Int> {
  CalculatedColumn(.value(.null))
}

/// Reports a left side that is not a number of the same type.
@_disfavoredOverload
public func % <L, R: CalculatedWithAnyType>(left: L, right: R) -> CalculatedColumn<Int> {
  CalculatedColumn(.value(.null))
}

/// Reports two columns that are not numbers of one type.
@_disfavoredOverload
public func % <L: CalculatedWithAnyType, R: CalculatedWithAnyType>(left: L, right: R) -> CalculatedColumn<Int> {
  CalculatedColumn(.value(.null))
}

/// Reports an operand that is not a number.
@_disfavoredOverload
public prefix func - <C: CalculatedWithAnyType>(column: C) -> CalculatedColumn<Int> { CalculatedColumn(.value(.null)) }
