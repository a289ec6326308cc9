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
}
