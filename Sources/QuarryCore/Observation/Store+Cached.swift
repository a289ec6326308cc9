import QuarryBackend
import QuarryQuery

extension Store {
  /// The objects of a query, of an earlier call where nothing can have changed them since: until a commit, of whomever,
  /// touches a model that the query depends on, or the time is over. They are always those that ``fetch(_:)`` would give.
  ///
  /// Inside a transaction of this store it is a fetch in that transaction, and nothing is kept.
  ///
  /// ```swift
  /// let countries = try store.cached(Country.all.sorted(by: \.name), for: .seconds(300))
  /// ```
  ///
  /// - Parameter time: How long they are kept at most.
  /// - Throws: What fetching the query throws.
  /// - Complexity: A look at the version of the newest state where they are kept. Writes to these models remember that they
  ///   are.
  public func cached<M: Model>(_ query: Query<M>, for time: Duration) throws -> [M] {
    if let transaction = try joined() { return try transaction.fetch(query) }
    let binding = try context.binding(M.self)
    let tree = try query.checked()
    let name = QueryCache.Name(type: ObjectIdentifier(M.self), query: tree)
    try checkOpen()
    let newest = try Self.newestVersion(backend)
    if let objects = cache.objects(name, at: newest) as? [M] { return objects }
    let observed = ObservedQuery(tree: tree, isTyped: true)
    let (known, interest) = try readingNewest { tx throws(StorageError) in try observed.plan(in: tx) }
    let models = Set(interest.details.keys)
    // Before the read, so that no commit after it goes unnoticed.
    try observation.hold(models) { () throws(StorageError) in try Self.newestVersion(backend) }
    do throws(StorageError) {
      var byteCount = 0
      var objects: [M] = []
      let version = try readingNewest { tx throws(StorageError) in
        let plan = tx.backend.schema.version == known.schemaVersion ? known : try observed.plan(in: tx).0
        try observed.read(plan, in: tx) { row throws(StorageError) in
          byteCount += row.count
          objects.append(try ModelReader(row, binding).object(M.self))
        }
        return try tx.backend.version()
      }
      cache.keep(
        QueryCache.Entry(
          objects: objects, byteCount: byteCount, version: version, models: models, end: Deadline(after: time)), name)
      return objects
    } catch {
      observation.letGo(models)
      throw error
    }
  }

  /// As ``cached(_:for:)``, on a thread of its own.
  public func cached<M: Model>(_ query: Query<M>, for time: Duration) async throws -> [M] {
    try await Self.onThread { [self] in try cached(query, for: time) }
  }

  /// Lets go the objects that ``cached(_:for:)`` has kept.
  public func clearCache() {
    cache.clear()
  }

  /// Lets go the objects of one model that ``cached(_:for:)`` has kept.
  public func clearCache<M: Model>(of type: M.Type) {
    cache.clear(ObjectIdentifier(M.self))
  }

  /// The most bytes of rows whose objects ``cached(_:for:)`` keeps: 16 MiB unless another number is set. Those that were used
  /// longest ago go first.
  public var cacheLimit: Int {
    get { cache.limit }
    set { cache.limit = newValue }
  }

  /// Bytes of the rows whose objects ``cached(_:for:)`` keeps now.
  public var cachedBytes: Int { cache.byteCount }
}
