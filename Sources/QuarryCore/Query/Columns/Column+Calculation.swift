import QuarryBackend
import QuarryQuery

/// An operand of a calculation in a condition: a column of numbers, a count, or the result of a calculation.
public protocol NumericColumn<Number>: Sendable {
  /// The type of the numbers, without an optional.
  associatedtype Number: Storable & Numeric
  /// The number as a part of a calculation.
  var calculated: CalculatedColumn<Number> { get }
}

/// A calculation of a condition for each object: `$0.price * 2 > $0.limit`.
///
/// A calculation with nil is nil, and so is a division by zero. Integers are calculated exactly in 128 bits and do not overflow
/// as Swift's do; a result beyond 128 bits is nil. Decimals have the digits of a Decimal; floating point follows IEEE 754.
public struct CalculatedColumn<Number: Storable & Numeric>: NumericColumn {
  let operand: Operand
  /// The depth of nested calculations. A calculation that is too deep becomes an error at once, as in ``Condition``.
  private let depth: Int
  /// Why a constant in it cannot be stored.
  let failure: StorageError?

  public var calculated: CalculatedColumn<Number> { self }

  init(_ operand: Operand, depth: Int = 1, failure: StorageError? = nil) {
    guard depth <= TreeLimits.maximumDepth else {
      self.operand = .value(.null)
      self.depth = 1
      self.failure =
        failure ?? .limitExceeded("depth of a calculation", limit: TreeLimits.maximumDepth, actual: depth)
      return
    }
    self.operand = operand
    self.depth = depth
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
    CalculatedColumn(
      .arithmetic(operand, operation, other.operand), depth: max(depth, other.depth) + 1,
      failure: failure ?? other.failure)
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

/*NEG*/
/// The number with the other sign; nil stays nil.
@_disfavoredOverload
public prefix func - <C: NumericColumn>(column: C) -> CalculatedColumn<C.Number> where C.Number: SignedNumeric {
  CalculatedColumn(.value(.int(-1))).with(.multiply, column.calculated)
}

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
