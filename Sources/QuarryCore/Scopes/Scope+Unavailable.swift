// Calls of other libraries that are written differently here. None can be called: their messages name the replacement.

extension ReadScope {
  @available(*, unavailable, message: "write fetch(M.all), or fetch(M.where { … }) for a condition")
  public func objects<M: Model>(_ type: M.Type) -> Query<M> { M.all }

  @available(*, unavailable, message: "write get(M.self, key)")
  public func object<M: Model>(ofType type: M.Type, forPrimaryKey key: M.PrimaryKey) -> M? { nil }

  @available(*, unavailable, message: "write fetch(M.all), or fetch(M.where { … }) for a condition")
  public func fetchAll<M: Model>(_ type: M.Type) -> [M] { [] }

  @available(*, unavailable, message: "write get(M.self, key) for a primary key, or first(M.where { … })")
  public func fetchOne<M: Model>(_ type: M.Type) -> M? { nil }

  @available(*, unavailable, message: "write count(M.all), or count(M.where { … }) for a condition")
  public func fetchCount<M: Model>(_ type: M.Type) -> Int { 0 }

  @available(*, unavailable, message: "write fetch(M.all), or fetch(M.where { … }) for a condition")
  public func fetch<M: Model>(_ type: M.Type) -> [M] { [] }

  @available(*, unavailable, message: "write get(M.self, key)")
  public func fetch<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) -> M? { nil }

  @available(*, unavailable, message: "write get(M.self, key)")
  public func find<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) -> M? { nil }

  @available(*, unavailable, message: "write first(M.all), or first(M.where { … }) for a condition")
  public func first<M: Model>(_ type: M.Type) -> M? { nil }

  @available(*, unavailable, message: "write count(M.all), or count(M.where { … }) for a condition")
  public func count<M: Model>(_ type: M.Type) -> Int { 0 }

  @available(*, unavailable, renamed: "fetch(_:)")
  public func fetchAll<M: Model>(_ selection: some Selection<M>) -> [M] { [] }

  @available(*, unavailable, renamed: "first(_:)")
  public func fetchOne<M: Model>(_ selection: some Selection<M>) -> M? { nil }

  @available(*, unavailable, renamed: "count(_:)")
  public func fetchCount<M: Model>(_ selection: some Selection<M>) -> Int { 0 }
}

extension WriteScope {
  @available(
    *, unavailable, message: "write upsert(object), insert(object) for a new one, or update(object) for a stored one"
  )
  public func save<M: Model>(_ object: M) {}

  @available(
    *, unavailable, message: "a write transaction is saved when its body returns; a Draft of QuarryDrafts has save()"
  )
  public func save() {}

  @available(*, unavailable, message: "write insert(object), or upsert(object) where it may be stored already")
  public func add<M: Model>(_ object: M) {}

  @available(*, unavailable, message: "write insert(contentsOf: objects), or upsert(contentsOf: objects)")
  public func add<M: Model>(_ objects: [M]) {}

  @available(*, unavailable, message: "write delete(M.all)")
  public func deleteAll<M: Model>(_ type: M.Type) {}

  @available(*, unavailable, message: "write delete(M.all), or delete(M.where { … }) for a condition")
  public func delete<M: Model>(_ type: M.Type) {}

  @available(*, unavailable, message: "write delete(object) for each object, or delete(M.self, keys: keys)")
  public func delete<M: Model>(_ objects: [M]) {}

  @available(*, unavailable, renamed: "delete(_:)")
  public func remove<M: Model>(_ object: M) {}

  @available(*, unavailable, renamed: "delete(_:_:)")
  public func remove<M: Model>(_ type: M.Type, _ key: M.PrimaryKey) {}

  @available(*, unavailable, renamed: "insert(_:)")
  public func create<M: Model>(_ object: M) {}

  @available(*, unavailable, renamed: "insert(contentsOf:)")
  public func insert<M: Model>(_ objects: [M]) {}

  @available(*, unavailable, renamed: "upsert(contentsOf:)")
  public func upsert<M: Model>(_ objects: [M]) {}

  @available(*, unavailable, message: "a write transaction is committed when its body returns")
  public func commit() {}

  @available(*, unavailable, message: "a write transaction is undone when its body throws")
  public func rollback() {}
}
