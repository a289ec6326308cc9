public import QuarryBackend

extension QueryBinder {
  /// The order with the primary key as its last key, in the direction of the last requested key.
  ///
  /// Keys after the primary key, and repeated keys, are left out.
  func bind(order: [QueryTree.SortKey]) throws(StorageError) -> [BoundSortKey] {
    var keys: [BoundSortKey] = []
    var seen: Set<Int> = []
    for key in order {
      let slot = try slot(of: key.path)
      guard key.members.isEmpty else {
        throw StorageError.unsupported(
          .querySort, "\(key.path) is a part of a nested value, and nothing can be sorted by it"
        )
        .with(model: model.name, property: property(slot).name)
      }
      guard property(slot).type.isOrdered else {
        throw StorageError.unsupported(.querySort, "\(property(slot).typeName) has no order to sort by")
          .with(model: model.name, property: property(slot).name)
      }
      guard seen.insert(slot).inserted, !seen.contains(model.primaryKey) || slot == model.primaryKey else { continue }
      keys.append(BoundSortKey(slot: slot, isDescending: key.isDescending))
    }
    if !seen.contains(model.primaryKey) {
      keys.append(BoundSortKey(slot: model.primaryKey, isDescending: order.last?.isDescending ?? false))
    }
    return keys
  }

  /// The condition of coming after a position.
  func bind(
    _ position: QueryTree.PagePosition, of query: QueryTree, _ order: [BoundSortKey]
  ) throws(StorageError) -> BoundPredicate {
    guard position.fingerprint == query.fingerprint else {
      throw StorageError(.invalidQuery, "the position belongs to another query", model: model.name)
    }
    guard position.values.count == order.count - 1 else {
      throw StorageError(
        .invalidQuery, "the position has \(position.values.count) values for \(order.count - 1) sort keys",
        model: model.name)
    }
    let values = position.values + [position.key]
    for (key, value) in zip(order, values) where !value.conforms(to: property(key.slot)) {
      throw invalid(
        key.slot, "the position has \(value.kind) where the property is \(property(key.slot).typeName)")
    }
    return .after(order, values)
  }

  /// Binds an aggregate of the rows of a query.
  ///
  /// - Parameters:
  ///   - groups: The names of the properties to group by.
  ///   - columns: The aggregates to compute; without a property only `count`, which then counts rows.
  /// - Throws: As ``bind(_:projection:)``; `invalidQuery` for a sum or an average of values that are not numbers, and
  ///   `unsupported` for a group, minimum or maximum of values without an order.
  public func bind(
    _ query: QueryTree, groups: [String], columns: [(function: AggregateFunction, property: String?)]
  ) throws(StorageError) -> BoundAggregate {
    try bind(try bind(query), groups: groups, columns: columns)
  }

  /// Binds an aggregate of the rows of a query that is bound.
  package func bind(
    _ query: BoundQuery, groups: [String], columns: [(function: AggregateFunction, property: String?)]
  ) throws(StorageError) -> BoundAggregate {
    var rows = query
    var groupSlots: [Int] = []
    for name in groups {
      let slot = try slot(name)
      try requireOrder(slot, .queryGroup, "grouped by")
      groupSlots.append(slot)
    }
    var bound: [BoundAggregate.Column] = []
    for (function, name) in columns {
      guard let name else {
        guard function == .count else {
          throw StorageError(.invalidQuery, "\(function.rawValue) needs a property", model: model.name)
        }
        bound.append(BoundAggregate.Column(function))
        continue
      }
      let slot = try slot(name)
      guard function.isDefined(for: property(slot).type) else {
        guard function == .min || function == .max else {
          throw invalid(slot, "\(function.rawValue) needs numbers, and the property is \(property(slot).typeName)")
        }
        throw hasNoOrder(slot, .queryAggregate, "compared for \(function.rawValue)")
      }
      bound.append(BoundAggregate.Column(function, slot: slot))
    }
    rows.projection = Array(Set(groupSlots + bound.compactMap(\.slot))).sorted()
    return BoundAggregate(rows: rows, groups: groupSlots, columns: bound)
  }

  private func requireOrder(_ slot: Int, _ capability: Capability, _ use: String) throws(StorageError) {
    guard property(slot).type.isOrdered else { throw hasNoOrder(slot, capability, use) }
  }

  private func hasNoOrder(_ slot: Int, _ capability: Capability, _ use: String) -> StorageError {
    StorageError.unsupported(capability, "\(property(slot).typeName) has no order and cannot be \(use)")
      .with(model: model.name, property: property(slot).name)
  }

  /// Binds the changes of a set-based update.
  ///
  /// - Parameter assignments: The changes by names, each property at most once.
  /// - Throws: `invalidQuery` for an unknown property, a property that is assigned twice, the primary key, and arithmetic on
  ///   values that are not numbers. `missingValue` for nil where the property needs a value; `invalidValue` for a value that does
  ///   not fit.
  public func bind(assignments: [AssignmentTree]) throws(StorageError) -> [BoundAssignment] {
    var bound: [BoundAssignment] = []
    var seen: Set<Int> = []
    for assignment in assignments {
      let slot = try slot(assignment.property)
      guard !model.isOfKey(slot) else {
        throw .keyChange(.invalidQuery, model: model.name, property: model.properties[slot].name)
      }
      guard seen.insert(slot).inserted else { throw invalid(slot, "the property is assigned twice") }
      do throws(StorageError) {
        try TreeLimits.check(assignment.value)
        bound.append(try bind(assignment, slot))
      } catch {
        throw error.with(model: model.name, property: property(slot).name)
      }
    }
    return bound
  }

  private func bind(_ assignment: AssignmentTree, _ slot: Int) throws(StorageError) -> BoundAssignment {
    let property = property(slot)
    var value = assignment.value
    var operation = assignment.operation
    if operation == .set {
      guard !value.isNull || property.isOptional else {
        throw StorageError(.missingValue, "the property is not optional, so nil cannot be assigned to it")
      }
      value = try value.converted(to: property.type, element: property.elementType)
      return BoundAssignment(slot: slot, operation: .set, value: value)
    }
    guard property.type.isNumeric else {
      throw StorageError(
        .invalidQuery, "\(operation.rawValue) needs a number, and the property is \(property.typeName)")
    }
    guard !value.isNull else { throw StorageError(.invalidValue, "nil cannot be used in a calculation") }
    // Adding -1 to an unsigned property is subtracting 1, and so on where only the opposite is in range.
    if operation != .multiply, let range = property.type.integerRange, let integer = value.integer,
      !range.contains(integer), range.contains(-integer)
    {
      value = Value(integer: -integer)
      operation = operation == .add ? .subtract : .add
    }
    return BoundAssignment(slot: slot, operation: operation, value: try value.converted(to: property.type))
  }
}
