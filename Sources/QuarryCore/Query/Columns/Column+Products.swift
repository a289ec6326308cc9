import QuarryBackend
import QuarryQuery

// Products, quotients and remainders of conditions, as the sums in Column+Sums.swift. Integers are divided towards zero, as
// in Swift. Decimals are not divided: few quotients are decimals.

/// The product of the column and the number; nil where the column is.
public func * <L: NumericStorable>(left: Column<L>, right: L.Number) -> CalculatedColumn<L.Number> {
  left.calculated.with(.multiply, CalculatedColumn(constant: right))
}

/// The product of the number and the column; nil where the column is.
public func * <L: NumericStorable>(left: L.Number, right: Column<L>) -> CalculatedColumn<L.Number> {
  CalculatedColumn(constant: left).with(.multiply, right.calculated)
}

/// The product of a column and another column; nil where one of them is.
public func * <L: NumericStorable, R: NumericStorable>(left: Column<L>, right: Column<R>) -> CalculatedColumn<L.Number>
where L.Number == R.Number {
  left.calculated.with(.multiply, right.calculated)
}

/// The product of the column and the member; nil where one of them is.
public func * <L: NumericStorable, R: NumericStorable>(left: Column<L>, right: ElementColumn<R>) -> CalculatedColumn<
  L.Number
> where L.Number == R.Number {
  left.calculated.with(.multiply, right.calculated)
}

/// The product of the column and the result; nil where one of them is.
public func * <L: NumericStorable, R: Storable & Numeric>(left: Column<L>, right: CalculatedColumn<R>)
  -> CalculatedColumn<L.Number> where L.Number == R
{
  left.calculated.with(.multiply, right.calculated)
}

/// The product of the member and the number; nil where the member is.
public func * <L: NumericStorable>(left: ElementColumn<L>, right: L.Number) -> CalculatedColumn<L.Number> {
  left.calculated.with(.multiply, CalculatedColumn(constant: right))
}

/// The product of the number and the member; nil where the member is.
public func * <L: NumericStorable>(left: L.Number, right: ElementColumn<L>) -> CalculatedColumn<L.Number> {
  CalculatedColumn(constant: left).with(.multiply, right.calculated)
}

/// The product of the member and the column; nil where one of them is.
public func * <L: NumericStorable, R: NumericStorable>(left: ElementColumn<L>, right: Column<R>) -> CalculatedColumn<
  L.Number
> where L.Number == R.Number {
  left.calculated.with(.multiply, right.calculated)
}

/// The product of a member and another member; nil where one of them is.
public func * <L: NumericStorable, R: NumericStorable>(left: ElementColumn<L>, right: ElementColumn<R>)
  -> CalculatedColumn<L.Number> where L.Number == R.Number
{
  left.calculated.with(.multiply, right.calculated)
}

/// The product of the member and the result; nil where one of them is.
public func * <L: NumericStorable, R: Storable & Numeric>(left: ElementColumn<L>, right: CalculatedColumn<R>)
  -> CalculatedColumn<L.Number> where L.Number == R
{
  left.calculated.with(.multiply, right.calculated)
}

/// The product of the result and the number; nil where the result is.
public func * <L: Storable & Numeric>(left: CalculatedColumn<L>, right: L) -> CalculatedColumn<L> {
  left.calculated.with(.multiply, CalculatedColumn(constant: right))
}

/// The product of the number and the result; nil where the result is.
public func * <L: Storable & Numeric>(left: L, right: CalculatedColumn<L>) -> CalculatedColumn<L> {
  CalculatedColumn(constant: left).with(.multiply, right.calculated)
}

/// The product of the result and the column; nil where one of them is.
public func * <L: Storable & Numeric, R: NumericStorable>(left: CalculatedColumn<L>, right: Column<R>)
  -> CalculatedColumn<L> where L == R.Number
{
  left.calculated.with(.multiply, right.calculated)
}

/// The product of the result and the member; nil where one of them is.
public func * <L: Storable & Numeric, R: NumericStorable>(left: CalculatedColumn<L>, right: ElementColumn<R>)
  -> CalculatedColumn<L> where L == R.Number
{
  left.calculated.with(.multiply, right.calculated)
}

/// The product of a result and another result; nil where one of them is.
public func * <L: Storable & Numeric>(left: CalculatedColumn<L>, right: CalculatedColumn<L>) -> CalculatedColumn<L> {
  left.calculated.with(.multiply, right.calculated)
}

/// The column divided by the number, integers towards zero; nil where the column is nil or the divisor is zero.
public func / <L: NumericStorable>(left: Column<L>, right: L.Number) -> CalculatedColumn<L.Number>
where L.Number: DividedNumber {
  left.calculated.with(.divide, CalculatedColumn(constant: right))
}

/// The number divided by the column, integers towards zero; nil where the column is nil or the divisor is zero.
public func / <L: NumericStorable>(left: L.Number, right: Column<L>) -> CalculatedColumn<L.Number>
where L.Number: DividedNumber {
  CalculatedColumn(constant: left).with(.divide, right.calculated)
}

/// A column divided by another column, integers towards zero; nil where one of them is nil or the divisor is zero.
public func / <L: NumericStorable, R: NumericStorable>(left: Column<L>, right: Column<R>) -> CalculatedColumn<L.Number>
where L.Number == R.Number, L.Number: DividedNumber {
  left.calculated.with(.divide, right.calculated)
}

/// The column divided by the member, integers towards zero; nil where one of them is nil or the divisor is zero.
public func / <L: NumericStorable, R: NumericStorable>(left: Column<L>, right: ElementColumn<R>) -> CalculatedColumn<
  L.Number
> where L.Number == R.Number, L.Number: DividedNumber {
  left.calculated.with(.divide, right.calculated)
}

/// The column divided by the result, integers towards zero; nil where one of them is nil or the divisor is zero.
public func / <L: NumericStorable, R: Storable & Numeric>(left: Column<L>, right: CalculatedColumn<R>)
  -> CalculatedColumn<L.Number> where L.Number == R, L.Number: DividedNumber
{
  left.calculated.with(.divide, right.calculated)
}

/// The member divided by the number, integers towards zero; nil where the member is nil or the divisor is zero.
public func / <L: NumericStorable>(left: ElementColumn<L>, right: L.Number) -> CalculatedColumn<L.Number>
where L.Number: DividedNumber {
  left.calculated.with(.divide, CalculatedColumn(constant: right))
}

/// The number divided by the member, integers towards zero; nil where the member is nil or the divisor is zero.
public func / <L: NumericStorable>(left: L.Number, right: ElementColumn<L>) -> CalculatedColumn<L.Number>
where L.Number: DividedNumber {
  CalculatedColumn(constant: left).with(.divide, right.calculated)
}

/// The member divided by the column, integers towards zero; nil where one of them is nil or the divisor is zero.
public func / <L: NumericStorable, R: NumericStorable>(left: ElementColumn<L>, right: Column<R>) -> CalculatedColumn<
  L.Number
> where L.Number == R.Number, L.Number: DividedNumber {
  left.calculated.with(.divide, right.calculated)
}

/// A member divided by another member, integers towards zero; nil where one of them is nil or the divisor is zero.
public func / <L: NumericStorable, R: NumericStorable>(left: ElementColumn<L>, right: ElementColumn<R>)
  -> CalculatedColumn<L.Number> where L.Number == R.Number, L.Number: DividedNumber
{
  left.calculated.with(.divide, right.calculated)
}

/// The member divided by the result, integers towards zero; nil where one of them is nil or the divisor is zero.
public func / <L: NumericStorable, R: Storable & Numeric>(left: ElementColumn<L>, right: CalculatedColumn<R>)
  -> CalculatedColumn<L.Number> where L.Number == R, L.Number: DividedNumber
{
  left.calculated.with(.divide, right.calculated)
}

/// The result divided by the number, integers towards zero; nil where the result is nil or the divisor is zero.
public func / <L: Storable & Numeric>(left: CalculatedColumn<L>, right: L) -> CalculatedColumn<L>
where L: DividedNumber {
  left.calculated.with(.divide, CalculatedColumn(constant: right))
}

/// The number divided by the result, integers towards zero; nil where the result is nil or the divisor is zero.
public func / <L: Storable & Numeric>(left: L, right: CalculatedColumn<L>) -> CalculatedColumn<L>
where L: DividedNumber {
  CalculatedColumn(constant: left).with(.divide, right.calculated)
}

/// The result divided by the column, integers towards zero; nil where one of them is nil or the divisor is zero.
public func / <L: Storable & Numeric, R: NumericStorable>(left: CalculatedColumn<L>, right: Column<R>)
  -> CalculatedColumn<L> where L == R.Number, L: DividedNumber
{
  left.calculated.with(.divide, right.calculated)
}

/// The result divided by the member, integers towards zero; nil where one of them is nil or the divisor is zero.
public func / <L: Storable & Numeric, R: NumericStorable>(left: CalculatedColumn<L>, right: ElementColumn<R>)
  -> CalculatedColumn<L> where L == R.Number, L: DividedNumber
{
  left.calculated.with(.divide, right.calculated)
}

/// A result divided by another result, integers towards zero; nil where one of them is nil or the divisor is zero.
public func / <L: Storable & Numeric>(left: CalculatedColumn<L>, right: CalculatedColumn<L>) -> CalculatedColumn<L>
where L: DividedNumber {
  left.calculated.with(.divide, right.calculated)
}

/// The remainder of the column divided by the number; nil where the column is nil or the divisor is zero.
public func % <L: NumericStorable>(left: Column<L>, right: L.Number) -> CalculatedColumn<L.Number>
where L.Number: BinaryInteger {
  left.calculated.with(.remainder, CalculatedColumn(constant: right))
}

/// The remainder of the number divided by the column; nil where the column is nil or the divisor is zero.
public func % <L: NumericStorable>(left: L.Number, right: Column<L>) -> CalculatedColumn<L.Number>
where L.Number: BinaryInteger {
  CalculatedColumn(constant: left).with(.remainder, right.calculated)
}

/// The remainder of a column divided by another column; nil where one of them is nil or the divisor is zero.
public func % <L: NumericStorable, R: NumericStorable>(left: Column<L>, right: Column<R>) -> CalculatedColumn<L.Number>
where L.Number == R.Number, L.Number: BinaryInteger {
  left.calculated.with(.remainder, right.calculated)
}

/// The remainder of the column divided by the member; nil where one of them is nil or the divisor is zero.
public func % <L: NumericStorable, R: NumericStorable>(left: Column<L>, right: ElementColumn<R>) -> CalculatedColumn<
  L.Number
> where L.Number == R.Number, L.Number: BinaryInteger {
  left.calculated.with(.remainder, right.calculated)
}

/// The remainder of the column divided by the result; nil where one of them is nil or the divisor is zero.
public func % <L: NumericStorable, R: Storable & Numeric>(left: Column<L>, right: CalculatedColumn<R>)
  -> CalculatedColumn<L.Number> where L.Number == R, L.Number: BinaryInteger
{
  left.calculated.with(.remainder, right.calculated)
}

/// The remainder of the member divided by the number; nil where the member is nil or the divisor is zero.
public func % <L: NumericStorable>(left: ElementColumn<L>, right: L.Number) -> CalculatedColumn<L.Number>
where L.Number: BinaryInteger {
  left.calculated.with(.remainder, CalculatedColumn(constant: right))
}

/// The remainder of the number divided by the member; nil where the member is nil or the divisor is zero.
public func % <L: NumericStorable>(left: L.Number, right: ElementColumn<L>) -> CalculatedColumn<L.Number>
where L.Number: BinaryInteger {
  CalculatedColumn(constant: left).with(.remainder, right.calculated)
}

/// The remainder of the member divided by the column; nil where one of them is nil or the divisor is zero.
public func % <L: NumericStorable, R: NumericStorable>(left: ElementColumn<L>, right: Column<R>) -> CalculatedColumn<
  L.Number
> where L.Number == R.Number, L.Number: BinaryInteger {
  left.calculated.with(.remainder, right.calculated)
}

/// The remainder of a member divided by another member; nil where one of them is nil or the divisor is zero.
public func % <L: NumericStorable, R: NumericStorable>(left: ElementColumn<L>, right: ElementColumn<R>)
  -> CalculatedColumn<L.Number> where L.Number == R.Number, L.Number: BinaryInteger
{
  left.calculated.with(.remainder, right.calculated)
}

/// The remainder of the member divided by the result; nil where one of them is nil or the divisor is zero.
public func % <L: NumericStorable, R: Storable & Numeric>(left: ElementColumn<L>, right: CalculatedColumn<R>)
  -> CalculatedColumn<L.Number> where L.Number == R, L.Number: BinaryInteger
{
  left.calculated.with(.remainder, right.calculated)
}

/// The remainder of the result divided by the number; nil where the result is nil or the divisor is zero.
public func % <L: Storable & Numeric>(left: CalculatedColumn<L>, right: L) -> CalculatedColumn<L>
where L: BinaryInteger {
  left.calculated.with(.remainder, CalculatedColumn(constant: right))
}

/// The remainder of the number divided by the result; nil where the result is nil or the divisor is zero.
public func % <L: Storable & Numeric>(left: L, right: CalculatedColumn<L>) -> CalculatedColumn<L>
where L: BinaryInteger {
  CalculatedColumn(constant: left).with(.remainder, right.calculated)
}

/// The remainder of the result divided by the column; nil where one of them is nil or the divisor is zero.
public func % <L: Storable & Numeric, R: NumericStorable>(left: CalculatedColumn<L>, right: Column<R>)
  -> CalculatedColumn<L> where L == R.Number, L: BinaryInteger
{
  left.calculated.with(.remainder, right.calculated)
}

/// The remainder of the result divided by the member; nil where one of them is nil or the divisor is zero.
public func % <L: Storable & Numeric, R: NumericStorable>(left: CalculatedColumn<L>, right: ElementColumn<R>)
  -> CalculatedColumn<L> where L == R.Number, L: BinaryInteger
{
  left.calculated.with(.remainder, right.calculated)
}

/// The remainder of a result divided by another result; nil where one of them is nil or the divisor is zero.
public func % <L: Storable & Numeric>(left: CalculatedColumn<L>, right: CalculatedColumn<L>) -> CalculatedColumn<L>
where L: BinaryInteger {
  left.calculated.with(.remainder, right.calculated)
}
