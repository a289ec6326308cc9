import QuarryBackend

/// A group of objects with the same value in a column.
public struct GroupedObjects<Key: Sendable, Element: Sendable>: Sendable {
  /// The value that they have in common.
  public var key: Key
  /// The objects, in the order of the query.
  public var elements: [Element]
}

/// A figure of a group of objects with the same value in a column.
public struct GroupValue<Key: Sendable, Value: Sendable>: Sendable {
  /// The value that they have in common.
  public var key: Key
  /// The figure: a count, sum, average, minimum or maximum.
  public var value: Value
}

extension GroupValue: Equatable where Key: Equatable, Value: Equatable {}

// The parts of the calls that calculate: see `ReadScope+Aggregates.swift`.

extension ReadTransaction {
  final func distinctValues<M: Model, V: Storable>(
    _ selection: some Selection<M>, _ column: KeyPath<M.Columns, Column<V>>
  ) throws(StorageError) -> [V] {
    var result: [V] = []
    for row in try aggregate(selection, groups: [M.Columns()[keyPath: column].name], []) {
      result.append(try describing(M.self, column) { () throws(StorageError) in try V(storedValue: row.groups[0]) })
    }
    return result
  }

  final func counts<M: Model, K: Storable>(
    _ selection: some Selection<M>, by group: KeyPath<M.Columns, Column<K>>
  ) throws(StorageError) -> [GroupValue<K, Int>] {
    var result: [GroupValue<K, Int>] = []
    for row in try aggregate(selection, groups: [M.Columns()[keyPath: group].name], [(.count, nil)]) {
      let key = try describing(M.self, group) { () throws(StorageError) in try K(storedValue: row.groups[0]) }
      result.append(GroupValue(key: key, value: try Int(storedValue: row.values[0])))
    }
    return result
  }

  final func groups<M: Model, K: Storable>(
    _ selection: some Selection<M>, by column: KeyPath<M.Columns, Column<K>>
  ) throws(StorageError) -> [GroupedObjects<K, M>] {
    let binding = try context.binding(M.self)
    let slot = try binding.slot(M.Columns()[keyPath: column])
    var places: [Key: Int] = [:]
    var groups: [(key: Key, value: K, elements: [M])] = []
    let writer = KeyWriter()
    try forEachRow(of: selection, binding) { row throws(StorageError) in
      let reader = try ModelReader(row, binding)
      writer.removeAll()
      try writer.append(reader.row, slot, binding.layout, isDescending: false, isLast: true)
      let key = writer.key
      let place: Int
      if let known = places[key] {
        place = known
      } else {
        place = groups.count
        places[key] = place
        groups.append((key, try reader.group(M.Columns()[keyPath: column]), []))
      }
      groups[place].elements.append(try reader.object(M.self))
    }
    return groups.sorted { $0.key < $1.key }.map { GroupedObjects(key: $0.value, elements: $0.elements) }
  }

  final func figure<M: Model, V: Storable, R: Storable>(
    _ selection: some Selection<M>, _ function: AggregateFunction, _ column: KeyPath<M.Columns, Column<V>>
  ) throws(StorageError) -> R? {
    let rows = try aggregate(selection, groups: [], [(function, M.Columns()[keyPath: column].name)])
    guard let value = rows.first?.values.first, !value.isNull else { return nil }
    return try describing(M.self, column) { () throws(StorageError) in try R(storedValue: value) }
  }

  final func figures<M: Model, V: Storable, K: Storable, R: Storable>(
    _ selection: some Selection<M>, _ function: AggregateFunction, _ column: KeyPath<M.Columns, Column<V>>,
    by group: KeyPath<M.Columns, Column<K>>
  ) throws(StorageError) -> [GroupValue<K, R?>] {
    let columns = M.Columns()
    var result: [GroupValue<K, R?>] = []
    for row in try aggregate(
      selection, groups: [columns[keyPath: group].name], [(function, columns[keyPath: column].name)])
    {
      let key = try describing(M.self, group) { () throws(StorageError) in try K(storedValue: row.all[0]) }
      let value = try describing(M.self, column) { () throws(StorageError) in try R?(storedValue: row.all[1]) }
      result.append(GroupValue(key: key, value: value))
    }
    return result
  }

  /// An error of a value that represents many objects has the model and the property, and no key.
  private func describing<M: Model, V: Storable, R>(
    _ type: M.Type, _ column: KeyPath<M.Columns, Column<V>>, _ body: () throws(StorageError) -> R
  ) throws(StorageError) -> R {
    do throws(StorageError) {
      return try body()
    } catch {
      throw error.with(model: M.modelDefinition.name, property: M.Columns()[keyPath: column].name)
    }
  }

  /// The figures that the engine computes, in the memory that the store's options allow.
  final func aggregate(_ aggregate: BoundAggregate) throws(StorageError) -> [AggregateRow] {
    var bounded = aggregate
    bounded.memory = context.memory
    return try backend.aggregate(bounded)
  }

  private func aggregate<M: Model>(
    _ selection: some Selection<M>, groups: [String], _ columns: [(function: AggregateFunction, property: String?)]
  ) throws(StorageError) -> [AggregateRow] {
    let binding = try context.binding(M.self)
    do throws(StorageError) {
      if let list = selection.list { return try aggregate(list, groups, columns) }
      return try aggregate(
        binding.binder.bind(
          bind(selection.query.checked(), binding, projection: nil), groups: groups, columns: columns))
    } catch {
      throw error.with(model: binding.name)
    }
  }

  /// Aggregates of a list, in which an object counts as often as it is there.
  private func aggregate<M: Model>(
    _ list: Links<M>, _ groups: [String], _ columns: [(function: AggregateFunction, property: String?)]
  ) throws(StorageError) -> [AggregateRow] {
    let prefix = list.groupPrefix
    let terms = columns.map { column in
      GroupTerm(
        function: GroupFunction(column.function), column: column.property.map { prefix + $0 },
        name: column.property ?? "count")
    }
    let query = GroupQuery(try rows(of: list), by: groups.map { prefix + $0 }, terms)
    return try query.run(self).rows.map { AggregateRow(all: $0, groupCount: groups.count) }
  }
}

extension ModelReader {
  /// The value that represents the row's group, as the type of the column.
  func group<V: Storable>(_ column: Column<V>) throws(StorageError) -> V {
    let value = try groupValue(column)
    do throws(StorageError) {
      return try V(storedValue: value)
    } catch {
      throw about(column.index, error)
    }
  }

  /// The value that represents the row's group.
  func groupValue<V: Storable>(_ column: Column<V>) throws(StorageError) -> Value {
    do throws(StorageError) {
      return try row.value(slots[column.index], unmanagedBinding.takeUnretainedValue().layout).inGroupForm
    } catch {
      throw about(column.index, error)
    }
  }
}

extension ModelBinding {
  /// The slot of a column.
  ///
  /// - Throws: `schemaMismatch` for a column of a conformance that contradicts itself.
  func slot<V: Storable>(_ column: Column<V>) throws(StorageError) -> RowLayout.Slot {
    guard column.index >= 0, column.index < slotCount, slots[column.index].type == V.storedType.type else {
      throw misuse(column.index, V.self)
    }
    return slots[column.index]
  }
}
