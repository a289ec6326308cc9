import QuarryBackend
import QuarryQuery

// Sums and differences of conditions. Each pair of operand types has an overload of its own: an operand that is generic
// over a protocol accepts every literal until the end of type checking, and the compiler then tries all combinations.

/// The sum of the column and the number; nil where the column is.
public func + <L: NumericStorable>(left: Column<L>, right: L.Number) -> CalculatedColumn<L.Number> {
  left.calculated.with(.add, CalculatedColumn(constant: right))
}

/// The sum of the number and the column; nil where the column is.
public func + <L: NumericStorable>(left: L.Number, right: Column<L>) -> CalculatedColumn<L.Number> {
  CalculatedColumn(constant: left).with(.add, right.calculated)
}

/// The sum of a column and another column; nil where one of them is.
public func + <L: NumericStorable, R: NumericStorable>(left: Column<L>, right: Column<R>) -> CalculatedColumn<L.Number>
where L.Number == R.Number {
  left.calculated.with(.add, right.calculated)
}

/// The sum of the column and the member; nil where one of them is.
public func + <L: NumericStorable, R: NumericStorable>(left: Column<L>, right: ElementColumn<R>) -> CalculatedColumn<
  L.Number
> where L.Number == R.Number {
  left.calculated.with(.add, right.calculated)
}

/// The sum of the column and the result; nil where one of them is.
public func + <L: NumericStorable, R: Storable & Numeric>(left: Column<L>, right: CalculatedColumn<R>)
  -> CalculatedColumn<L.Number> where L.Number == R
{
  left.calculated.with(.add, right.calculated)
}

/// The sum of the member and the number; nil where the member is.
public func + <L: NumericStorable>(left: ElementColumn<L>, right: L.Number) -> CalculatedColumn<L.Number> {
  left.calculated.with(.add, CalculatedColumn(constant: right))
}

/// The sum of the number and the member; nil where the member is.
public func + <L: NumericStorable>(left: L.Number, right: ElementColumn<L>) -> CalculatedColumn<L.Number> {
  CalculatedColumn(constant: left).with(.add, right.calculated)
}

/// The sum of the member and the column; nil where one of them is.
public func + <L: NumericStorable, R: NumericStorable>(left: ElementColumn<L>, right: Column<R>) -> CalculatedColumn<
  L.Number
> where L.Number == R.Number {
  left.calculated.with(.add, right.calculated)
}

/// The sum of a member and another member; nil where one of them is.
public func + <L: NumericStorable, R: NumericStorable>(left: ElementColumn<L>, right: ElementColumn<R>)
  -> CalculatedColumn<L.Number> where L.Number == R.Number
{
  left.calculated.with(.add, right.calculated)
}

/// The sum of the member and the result; nil where one of them is.
public func + <L: NumericStorable, R: Storable & Numeric>(left: ElementColumn<L>, right: CalculatedColumn<R>)
  -> CalculatedColumn<L.Number> where L.Number == R
{
  left.calculated.with(.add, right.calculated)
}

/// The sum of the result and the number; nil where the result is.
public func + <L: Storable & Numeric>(left: CalculatedColumn<L>, right: L) -> CalculatedColumn<L> {
  left.calculated.with(.add, CalculatedColumn(constant: right))
}

/// The sum of the number and the result; nil where the result is.
public func + <L: Storable & Numeric>(left: L, right: CalculatedColumn<L>) -> CalculatedColumn<L> {
  CalculatedColumn(constant: left).with(.add, right.calculated)
}

/// The sum of the result and the column; nil where one of them is.
public func + <L: Storable & Numeric, R: NumericStorable>(left: CalculatedColumn<L>, right: Column<R>)
  -> CalculatedColumn<L> where L == R.Number
{
  left.calculated.with(.add, right.calculated)
}

/// The sum of the result and the member; nil where one of them is.
public func + <L: Storable & Numeric, R: NumericStorable>(left: CalculatedColumn<L>, right: ElementColumn<R>)
  -> CalculatedColumn<L> where L == R.Number
{
  left.calculated.with(.add, right.calculated)
}

/// The sum of a result and another result; nil where one of them is.
public func + <L: Storable & Numeric>(left: CalculatedColumn<L>, right: CalculatedColumn<L>) -> CalculatedColumn<L> {
  left.calculated.with(.add, right.calculated)
}

/// The difference of the column and the number; nil where the column is.
public func - <L: NumericStorable>(left: Column<L>, right: L.Number) -> CalculatedColumn<L.Number> {
  left.calculated.with(.subtract, CalculatedColumn(constant: right))
}

/// The difference of the number and the column; nil where the column is.
public func - <L: NumericStorable>(left: L.Number, right: Column<L>) -> CalculatedColumn<L.Number> {
  CalculatedColumn(constant: left).with(.subtract, right.calculated)
}

/// The difference of a column and another column; nil where one of them is.
public func - <L: NumericStorable, R: NumericStorable>(left: Column<L>, right: Column<R>) -> CalculatedColumn<L.Number>
where L.Number == R.Number {
  left.calculated.with(.subtract, right.calculated)
}

/// The difference of the column and the member; nil where one of them is.
public func - <L: NumericStorable, R: NumericStorable>(left: Column<L>, right: ElementColumn<R>) -> CalculatedColumn<
  L.Number
> where L.Number == R.Number {
  left.calculated.with(.subtract, right.calculated)
}

/// The difference of the column and the result; nil where one of them is.
public func - <L: NumericStorable, R: Storable & Numeric>(left: Column<L>, right: CalculatedColumn<R>)
  -> CalculatedColumn<L.Number> where L.Number == R
{
  left.calculated.with(.subtract, right.calculated)
}

/// The difference of the member and the number; nil where the member is.
public func - <L: NumericStorable>(left: ElementColumn<L>, right: L.Number) -> CalculatedColumn<L.Number> {
  left.calculated.with(.subtract, CalculatedColumn(constant: right))
}

/// The difference of the number and the member; nil where the member is.
public func - <L: NumericStorable>(left: L.Number, right: ElementColumn<L>) -> CalculatedColumn<L.Number> {
  CalculatedColumn(constant: left).with(.subtract, right.calculated)
}

/// The difference of the member and the column; nil where one of them is.
public func - <L: NumericStorable, R: NumericStorable>(left: ElementColumn<L>, right: Column<R>) -> CalculatedColumn<
  L.Number
> where L.Number == R.Number {
  left.calculated.with(.subtract, right.calculated)
}

/// The difference of a member and another member; nil where one of them is.
public func - <L: NumericStorable, R: NumericStorable>(left: ElementColumn<L>, right: ElementColumn<R>)
  -> CalculatedColumn<L.Number> where L.Number == R.Number
{
  left.calculated.with(.subtract, right.calculated)
}

/// The difference of the member and the result; nil where one of them is.
public func - <L: NumericStorable, R: Storable & Numeric>(left: ElementColumn<L>, right: CalculatedColumn<R>)
  -> CalculatedColumn<L.Number> where L.Number == R
{
  left.calculated.with(.subtract, right.calculated)
}

/// The difference of the result and the number; nil where the result is.
public func - <L: Storable & Numeric>(left: CalculatedColumn<L>, right: L) -> CalculatedColumn<L> {
  left.calculated.with(.subtract, CalculatedColumn(constant: right))
}

/// The difference of the number and the result; nil where the result is.
public func - <L: Storable & Numeric>(left: L, right: CalculatedColumn<L>) -> CalculatedColumn<L> {
  CalculatedColumn(constant: left).with(.subtract, right.calculated)
}

/// The difference of the result and the column; nil where one of them is.
public func - <L: Storable & Numeric, R: NumericStorable>(left: CalculatedColumn<L>, right: Column<R>)
  -> CalculatedColumn<L> where L == R.Number
{
  left.calculated.with(.subtract, right.calculated)
}

/// The difference of the result and the member; nil where one of them is.
public func - <L: Storable & Numeric, R: NumericStorable>(left: CalculatedColumn<L>, right: ElementColumn<R>)
  -> CalculatedColumn<L> where L == R.Number
{
  left.calculated.with(.subtract, right.calculated)
}

/// The difference of a result and another result; nil where one of them is.
public func - <L: Storable & Numeric>(left: CalculatedColumn<L>, right: CalculatedColumn<L>) -> CalculatedColumn<L> {
  left.calculated.with(.subtract, right.calculated)
}
