import QuarryBackend
import QuarryQuery

extension PathResolver {
  /// The query as the engine knows it. An order of paths to other objects chooses the rows where there is a limit or an
  /// offset, and is then of no use.
  func bound(_ query: QueryTree, projection: [String]? = nil) throws(StorageError) -> BoundQuery {
    guard query.leadsByOrder(schema) else {
      return try binder.bind(query, where: condition(of: query), projection: projection)
    }
    let sorted = try sortedKeys(query)
    var plain = query
    plain.order = []
    plain.limit = nil
    plain.offset = 0
    let condition =
      query.limit == nil && query.offset == 0
      ? try condition(of: query)
      : try binder.bind(.oneOf(.property(PropertyPath(schema.keyProperty.name)), sorted.map(\.value)))
    return try binder.bind(plain, where: condition, projection: projection)
  }

  /// The primary keys of a query's rows in its order, its offset and limit applied.
  ///
  /// - Complexity: O(n log n) in the number of rows that fulfil the condition, whose keys are in memory at once.
  func sortedKeys(_ query: QueryTree) throws(StorageError) -> [(key: Key, value: Value)] {
    guard query.position == nil else {
      throw StorageError.unsupported(.querySort, "a query sorted by properties of other objects has no pages")
    }
    var names = [schema.keyProperty.name]
    for key in query.order { names.append(key.property) }
    var plain = query
    plain.order = []
    plain.limit = nil
    plain.offset = 0
    // Limit and offset are checked with the rest.
    _ = try binder.bind(QueryTree(model: query.model, limit: query.limit, offset: query.offset))
    let bound = try binder.bind(plain, where: condition(of: query), projection: names)
    let layout = RowLayout(schema)
    let slots = try slots(of: names, binder)
    var columns: [[Value]] = Array(repeating: [], count: names.count)
    try transaction.backend.cursor(bound).forEach { row throws(StorageError) in
      let view = try RowView(row, layout)
      for (place, slot) in slots.enumerated() { columns[place].append(try view.value(layout.slots[slot], layout)) }
      return true
    }
    var types: [PropertyType] = []
    for (place, key) in query.order.enumerated() {
      let (values, property) = try follow(key, columns[place + 1], model(schema))
      guard property.type.isOrdered else {
        throw StorageError.unsupported(.querySort, "\(property.typeName) has no order to sort by")
          .with(property: key.path.description)
      }
      columns[place + 1] = values
      types.append(property.type)
    }
    let writer = KeyWriter()
    var rows: [(order: Key, key: Key, value: Value)] = []
    rows.reserveCapacity(columns[0].count)
    for row in columns[0].indices {
      writer.removeAll()
      for (place, key) in query.order.enumerated() {
        try writer.append(
          columns[place + 1][row], type: types[place], isOptional: true, isDescending: key.isDescending, isLast: false)
      }
      try writer.append(
        columns[0][row], type: schema.keyProperty.type, isOptional: false,
        isDescending: query.order.last?.isDescending ?? false, isLast: true)
      rows.append((writer.key, try Key.primary(columns[0][row], schema), columns[0][row]))
    }
    rows.sort { $0.order < $1.order }
    let rest = rows.dropFirst(query.offset)
    return rest.prefix(query.limit ?? rest.count).map { ($0.key, $0.value) }
  }

  private func slots(of names: [String], _ binder: QueryBinder) throws(StorageError) -> [Int] {
    var slots: [Int] = []
    for name in names { slots.append(try binder.slot(name)) }
    return slots
  }

  /// The target of a path from the values of its first property, and the last property of the target. Nil where a reference on
  /// the way is.
  private func follow(
    _ key: QueryTree.SortKey, _ values: [Value], _ start: PathModel
  ) throws(StorageError) -> ([Value], PropertySchema) {
    guard key.members.count <= Self.maximumDepth else {
      throw Self.tooDeep(start.schema.name)
    }
    var (values, here, name) = (values, start, key.property)
    for member in key.members {
      let target = try here.reference(name).target
      here = model(target)
      name = member
      let slot = try here.binder.slot(member)
      let layout = RowLayout(target)
      let found = try transaction.backend.rows(target, withKeys: values) { row throws(StorageError) in
        try RowView(row, layout).value(layout.slots[slot], layout)
      }
      values = found.map { $0 ?? .null }
      steps.append("\(target.name) for \(member) to sort by: \(found.count { $0 != nil }) rows")
    }
    return (values, here.schema.properties[try here.binder.slot(name)])
  }
}
