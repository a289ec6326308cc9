public import QuarryBackend
public import QuarryQuery

/// A selection of a model's objects to fetch, count, change or delete: a value that can be kept, compared, sent and stored.
///
/// ```swift
/// Book.where { $0.year >= 1970 && $0.title.hasPrefix("The") }.sorted(by: \.year, order: .reverse).limit(20)
/// ```
///
/// Without an order results come in the order of their primary keys; ties of an order are broken by the primary key, in
/// the direction of the last sort key.
public struct Query<M: Model>: Sendable {
  /// The query by names.
  public internal(set) var tree: QueryTree
  var failure: StorageError?

  /// Every object of the model.
  ///
  /// - Parameter type: The model of the objects.
  public init(_ type: M.Type = M.self) {
    tree = QueryTree(model: M.modelDefinition.name)
  }

  /// A query by names. It is checked when it is used.
  ///
  /// - Parameter tree: The query by names, whose model is this one.
  /// - Throws: `invalidQuery` when it is about another model.
  public init(tree: QueryTree) throws(StorageError) {
    guard ByteString(tree.model) == ByteString(M.modelDefinition.name) else {
      throw .queryIsFor(tree.model, not: M.modelDefinition.name)
    }
    self.tree = tree
  }

  /// The query by names, or the reason why a constant in it cannot be stored.
  package func checked() throws(StorageError) -> QueryTree {
    if let failure { throw failure.with(model: tree.model) }
    return tree
  }

  func adding(_ predicate: PredicateTree) -> Query {
    var copy = self
    copy.tree.predicate = tree.predicate.and(predicate)
    return copy
  }
}

extension Query {
  /// Adds a condition that objects must fulfil, in addition to the existing conditions.
  ///
  /// A constant that has no stored form throws `invalidValue` when the query is used.
  ///
  /// - Parameter condition: The condition, with the columns of the model: `{ $0.year > 1970 }`. It is called once.
  public func `where`(@ConditionBuilder _ condition: (M.Columns) -> Condition) -> Query {
    let condition = condition(M.Columns())
    var copy = adding(condition.tree)
    copy.failure = failure ?? condition.failure
    return copy
  }

  /// Adds a condition that objects must fulfil, written as in NSPredicate: `"year >= %@ AND title BEGINSWITH %@"`.
  ///
  /// Names are checked when the query is used.
  ///
  /// - Parameters:
  ///   - format: The condition: names of properties, constants, `%@` for a value and `%K` for a name.
  ///   - arguments: The values for `%@` and `%K`, in their order.
  /// - Throws: `invalidQuery` with the position when it does not parse; `unsupported` for words of NSPredicate that Quarry does
  ///   not have; `invalidValue` for an argument that has no stored form.
  public func `where`(_ format: String, _ arguments: (any Storable)?...) throws -> Query {
    try self.where(format, arguments: arguments)
  }

  /// Adds a condition that objects must fulfil, written as in NSPredicate, with its arguments in an array.
  ///
  /// - Throws: As ``where(_:_:)``.
  public func `where`(_ format: String, arguments: [(any Storable)?]) throws -> Query {
    var values: [Value] = []
    for argument in arguments { values.append(try argument?.storedValue() ?? .null) }
    do throws(StorageError) {
      return adding(try PredicateParser.parse(format, arguments: values))
    } catch {
      throw error.with(model: tree.model)
    }
  }

  /// Sorts by the column, after the existing orders.
  ///
  /// - Parameters:
  ///   - column: The column: `\.title`. A query that sorts by a type without an order is `unsupported` when it is used.
  ///   - order: Whether the order goes from the least value to the greatest, or the other way.
  public func sorted<V: Storable>(by column: KeyPath<M.Columns, Column<V>>, order: SortDirection = .forward) -> Query {
    var copy = self
    copy.tree.order.append(.init(M.Columns()[keyPath: column].name, isDescending: order == .reverse))
    return copy
  }

  /// Sorts by a property that a reference leads to, `sorted(by: \.author.name)`, after the existing orders.
  ///
  /// - Parameters:
  ///   - path: The property: `\.author.name`.
  ///   - order: Whether the order goes from the least value to the greatest, or the other way.
  /// - Complexity: All keys of the query are in memory and sorted there. Then the returned objects are read.
  public func sorted<V: Storable>(
    by path: KeyPath<M.Columns, ElementColumn<V>>, order: SortDirection = .forward
  ) -> Query {
    var copy = self
    copy.tree.order.append(.init(M.Columns()[keyPath: path].path, isDescending: order == .reverse))
    return copy
  }

  /// Sorts by an order written as names, with `-` before descending ones: `"-year,title"`.
  ///
  /// - Parameter keys: Names of properties with commas between them. They are checked when the query is used.
  /// - Throws: `invalidQuery` when it does not parse.
  public func sorted(_ keys: String) throws -> Query {
    var copy = self
    copy.tree.order += try SortParser.parse(keys)
    return copy
  }

  /// Limits the number of objects. A negative number throws `invalidQuery` when the query is used.
  ///
  /// - Parameter limit: The greatest number of objects; nil for no limit.
  public func limit(_ limit: Int?) -> Query {
    var copy = self
    copy.tree.limit = limit
    return copy
  }

  /// Skips the given number of first objects. A negative number throws `invalidQuery` when the query is used.
  ///
  /// - Parameter offset: The number of objects to skip.
  public func offset(_ offset: Int) -> Query {
    var copy = self
    copy.tree.offset = offset
    return copy
  }

  /// Keeps only objects after the position, for paging.
  ///
  /// - Parameter position: The position of a page of this query: ``Page/next``. Nil for the beginning. The position of another
  ///   query throws `invalidQuery` when the query is used.
  public func after(_ position: PagePosition?) -> Query {
    var copy = self
    copy.tree.position = position?.tree
    return copy
  }
}
