// Members of other libraries that are written differently here. None can be used: their messages name the replacement.

extension Query {
  @available(*, unavailable, renamed: "where(_:)")
  public func filter(_ condition: (M.Columns) -> Condition) -> Query { self }

  @available(*, unavailable, renamed: "where(_:_:)")
  public func filter(_ format: String, _ arguments: (any Storable)?...) -> Query { self }

  @available(*, unavailable, renamed: "sorted(by:order:)")
  public func sort<V: Storable>(by column: KeyPath<M.Columns, Column<V>>, order: SortDirection = .forward) -> Query {
    self
  }

  @available(*, unavailable, renamed: "sorted(by:order:)")
  public func order<V: Storable>(by column: KeyPath<M.Columns, Column<V>>) -> Query { self }

  @available(*, unavailable, message: "write sorted(by: \\.column), or sorted(\"-column\") for names")
  public func sorted(byKeyPath column: String, ascending: Bool = true) -> Query { self }
}

extension Model {
  @available(*, unavailable, renamed: "where(_:)")
  public static func filter(_ condition: (Columns) -> Condition) -> Query<Self> { all }

  @available(*, unavailable, renamed: "where(_:_:)")
  public static func filter(_ format: String, _ arguments: (any Storable)?...) -> Query<Self> { all }

  @available(*, unavailable, message: "write all.sorted(by: \\.column)")
  public static func sorted<V: Storable>(
    by column: KeyPath<Columns, Column<V>>, order: SortDirection = .forward
  ) -> Query<Self> { all }

  @available(*, unavailable, message: "write all.sorted(by: \\.column)")
  public static func order<V: Storable>(by column: KeyPath<Columns, Column<V>>) -> Query<Self> { all }
}

extension SortDirection {
  @available(*, unavailable, renamed: "forward")
  public static var ascending: SortDirection { .forward }

  @available(*, unavailable, renamed: "reverse")
  public static var descending: SortDirection { .reverse }
}
