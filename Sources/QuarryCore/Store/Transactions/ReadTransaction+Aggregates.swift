import QuarryBackend

/// A group of objects with the same value in a column.
public struct Group<Key: Sendable, Element: Sendable>: Sendable {
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
    _ query: Query<M>, _ column: KeyPath<M.Columns, Column<V>>
  ) throws(StorageError) -> [V] {
    var result: [V] = []
    for row in try aggregate(query, groups: [M.Columns()[keyPath: column].name], []) {
      result.append(try describing(query, column) { () throws(StorageError) in try V(storedValue: row.groups[0]) })
    }
    return result
  }

  final func counts<M: Model, K: Storable>(
    _ query: Query<M>, by group: KeyPath<M.Columns, Column<K>>
  ) throws(StorageError) -> [GroupValue<K, Int>] {
    var result: [GroupValue<K, Int>] = []
    for row in try aggregate(query, groups: [M.Columns()[keyPath: group].name], [(.count, nil)]) {
      let key = try describing(query, group) { () throws(StorageError) in try K(storedValue: row.groups[0]) }
      result.append(GroupValue(key: key, value: try Int(storedValue: row.values[0])))
    }
    return result
  }

  final func groups<M: Model, K: Storable>(
    _ query: Query<M>, by column: KeyPath<M.Columns, Column<K>>
  ) throws(StorageError) -> [Group<K, M>] {
    let binding = try context.binding(M.self)
    let slot = try binding.slot(M.Columns()[keyPath: column])
    var places: [Key: Int] = [:]
    var groups: [(key: Key, value: K, elements: [M])] = []
    let writer = KeyWriter()
    let cursor = try rows(query, binding)
    beginCoding()
    defer { endCoding() }
    try cursor.forEach { row throws(StorageError) in
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
      return true
    }
    return groups.sorted { $0.key < $1.key }.map { Group(key: $0.value, elements: $0.elements) }
  }

  final func figure<M: Model, V: Storable, R: Storable>(
    _ query: Query<M>, _ function: AggregateFunction, _ column: KeyPath<M.Columns, Column<V>>
  ) throws(StorageError) -> R? {
    let rows = try aggregate(query, groups: [], [(function, M.Columns()[keyPath: column].name)])
    guard let value = rows.first?.values.first, !value.isNull else { return nil }
    return try describing(query, column) { () throws(StorageError) in try R(storedValue: value) }
  }

  final func figures<M: Model, V: Storable, K: Storable, R: Storable>(
    _ query: Query<M>, _ function: AggregateFunction, _ column: KeyPath<M.Columns, Column<V>>,
    by group: KeyPath<M.Columns, Column<K>>
  ) throws(StorageError) -> [GroupValue<K, R?>] {
    let columns = M.Columns()
    var result: [GroupValue<K, R?>] = []
    for row in try aggregate(query, groups: [columns[keyPath: group].name], [(function, columns[keyPath: column].name)])
    {
      let key = try describing(query, group) { () throws(StorageError) in try K(storedValue: row.groups[0]) }
      let value = try describing(query, column) { () throws(StorageError) in try R?(storedValue: row.values[0]) }
      result.append(GroupValue(key: key, value: value))
    }
    return result
  }

  /// An error of a value that represents many objects has the model and the property, and no key.
  private func describing<M: Model, V: Storable, R>(
    _ query: Query<M>, _ column: KeyPath<M.Columns, Column<V>>, _ body: () throws(StorageError) -> R
  ) throws(StorageError) -> R {
    do throws(StorageError) {
      return try body()
    } catch {
      throw error.with(model: query.tree.model, property: M.Columns()[keyPath: column].name)
    }
  }

  private func aggregate<M: Model>(
    _ query: Query<M>, groups: [String], _ columns: [(function: AggregateFunction, property: String?)]
  ) throws(StorageError) -> [AggregateRow] {
    let binding = try context.binding(M.self)
    do throws(StorageError) {
      return try backend.aggregate(
        binding.binder.bind(bind(query.checked(), binding, projection: nil), groups: groups, columns: columns))
    } catch {
      throw error.with(model: binding.name)
    }
  }
}

extension ModelReader {
  /// The value that represents the row's group.
  fileprivate func group<V: Storable>(_ column: Column<V>) throws(StorageError) -> V {
    do throws(StorageError) {
      let value = try row.value(slots[column.index], unmanagedBinding.takeUnretainedValue().layout)
      return try V(storedValue: value.inGroupForm)
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
