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

  @available(*, unavailable, message: "write sorted(by: \\.column), or sorted(by: \\.column, order: .reverse)")
  public func order<V: Storable>(_ columns: KeyPath<M.Columns, Column<V>>...) -> Query { self }

  @available(*, unavailable, message: "write sorted(by: \\.column), or sorted(by: \\.column, order: .reverse)")
  public func sorted<V: Storable>(by column: KeyPath<M.Columns, Column<V>>, ascending: Bool) -> Query { self }

  @available(*, unavailable, message: "write sorted(by: \\.column), or sorted(\"-column\") for names")
  public func sorted(byKeyPath column: String, ascending: Bool = true) -> Query { self }

  @available(*, unavailable, renamed: "limit(_:)")
  public func prefix(_ length: Int) -> Query { self }

  @available(*, unavailable, renamed: "offset(_:)")
  public func dropFirst(_ count: Int = 1) -> Query { self }

  @available(*, unavailable, message: "a query has no objects: write store.first(query)")
  public var first: M? { nil }

  @available(*, unavailable, message: "a query has no objects: write store.count(query)")
  public var count: Int { 0 }

  @available(*, unavailable, message: "a query has no objects: write !store.exists(query)")
  public var isEmpty: Bool { true }

  @available(*, unavailable, message: "write scope.fetch(query)")
  public func fetchAll(_ scope: some ReadScope) -> [M] { [] }

  @available(*, unavailable, message: "write scope.first(query)")
  public func fetchOne(_ scope: some ReadScope) -> M? { nil }

  @available(*, unavailable, message: "write scope.count(query)")
  public func fetchCount(_ scope: some ReadScope) -> Int { 0 }
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

  @available(*, unavailable, message: "write all.sorted(by: \\.column), or all.sorted(by: \\.column, order: .reverse)")
  public static func order<V: Storable>(_ columns: KeyPath<Columns, Column<V>>...) -> Query<Self> { all }

  @available(*, unavailable, message: "write scope.fetch(M.all)")
  public static func fetchAll(_ scope: some ReadScope) -> [Self] { [] }

  @available(*, unavailable, message: "write scope.get(M.self, key)")
  public static func fetchOne(_ scope: some ReadScope, key: PrimaryKey) -> Self? { nil }

  @available(*, unavailable, message: "write scope.count(M.all)")
  public static func fetchCount(_ scope: some ReadScope) -> Int { 0 }

  @available(*, unavailable, message: "write scope.insert(object)")
  public func insert(_ scope: some WriteScope) {}

  @available(*, unavailable, message: "write scope.upsert(object)")
  public func save(_ scope: some WriteScope) {}

  @available(*, unavailable, message: "write scope.update(object)")
  public func update(_ scope: some WriteScope) {}

  @available(*, unavailable, message: "write scope.delete(object)")
  public func delete(_ scope: some WriteScope) {}
}

extension SortDirection {
  @available(*, unavailable, renamed: "forward")
  public static var ascending: SortDirection { .forward }

  @available(*, unavailable, renamed: "reverse")
  public static var descending: SortDirection { .reverse }
}
