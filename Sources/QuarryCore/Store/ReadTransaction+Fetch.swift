public import QuarryBackend
public import QuarryQuery

extension ReadTransaction {
  /// The object with the primary key, or nil when there is none.
  @inlinable
  public func get<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) throws(StorageError) -> M? {
    try check()
    let bound = try store.boundModel(M.self)
    beginCoding()
    defer { endCoding() }
    let row = try key.withKeyBytes { bytes throws(StorageError) in try backend.row(bound.model, bytes) }
    guard let row else { return nil }
    return try ModelReader(row, bound).object(M.self)
  }

  /// The row with the primary key, lent until the next call.
  @inlinable @inline(__always)
  final func row(
    _ key: some Storable, _ binding: ModelBinding
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    try key.withKeyBytes { bytes throws(StorageError) in try backend.row(binding.model, bytes) }
  }

  /// The objects with these primary keys, in their order; nil where there is none.
  public func get<M: Model>(_ type: M.Type, keys: some Sequence<M.PrimaryKey>) throws(StorageError) -> [M?] {
    try check()
    return try get(M.self, encoded: encodedKeys(keys))
  }

  @inlinable
  final func get<M: Model>(_ type: M.Type, encoded: [Key]) throws(StorageError) -> [M?] {
    let bound = try store.boundModel(M.self)
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

  /// Whether there is an object with the primary key.
  public func exists<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) throws(StorageError) -> Bool {
    try check()
    let binding = try store.binding(M.self)
    beginCoding()
    defer { endCoding() }
    return try row(key, binding) != nil
  }

  /// Whether the query gives an object.
  public func exists<M: Model>(_ query: Query<M>) throws(StorageError) -> Bool {
    try check()
    let binding = try store.binding(M.self)
    var bound = try bind(query, binding)
    bound.limit = Swift.min(bound.limit ?? 1, 1)
    bound.projection = [binding.schema.primaryKey]
    var found = false
    try backend.cursor(bound).forEach { _ in
      found = true
      return false
    }
    return found
  }

  /// The objects of the query, in its order.
  @inlinable
  public func fetch<M: Model>(_ query: Query<M>) throws(StorageError) -> [M] {
    try check()
    let binding = try store.binding(M.self)
    let bound = try store.boundModel(M.self)
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

  /// Every object of the model, in the order of primary keys.
  @inlinable
  public func fetch<M: Model>(_ type: M.Type) throws(StorageError) -> [M] {
    try fetch(Query(M.self))
  }

  /// The objects of the query, sorted in memory by a closure. Limit and offset of the query choose before the sort.
  ///
  /// - Complexity: O(n log n) in the number of objects of the query, which are all in memory at once.
  public func fetch<M: Model>(
    _ query: Query<M>, sortedBy areInIncreasingOrder: (M, M) throws -> Bool
  ) throws -> [M] {
    try fetch(query).sorted(by: areInIncreasingOrder)
  }

  /// The first object of the query, or nil when it gives none.
  @inlinable
  public func first<M: Model>(_ query: Query<M>) throws(StorageError) -> M? {
    try fetch(query.limit(Swift.min(query.tree.limit ?? 1, 1))).first
  }

  /// The number of objects that the query gives, its limit and offset applied.
  public func count<M: Model>(_ query: Query<M>) throws(StorageError) -> Int {
    try check()
    return try backend.count(bind(query, store.binding(M.self)))
  }

  /// The number of objects of the model.
  public func count<M: Model>(_ type: M.Type) throws(StorageError) -> Int {
    try count(Query(M.self))
  }

  /// The primary keys of the query's objects, in its order.
  public func keys<M: Model>(_ query: Query<M>) throws(StorageError) -> [M.PrimaryKey] {
    try check()
    let binding = try store.binding(M.self)
    var result: [M.PrimaryKey] = []
    let cursor = try rows(query, binding, projection: [])
    beginCoding()
    defer { endCoding() }
    try cursor.forEach { row throws(StorageError) in
      result.append(try ModelReader(row, binding).key(M.self))
      return true
    }
    return result
  }

  /// Some columns of the query's objects, in its order: `tx.select(query, \.id, \.title)`. Other columns are not read.
  public func select<M: Model, each V: Storable>(
    _ query: Query<M>, _ columns: repeat KeyPath<M.Columns, Column<each V>>
  ) throws(StorageError) -> [(repeat each V)] {
    try check()
    let binding = try store.binding(M.self)
    let all = M.Columns()
    var names: [String] = []
    for column in repeat each columns { names.append(all[keyPath: column].name) }
    var result: [(repeat each V)] = []
    let cursor = try rows(query, binding, projection: names)
    beginCoding()
    defer { endCoding() }
    try cursor.forEach { row throws(StorageError) in
      let reader = try ModelReader(row, binding)
      result.append((repeat try reader.get(all[keyPath: each columns].index, as: (each V).self)))
      return true
    }
    return result
  }

  /// A page of the query's objects, and where the next one begins. With an order that ends in the primary key (as all
  /// do) every object that is not written to between the pages is visited exactly once.
  ///
  /// - Parameter size: The most objects of a page, at least 1.
  public func page<M: Model>(_ query: Query<M>, size: Int) throws(StorageError) -> Page<M> {
    try check()
    try query.checkPage(size)
    return try readPage(query, size, passingOver: false).page
  }

  /// A page of a query without a limit.
  ///
  /// - Parameter passingOver: Whether rows that cannot be read are passed over, and reported beside the page.
  /// - Returns: The page; how many rows it took; those of them that could not be read.
  func readPage<M: Model>(
    _ query: Query<M>, _ size: Int, passingOver: Bool
  ) throws(StorageError) -> (page: Page<M>, rows: Int, unreadable: [Unreadable<M>]) {
    let binding = try store.binding(M.self)
    guard !query.tree.order.contains(where: { !$0.members.isEmpty }) else {
      throw StorageError.unsupported(.querySort, "what is sorted by other objects has no pages").with(
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
      case .failure(let failure):
        guard passingOver else { throw failure.error }
        unreadable.append(failure)
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

  /// How the engine would execute the query.
  public func explain<M: Model>(_ query: Query<M>) throws(StorageError) -> QueryPlan {
    try check()
    let binding = try store.binding(M.self)
    do throws(StorageError) {
      return try explain(query.checked(), binding.schema, binding.binder, isTyped: true)
    } catch {
      throw error.with(model: binding.name)
    }
  }
}
