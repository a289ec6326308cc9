import QuarryBackend
import QuarryQuery

/// What a condition calculates with: a column of numbers, a count, or the result of a calculation.
public protocol NumericColumn<Number>: Sendable {
  /// The type of the numbers, without an optional.
  associatedtype Number: Storable & Numeric
  /// The number as a part of a calculation.
  var calculated: CalculatedColumn<Number> { get }
}

/// What a condition calculates for each object: `$0.price * 2 > $0.limit`.
///
/// Nil with a number is nil, and so is what is divided by zero. Integers are calculated exactly in 128 bits and do not
/// overflow as Swift's do; a result beyond these is nil. Decimals have the digits of a Decimal, floating point is that of
/// IEEE 754.
public struct CalculatedColumn<Number: Storable & Numeric>: NumericColumn {
  let operand: Operand
  /// Why a constant in it cannot be stored.
  let failure: StorageError?

  public var calculated: CalculatedColumn<Number> { self }

  init(_ operand: Operand, failure: StorageError? = nil) {
    self.operand = operand
    self.failure = failure
  }

  init(constant: some Storable) {
    do throws(StorageError) {
      self.init(.value(try constant.storedValue()))
    } catch {
      self.init(.value(.null), failure: error)
    }
  }

  func with(
    _ operation: ArithmeticOperator, _ other: CalculatedColumn<Number>
  ) -> CalculatedColumn<Number> {
    CalculatedColumn(.arithmetic(operand, operation, other.operand), failure: failure ?? other.failure)
  }

  func compare<Other>(_ comparison: Comparison, _ other: CalculatedColumn<Other>) -> Condition {
    Condition(.compare(operand, comparison, other.operand), failure: failure ?? other.failure)
  }
}

extension Column: NumericColumn where Value: NumericStorable {
  public typealias Number = Value.Number
  public var calculated: CalculatedColumn<Value.Number> { CalculatedColumn(operand) }
}

extension ElementColumn: NumericColumn where Value: NumericStorable {
  public typealias Number = Value.Number
  public var calculated: CalculatedColumn<Value.Number> { CalculatedColumn(operand) }
}

extension CountColumn: NumericColumn {
  public var calculated: CalculatedColumn<Int> { CalculatedColumn(.count(path)) }
}

// Not favoured, so that conditions without arithmetic cost the compiler nothing more.

/// The sum of the two columns; nil where one is.
@_disfavoredOverload
public func + <L: NumericColumn, R: NumericColumn>(left: L, right: R) -> CalculatedColumn<L.Number>
where L.Number == R.Number { left.calculated.with(.add, right.calculated) }

/// The sum of the column and this number; nil where the column is.
@_disfavoredOverload
public func + <L: NumericColumn>(left: L, right: L.Number) -> CalculatedColumn<L.Number> {
  left.calculated.with(.add, CalculatedColumn(constant: right))
}

/// The sum of this number and the column; nil where the column is.
@_disfavoredOverload
public func + <R: NumericColumn>(left: R.Number, right: R) -> CalculatedColumn<R.Number> {
  CalculatedColumn(constant: left).with(.add, right.calculated)
}

/// The difference of the two columns; nil where one is.
@_disfavoredOverload
public func - <L: NumericColumn, R: NumericColumn>(left: L, right: R) -> CalculatedColumn<L.Number>
where L.Number == R.Number { left.calculated.with(.subtract, right.calculated) }

/// The difference of the column and this number; nil where the column is.
@_disfavoredOverload
public func - <L: NumericColumn>(left: L, right: L.Number) -> CalculatedColumn<L.Number> {
  left.calculated.with(.subtract, CalculatedColumn(constant: right))
}

/// The difference of this number and the column; nil where the column is.
@_disfavoredOverload
public func - <R: NumericColumn>(left: R.Number, right: R) -> CalculatedColumn<R.Number> {
  CalculatedColumn(constant: left).with(.subtract, right.calculated)
}

/// The number with the other sign; nil stays nil.
@_disfavoredOverload
public prefix func - <C: NumericColumn>(column: C) -> CalculatedColumn<C.Number> where C.Number: SignedNumeric {
  CalculatedColumn(.value(.int(-1))).with(.multiply, column.calculated)
}

/// The product of the two columns; nil where one is.
@_disfavoredOverload
public func * <L: NumericColumn, R: NumericColumn>(left: L, right: R) -> CalculatedColumn<L.Number>
where L.Number == R.Number { left.calculated.with(.multiply, right.calculated) }

/// The product of the column and this number; nil where the column is.
@_disfavoredOverload
public func * <L: NumericColumn>(left: L, right: L.Number) -> CalculatedColumn<L.Number> {
  left.calculated.with(.multiply, CalculatedColumn(constant: right))
}

/// The product of this number and the column; nil where the column is.
@_disfavoredOverload
public func * <R: NumericColumn>(left: R.Number, right: R) -> CalculatedColumn<R.Number> {
  CalculatedColumn(constant: left).with(.multiply, right.calculated)
}

// Integers are divided towards zero, as in Swift. Decimals are not divided: few quotients are decimals.

/// The left column divided by the right one, integers towards zero; nil where one is nil or the right one is zero.
@_disfavoredOverload
public func / <L: NumericColumn, R: NumericColumn>(left: L, right: R) -> CalculatedColumn<L.Number>
where L.Number == R.Number, L.Number: DividedNumber { left.calculated.with(.divide, right.calculated) }

/// The column divided by this number, integers towards zero; nil where the column is nil or the number zero.
@_disfavoredOverload
public func / <L: NumericColumn>(left: L, right: L.Number) -> CalculatedColumn<L.Number>
where L.Number: DividedNumber { left.calculated.with(.divide, CalculatedColumn(constant: right)) }

/// This number divided by the column, integers towards zero; nil where the column is nil or zero.
@_disfavoredOverload
public func / <R: NumericColumn>(left: R.Number, right: R) -> CalculatedColumn<R.Number>
where R.Number: DividedNumber { CalculatedColumn(constant: left).with(.divide, right.calculated) }

/// What is left of the left column when it is divided by the right one; nil where one is nil or the right one is zero.
@_disfavoredOverload
public func % <L: NumericColumn, R: NumericColumn>(left: L, right: R) -> CalculatedColumn<L.Number>
where L.Number == R.Number, L.Number: BinaryInteger { left.calculated.with(.remainder, right.calculated) }

/// What is left of the column when it is divided by this number; nil where the column is nil or the number zero.
@_disfavoredOverload
public func % <L: NumericColumn>(left: L, right: L.Number) -> CalculatedColumn<L.Number>
where L.Number: BinaryInteger { left.calculated.with(.remainder, CalculatedColumn(constant: right)) }

/// What is left of this number when it is divided by the column; nil where the column is nil or zero.
@_disfavoredOverload
public func % <R: NumericColumn>(left: R.Number, right: R) -> CalculatedColumn<R.Number>
where R.Number: BinaryInteger { CalculatedColumn(constant: left).with(.remainder, right.calculated) }

/// A number that conditions divide: an integer or a floating-point number. It is not meant for other types.
public protocol DividedNumber {}

extension Int: DividedNumber {}
extension Int8: DividedNumber {}
extension Int16: DividedNumber {}
extension Int32: DividedNumber {}
extension Int64: DividedNumber {}
extension UInt: DividedNumber {}
extension UInt8: DividedNumber {}
extension UInt16: DividedNumber {}
extension UInt32: DividedNumber {}
extension UInt64: DividedNumber {}
extension Float: DividedNumber {}
extension Double: DividedNumber {}
