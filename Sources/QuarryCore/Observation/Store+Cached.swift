import QuarryBackend
import QuarryQuery

extension Store {
  /// The objects of a selection, taken from an earlier call where nothing can have changed them since.
  ///
  /// They are kept until any commit, of this store or another, touches a model that the query depends on, or the time is over.
  /// They are always the objects that ``fetch(_:)`` would return. Inside a transaction of this store it is a fetch in that
  /// transaction, and nothing is kept.
  ///
  /// ```swift
  /// let countries = try store.cached(Country.all.sorted(by: \.name), for: .seconds(300))
  /// ```
  ///
  /// - Parameters:
  ///   - selection: A query, the ``Many`` of an object, or its ``Links``.
  ///   - time: The maximum time for which they are kept.
  /// - Throws: As ``ReadScope/fetch(_:onUnreadable:)``; `closed`.
  /// - Complexity: ``Links`` are read each time. Otherwise a check of the newest state's version where they are kept. Writes to
  ///   these models note that they are cached.
  public func cached<M: Model>(_ selection: some Selection<M>, for time: Duration) throws -> [M] {
    if let transaction = try currentTransaction() { return try transaction.fetch(selection) }
    // The name of a result has no list.
    if selection.list != nil { return try fetch(selection) }
    let binding = try context.binding(M.self)
    let tree = try selection.query.checked()
    let name = QueryCache.Name(type: ObjectIdentifier(M.self), query: tree)
    try checkOpen()
    let newest = try newestVersion()
    if let objects = cache.objects(name, at: newest) as? [M] { return objects }
    let observed = ObservedQuery(tree: tree, isTyped: true)
    let (known, interest) = try readingNewest { tx throws(StorageError) in try observed.plan(in: tx) }
    let models = Set(interest.details.keys)
    // Before the read, so that no commit after it goes unnoticed.
    try observation.retain(models) { () throws(StorageError) in try newestVersion() }
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
      observation.release(models)
      throw error
    }
  }

  /// Returns the objects as ``cached(_:for:)``, on a thread of its own.
  ///
  /// - Throws: As ``cached(_:for:)``; `CancellationError` when the task was cancelled before the call began.
  public func cached<M: Model>(_ selection: some Selection<M>, for time: Duration) async throws -> [M] {
    try await Self.onThread { [self] in try cached(selection, for: time) }
  }

  /// Releases the objects that ``cached(_:for:)`` has kept.
  public func clearCache() {
    cache.clear()
  }

  /// Releases the objects of one model that ``cached(_:for:)`` has kept.
  ///
  /// - Parameter type: The model.
  public func clearCache<M: Model>(of type: M.Type) {
    cache.clear(ObjectIdentifier(M.self))
  }

  /// The maximum bytes of rows whose objects ``cached(_:for:)`` keeps: 16 MiB by default. The least recently used are removed
  /// first.
  public var cacheLimit: Int {
    get { cache.limit }
    set { cache.limit = newValue }
  }

  /// The current bytes of the rows whose objects ``cached(_:for:)`` keeps.
  public var cachedBytes: Int { cache.byteCount }
}
