public import QuarryBackend
import QuarryQuery

// The parts of the calls that read objects: see `ReadScope+Objects.swift`.

extension ReadTransaction {
  /// The row with the primary key, lent until the next call.
  @inlinable @inline(__always)
  final func row(
    _ key: some Storable, _ binding: ModelBinding
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    try key.withKeyBytes { bytes throws(StorageError) in try backend.row(binding.model, bytes) }
  }

  @inlinable
  final func get<M: Model>(_ type: M.Type, encoded: [Key]) throws(StorageError) -> [M?] {
    let bound = try context.boundModel(M.self)
    var result: [M?] = []
    result.reserveCapacity(encoded.count)
    beginCoding()
    defer { endCoding() }
    try backend.rows(bound.model, encoded) { _, row throws(StorageError) in
      if let row { result.append(try ModelReader(row, bound).object(M.self)) } else { result.append(nil) }
    }
    return result
  }

  final func encodedKeys<K: Storable>(_ keys: some Sequence<K>) throws(StorageError) -> [Key] {
    var encoded: [Key] = []
    encoded.reserveCapacity(keys.underestimatedCount)
    for key in keys { encoded.append(try encodedKey(key)) }
    return encoded
  }

  @inlinable
  final func encodedKey(_ key: some Storable) throws(StorageError) -> Key {
    beginCoding()
    defer { endCoding() }
    return try key.withKeyBytes { Key(copying: $0) }
  }

  /// The objects of a selection, in its order.
  @inlinable
  final func objects<M: Model>(of selection: some Selection<M>) throws(StorageError) -> [M] {
    if let list = selection.list { return try objects(list, limit: nil) }
    return try objects(of: selection.query)
  }

  /// The first object of a selection, or nil when it has none.
  @inlinable
  final func firstObject<M: Model>(of selection: some Selection<M>) throws(StorageError) -> M? {
    if let list = selection.list { return try objects(list, limit: 1).first }
    return try objects(of: selection.query.firstOnly).first
  }

  @inlinable
  final func objects<M: Model>(of query: Query<M>) throws(StorageError) -> [M] {
    let binding = try context.binding(M.self)
    let bound = try context.boundModel(M.self)
    var result: [M] = []
    let cursor = try rows(query, binding)
    beginCoding()
    defer { endCoding() }
    try cursor.forEach(makeRoom: { result.reserveCapacity($0) }) { row throws(StorageError) in
      result.append(try ModelReader(row, bound).object(M.self))
      return true
    }
    return result
  }

  /// Some columns of the objects of a selection, in its order.
  final func selected<M: Model, each V: Storable>(
    _ selection: some Selection<M>, _ columns: repeat KeyPath<M.Columns, Column<each V>>
  ) throws(StorageError) -> [(repeat each V)] {
    let binding = try context.binding(M.self)
    let all = M.Columns()
    var names: [String] = []
    for column in repeat each columns { names.append(all[keyPath: column].name) }
    var result: [(repeat each V)] = []
    try forEachRow(of: selection, binding, projection: names) { row throws(StorageError) in
      let reader = try ModelReader(row, binding)
      result.append((repeat try reader.get(all[keyPath: each columns].index, as: (each V).self)))
    }
    return result
  }

  /// Calls the body with each row of a selection, in its order. The body must not call the transaction.
  final func forEachRow<M: Model>(
    of selection: some Selection<M>, _ binding: ModelBinding, projection: [String]? = nil,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) {
    if let list = selection.list {
      let keys = try primaryKeys(linkedKeys(list, limit: nil), binding.schema)
      beginCoding()
      defer { endCoding() }
      try backend.rows(binding.model, keys) { _, row throws(StorageError) in
        if let row { try body(row) }
      }
      return
    }
    let cursor = try rows(selection.query, binding, projection: projection)
    beginCoding()
    defer { endCoding() }
    try cursor.forEach { row throws(StorageError) in
      try body(row)
      return true
    }
  }

  /// A page of a query without a limit, in which unreadable objects are passed over.
  ///
  /// - Returns: The page; the number of rows that it took; the objects among these that could not be read.
  final func readPage<M: Model>(
    _ query: Query<M>, _ size: Int
  ) throws(StorageError) -> (page: Page<M>, rows: Int, unreadable: [Unreadable<M>]) {
    let binding = try context.binding(M.self)
    guard !query.tree.order.contains(where: { !$0.members.isEmpty }) else {
      throw StorageError.unsupported(.querySort, "a query sorted by properties of other objects has no pages").with(
        model: binding.name)
    }
    var bound = try bind(query, binding)
    bound.limit = size == .max ? nil : size + 1
    var elements: [M] = []
    var unreadable: [Unreadable<M>] = []
    var rows = 0
    var last: QueryTree.PagePosition?
    var hasMore = false
    let fingerprint = query.tree.fingerprint
    let cursor = try backend.cursor(bound)
    beginCoding()
    defer { endCoding() }
    try cursor.forEach { row throws(StorageError) in
      guard rows < size else {
        hasMore = true
        return false
      }
      rows += 1
      let reader = try ModelReader(row, binding)
      switch try reader.attempt(M.self) {
      case .success(let object): elements.append(object)
      case .failure(let failure): unreadable.append(failure)
      }
      if rows == size {
        let view = reader.row
        var values: [Value] = []
        for key in bound.order { values.append(try view.value(binding.layout.slots[key.slot], binding.layout)) }
        let key = try view.value(binding.layout.keySlot, binding.layout)
        last = QueryTree.PagePosition(values: Array(values.dropLast()), key: key, fingerprint: fingerprint)
      }
      return true
    }
    return (Page(elements: elements, next: hasMore ? last.map { PagePosition(tree: $0) } : nil), rows, unreadable)
  }
}

extension Query {
  /// The query of its first object alone.
  @usableFromInline var firstOnly: Query { limit(Swift.min(tree.limit ?? 1, 1)) }
}
