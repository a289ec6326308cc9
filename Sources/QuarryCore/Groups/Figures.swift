import QuarryBackend
import Synchronization

/// Declares the figures of groups: `{ (count: $0.count(), mean: $0.average(\.price)) }`.
///
/// A figure is of a column, or of a property that references lead to: `$0.sum(\.author.fee)`. Nil is left out. A figure of no
/// values is nil, and a count of none is 0.
public struct Figures<M: Model>: Sendable {
  private final class Declared: Sendable {
    let figures = Mutex<[any AnyFigureValues]>([])
  }

  private let declared = Declared()
  /// What leads from the rows that are read to the model.
  private let prefix: String

  init(prefix: String) {
    self.prefix = prefix
  }

  /// The figures that were declared, in their order.
  var all: [any AnyFigureValues] { declared.figures.withLock { $0 } }

  private func declare<V: Storable>(
    _ function: GroupFunction, _ column: String?, by order: String? = nil, isDescending: Bool = false
  ) -> Figure<V> {
    var term = GroupTerm(
      function: function, column: column.map { DateSpan.prefixed($0, prefix) },
      name: "\(function.name)(\(column ?? ""))")
    term.order = order.map { DateSpan.prefixed($0, prefix) }
    term.isDescending = isDescending
    let values = FigureValues<V>(term)
    declared.figures.withLock { $0.append(values) }
    return Figure(values: values)
  }

  private func name<C: NamedColumn>(_ column: KeyPath<M.Columns, C>) -> String {
    C.storedName(of: M.Columns()[keyPath: column])
  }

  // MARK: Counts

  /// The number of objects.
  public func count() -> Figure<Int> { declare(.count, nil) }

  /// The number of objects in which the column is not nil.
  ///
  /// - Parameter column: A column of the model, or a property that references lead to: `\.author.fee`.
  public func count<C: NamedColumn>(_ column: KeyPath<M.Columns, C>) -> Figure<Int> { declare(.count, name(column)) }

  /// The number of different values, nil left out.
  ///
  /// Reading the groups throws `invalidQuery` for a column whose type has no order.
  ///
  /// - Parameter column: A column whose values have an order, or such a property that references lead to.
  public func distinct<C: NamedColumn>(_ column: KeyPath<M.Columns, C>) -> Figure<Int> {
    declare(.distinct, name(column))
  }

  // MARK: Numbers

  /// The sum. Integers are added exactly; floating-point numbers as if exactly, and rounded once.
  ///
  /// Reading the groups throws `invalidValue` when the exact total of one does not fit its type.
  ///
  /// - Parameter column: A column of numbers, or such a property that references lead to: `\.author.fee`.
  public func sum<C: NamedColumn>(_ column: KeyPath<M.Columns, C>) -> Figure<C.Value.Total?>
  where C.Value: NumericStorable {
    declare(.sum, name(column))
  }

  /// The average of the values.
  ///
  /// Integers and floating-point numbers have a `Double`, decimals a `Decimal`.
  ///
  /// - Parameter column: A column of numbers, as in ``sum(_:)``.
  public func average<C: NamedColumn>(_ column: KeyPath<M.Columns, C>) -> Figure<C.Value.Average?>
  where C.Value: NumericStorable {
    declare(.average, name(column))
  }

  /// The median: the value in the middle, or the mean of both values in the middle.
  ///
  /// - Parameter column: A column of numbers, as in ``sum(_:)``.
  public func median<C: NamedColumn>(_ column: KeyPath<M.Columns, C>) -> Figure<C.Value.Average?>
  where C.Value: NumericStorable {
    declare(.median, name(column))
  }

  /// The standard deviation of a sample: of n values, the sum of squares is divided by n - 1. Nil for fewer than two values.
  ///
  /// - Parameter column: A column of numbers, as in ``sum(_:)``.
  public func standardDeviation<C: NamedColumn>(_ column: KeyPath<M.Columns, C>) -> Figure<Double?>
  where C.Value: NumericStorable {
    declare(.deviation, name(column))
  }

  // MARK: Orders

  /// The least value.
  ///
  /// Reading the groups throws `invalidQuery` for a column whose type has no order.
  ///
  /// - Parameter column: A column whose values have an order, or such a property that references lead to.
  @_disfavoredOverload
  public func min<C: NamedColumn>(_ column: KeyPath<M.Columns, C>) -> Figure<C.Value?> { declare(.min, name(column)) }

  /// The least value of a column of optionals.
  ///
  /// - Parameter column: A column whose values have an order, or such a property that references lead to.
  public func min<C: NamedColumn, V: Storable>(_ column: KeyPath<M.Columns, C>) -> Figure<V?> where C.Value == V? {
    declare(.min, name(column))
  }

  /// The greatest value.
  ///
  /// Reading the groups throws `invalidQuery` for a column whose type has no order.
  ///
  /// - Parameter column: A column whose values have an order, or such a property that references lead to.
  @_disfavoredOverload
  public func max<C: NamedColumn>(_ column: KeyPath<M.Columns, C>) -> Figure<C.Value?> { declare(.max, name(column)) }

  /// The greatest value of a column of optionals.
  ///
  /// - Parameter column: A column whose values have an order, or such a property that references lead to.
  public func max<C: NamedColumn, V: Storable>(_ column: KeyPath<M.Columns, C>) -> Figure<V?> where C.Value == V? {
    declare(.max, name(column))
  }

  /// The least value that a part of the values, in percent, do not exceed: `$0.percentile(\.price, 99.9)`.
  ///
  /// Reading the groups throws `invalidQuery` for a percentage that is not from 0 to 100.
  ///
  /// - Parameters:
  ///   - column: A column whose values have an order, or such a property that references lead to.
  ///   - percent: The part of the values in percent, from 0 to 100.
  @_disfavoredOverload
  public func percentile<C: NamedColumn>(_ column: KeyPath<M.Columns, C>, _ percent: Double) -> Figure<C.Value?> {
    declare(.percentile(.init(percent)), name(column))
  }

  /// The least value of a column of optionals that a part of the values, in percent, do not exceed.
  ///
  /// - Parameters:
  ///   - column: A column whose values have an order, or such a property that references lead to.
  ///   - percent: The part of the values in percent, from 0 to 100.
  public func percentile<C: NamedColumn, V: Storable>(
    _ column: KeyPath<M.Columns, C>, _ percent: Double
  ) -> Figure<V?> where C.Value == V? {
    declare(.percentile(.init(percent)), name(column))
  }

  /// The value of the object that comes first by the order of another column: `$0.first(\.title, by: \.year)`.
  ///
  /// Objects in which one of the two is nil are left out. Ties are broken by the primary key.
  ///
  /// - Parameters:
  ///   - column: The column whose value is the figure.
  ///   - order: The column that decides which object comes first.
  ///   - direction: Whether the order goes from the least value to the greatest, or the other way.
  @_disfavoredOverload
  public func first<C: NamedColumn, O: NamedColumn>(
    _ column: KeyPath<M.Columns, C>, by order: KeyPath<M.Columns, O>, _ direction: SortDirection = .forward
  ) -> Figure<C.Value?> {
    declare(.first, name(column), by: name(order), isDescending: direction == .reverse)
  }

  /// The value, of a column of optionals, of the object that comes first by the order of another column.
  ///
  /// - Parameters:
  ///   - column: The column of optionals whose value is the figure.
  ///   - order: The column that decides which object comes first.
  ///   - direction: Whether the order goes from the least value to the greatest, or the other way.
  public func first<C: NamedColumn, O: NamedColumn, V: Storable>(
    _ column: KeyPath<M.Columns, C>, by order: KeyPath<M.Columns, O>, _ direction: SortDirection = .forward
  ) -> Figure<V?> where C.Value == V? {
    declare(.first, name(column), by: name(order), isDescending: direction == .reverse)
  }

  /// The value of the object that comes last by the order of another column.
  ///
  /// Objects in which one of the two is nil are left out. Ties are broken by the primary key.
  ///
  /// - Parameters:
  ///   - column: The column whose value is the figure.
  ///   - order: The column that decides which object comes last.
  ///   - direction: Whether the order goes from the least value to the greatest, or the other way.
  @_disfavoredOverload
  public func last<C: NamedColumn, O: NamedColumn>(
    _ column: KeyPath<M.Columns, C>, by order: KeyPath<M.Columns, O>, _ direction: SortDirection = .forward
  ) -> Figure<C.Value?> {
    declare(.last, name(column), by: name(order), isDescending: direction == .reverse)
  }

  /// The value, of a column of optionals, of the object that comes last by the order of another column.
  ///
  /// - Parameters:
  ///   - column: The column of optionals whose value is the figure.
  ///   - order: The column that decides which object comes last.
  ///   - direction: Whether the order goes from the least value to the greatest, or the other way.
  public func last<C: NamedColumn, O: NamedColumn, V: Storable>(
    _ column: KeyPath<M.Columns, C>, by order: KeyPath<M.Columns, O>, _ direction: SortDirection = .forward
  ) -> Figure<V?> where C.Value == V? {
    declare(.last, name(column), by: name(order), isDescending: direction == .reverse)
  }
}
