import QuarryBackend
import QuarryQuery

extension ReadScope {
  /// Figures of the selection's objects, for each combination of the values of columns.
  ///
  /// ```swift
  /// let rows = try store.grouped(Book.all, by: \.kind, \.author.country) {
  ///   (count: $0.count(), mean: $0.average(\.price), newest: $0.last(\.title, by: \.year))
  /// }
  /// for row in rows.filter({ $0.count > 10 }) { print(row.key.0, row.key.1, row.mean ?? 0) }
  /// ```
  ///
  /// Groups come in ascending order of their values, nil first. The rows are an array, so `filter`, `sorted` and `prefix` are
  /// the condition on groups, their order and their limit.
  ///
  /// - Parameters:
  ///   - selection: The objects: a query, the ``Many`` of an object, or its ``Links``.
  ///   - columns: The columns to group by; each may lead through references. A column of dates may be grouped by spans of time:
  ///     `\.placed.month`.
  ///   - figures: Declares the figures, as a tuple with names or as one figure. It is called once, and reads nothing.
  /// - Throws: `invalidValue` when a sum does not fit its type or a type refuses a stored value; `invalidQuery` for a column
  ///   whose type has no order; `corrupt`, `io`.
  /// - Complexity: One read of the objects. The engine computes counts, sums, averages, minima and maxima of the model's own
  ///   columns, with at most ``OpenOptions/workingMemory`` for the groups. Others need memory for all groups, and for medians,
  ///   percentiles, deviations and distinct values a sort of the values in the same bound. The result is not counted.
  // calls: async
  public func grouped<M: Model, each C: NamedColumn, F: Sendable>(
    _ selection: some Selection<M>, by columns: repeat KeyPath<M.Columns, each C>, figures: (Figures<M>) -> F
  ) throws -> [GroupRow<(repeat (each C).Value), F>] {
    let declared = Figures<M>(prefix: selection.groupPrefix)
    let named = figures(declared)
    let all = M.Columns()
    var groups: [String] = []
    for column in repeat each columns {
      groups.append(DateSpan.prefixed(all[keyPath: column].storedNameOfColumn, selection.groupPrefix))
    }
    return try reading { tx throws(StorageError) in
      let rows = try tx.groups(selection, groups, declared)
      var result: [GroupRow<(repeat (each C).Value), F>] = []
      result.reserveCapacity(rows.count)
      for (place, row) in rows.enumerated() {
        var values = GroupValues(row, groups)
        result.append(
          GroupRow(key: (repeat try values.next((each C).Value.self)), figures: named, place: place))
      }
      return result
    }
  }

  /// Figures of all objects of the selection:
  /// `try store.figures(of: Book.all) { (count: $0.count(), mean: $0.average(\.price)) }`.
  ///
  /// - Parameters:
  ///   - selection: The objects: a query, the ``Many`` of an object, or its ``Links``.
  ///   - figures: Declares the figures, as in ``grouped(_:by:figures:)``.
  /// - Throws: As ``grouped(_:by:figures:)``.
  // calls: async
  public func figures<M: Model, F: Sendable>(
    of selection: some Selection<M>, figures: (Figures<M>) -> F
  ) throws -> GroupRow<Void, F> {
    let declared = Figures<M>(prefix: selection.groupPrefix)
    let named = figures(declared)
    return try reading { tx throws(StorageError) in
      _ = try tx.groups(selection, [], declared)
      return GroupRow(key: (), figures: named, place: 0)
    }
  }
}

extension NamedColumn {
  fileprivate var storedNameOfColumn: String { Self.storedName(of: self) }
}

extension Selection {
  /// What leads from the rows that are read to the objects: a list is read by its links, so that an object counts as often as it
  /// is in the list.
  var groupPrefix: String { list == nil ? "" : "\(LinkDefinition.target)." }
}

/// The values of a group, read one after the other.
private struct GroupValues {
  private let values: [Value]
  private let names: [String]
  private var place = 0

  init(_ values: [Value], _ names: [String]) {
    self.values = values
    self.names = names
  }

  mutating func next<V: Storable>(_ type: V.Type) throws(StorageError) -> V {
    defer { place += 1 }
    do throws(StorageError) {
      return try V(storedValue: values[place])
    } catch {
      throw error.with(property: names[place])
    }
  }
}

extension ReadTransaction {
  /// Reads the figures, which keep their values.
  ///
  /// - Returns: The groups in their order: the values that were grouped by, then those of the figures.
  fileprivate final func groups<M: Model>(
    _ selection: some Selection<M>, _ groups: [String], _ declared: Figures<M>
  ) throws(StorageError) -> [[Value]] {
    let figures = declared.all
    let rows = try groupRows(selection, groups, figures.map(\.term))
    do throws(StorageError) {
      for (number, figure) in figures.enumerated() {
        try figure.take(rows.lazy.map { $0[groups.count + number] })
      }
    } catch {
      throw error.with(model: M.modelDefinition.name)
    }
    return rows
  }

  /// The values of the groups of a selection and of the terms.
  private final func groupRows<M: Model>(
    _ selection: some Selection<M>, _ groups: [String], _ terms: [GroupTerm]
  ) throws(StorageError) -> [[Value]] {
    _ = try context.binding(M.self)
    let objects: QueryTree
    if let list = selection.list { objects = try list.rows() } else { objects = try selection.query.checked() }
    return try GroupQuery(objects, by: groups, terms).run(self).rows
  }
}
