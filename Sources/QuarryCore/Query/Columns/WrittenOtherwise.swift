// Members of columns that a query writes differently. An unavailable member would lose against the report of an unknown member, so
// these can be called, and need a conformance that is unavailable with the message.

/// A member that a query writes differently. No type conforms to it; the message says what to write.
public protocol WrittenOtherwise {}

/// Says how texts are compared without case.
public enum CaseHint {}

@available(
  *, unavailable, message: "write equals(_:options: .caseInsensitive), or contains with the same options"
)
extension CaseHint: WrittenOtherwise {}

/// Says how texts are searched without case.
public enum LocaleHint {}

@available(
  *, unavailable, message: "a query has no locale: write contains(_:options: .caseInsensitive)"
)
extension LocaleHint: WrittenOtherwise {}

/// Says how texts are searched without case and accents.
public enum StandardHint {}

@available(
  *, unavailable, message: "a query has no locale: write contains(_:options: .caseAndDiacriticInsensitive)"
)
extension StandardHint: WrittenOtherwise {}

/// Says how a descending order is written.
public enum OrderHint {}

@available(
  *, unavailable, message: "write sorted(by: \\.column), or sorted(by: \\.column, order: .reverse)"
)
extension OrderHint: WrittenOtherwise {}

extension Column where Value: TextStorable {
  /// Reports what to write in place of a comparison in lower case.
  public func lowercased<Hint: WrittenOtherwise>(_ hint: Hint.Type = CaseHint.self) -> Column { self }

  /// Reports what to write in place of a comparison in upper case.
  public func uppercased<Hint: WrittenOtherwise>(_ hint: Hint.Type = CaseHint.self) -> Column { self }

  /// Reports what to write in place of a search by the rules of a locale.
  public func localizedStandardContains<Hint: WrittenOtherwise>(
    _ text: String, _ hint: Hint.Type = StandardHint.self
  ) -> Condition { .constant(false) }

  /// Reports what to write in place of a search by the rules of a locale.
  public func localizedCaseInsensitiveContains<Hint: WrittenOtherwise>(
    _ text: String, _ hint: Hint.Type = LocaleHint.self
  ) -> Condition { .constant(false) }
}

/// Members of columns that are directions elsewhere: `\.year.desc`.
public struct OrderWords: Sendable {
  /// A descending order.
  public var desc: OrderWord { OrderWord() }
  /// An ascending order.
  public var asc: OrderWord { OrderWord() }
}

/// A column with a direction, which no order takes.
public struct OrderWord: Sendable {}

extension Column {
  /// Reports a direction that is written as a member.
  @_disfavoredOverload
  public subscript(dynamicMember word: KeyPath<OrderWords, OrderWord>) -> OrderWord { OrderWord() }
}

extension Query {
  /// Reports what to write in place of a direction that is written as a member.
  public func sorted<Hint: WrittenOtherwise>(
    by column: KeyPath<M.Columns, OrderWord>, _ hint: Hint.Type = OrderHint.self
  ) -> Query { self }

  /// Reports what to write in place of an order by columns with directions.
  public func order<Hint: WrittenOtherwise>(
    _ column: KeyPath<M.Columns, OrderWord>, _ hint: Hint.Type = OrderHint.self
  ) -> Query { self }
}

extension Model {
  /// Reports what to write in place of an order by columns with directions.
  public static func order<Hint: WrittenOtherwise>(
    _ column: KeyPath<Columns, OrderWord>, _ hint: Hint.Type = OrderHint.self
  ) -> Query<Self> { all }
}
