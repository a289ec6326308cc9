public import QuarryBackend

extension Store {
  /// The results of opening the store for these models with the migration, found on a copy.
  ///
  /// The store itself is opened for reading only. A process that is killed meanwhile leaves the copy next to the store. The next
  /// rehearsal, and the next opening for writing, remove it.
  ///
  /// - Parameters:
  ///   - models: The models of the program.
  ///   - provider: The engine and the place of the store, which is opened for reading.
  ///   - options: The options for opening it.
  ///   - encryption: The key of the store: see ``Encryption``.
  ///   - migration: The migration to try.
  ///   - scratch: The place of the copy, which is destroyed afterwards. When nil, the copy is in memory or next to the store,
  ///     depending on its engine.
  /// - Returns: The report, also of a migration that ends with an error.
  /// - Throws: The errors of opening the store for reading and of copying it; `unsupported` where the engine names no place for a
  ///   copy, and none is given.
  /// - Complexity: O(size of the store), and as much disk space as the store takes.
  public static func rehearse(
    for models: any Model.Type..., in provider: any BackendProvider, options: OpenOptions = OpenOptions(),
    encryption: Encryption? = nil, migration: Migration = .automatic, scratch: (any BackendProvider)? = nil
  ) throws -> MigrationReport {
    let way = try MigrationRequest(models.map { $0.anyDefinition }, migration)
    return try rehearse(way, in: provider, options.sealed(encryption), scratch)
  }

  /// The results of opening the store by the plan.
  ///
  /// - Parameters:
  ///   - plan: The versions of the program's models, and the stages between them.
  ///   - provider: The engine and the place of the store, which is opened for reading.
  /// - Throws: As ``rehearse(for:in:options:encryption:migration:scratch:)``; `invalidValue` for a plan that contradicts itself.
  public static func rehearse(
    plan: any MigrationPlan.Type, in provider: any BackendProvider, options: OpenOptions = OpenOptions(),
    encryption: Encryption? = nil, scratch: (any BackendProvider)? = nil
  ) throws -> MigrationReport {
    try rehearse(MigrationRequest(plan, progress: nil), in: provider, options.sealed(encryption), scratch)
  }

  /// As ``rehearse(for:in:options:migration:scratch:)``, for models that are known as schemas alone.
  package static func rehearse(
    program models: [ModelSchema], in provider: any BackendProvider, options: OpenOptions = OpenOptions(),
    migration: Migration = .automatic, scratch: (any BackendProvider)? = nil
  ) throws -> MigrationReport {
    try rehearse(MigrationRequest(program: models, migration), in: provider, options, scratch)
  }

  private static func rehearse(
    _ way: MigrationRequest, in provider: any BackendProvider, _ options: OpenOptions, _ scratch: (any BackendProvider)?
  ) throws -> MigrationReport {
    if let scratch { return try rehearse(way, in: provider, options, at: scratch) }
    return try provider.requireScratch().withScratch { place in try rehearse(way, in: provider, options, at: place) }
  }

  /// - Parameter place: A place where nothing exists yet.
  private static func rehearse(
    _ way: MigrationRequest, in provider: any BackendProvider, _ options: OpenOptions, at place: any BackendProvider
  ) throws -> MigrationReport {
    var reading = options
    reading.isReadOnly = true
    let original = try provider.open(reading)
    defer { try? original.close() }
    let read = try original.beginRead()
    defer { read.end() }
    var copying = OpenOptions()
    copying.busyTimeout = options.busyTimeout
    let copy = try open(place, sealed: options.encryption, &copying)
    guard try isEmpty(copy) else {
      try copy.close()
      throw StorageError(.inUse, "there is a store at the place for the copy")
    }
    defer { if (try? copy.destroy()) == nil { try? copy.close() } }
    var unverified = CopyOptions()
    unverified.isVerified = false
    _ = try StoreCopier(read, of: original, to: copy, unverified).run()

    var report = MigrationReport(
      storedVersion: read.schema.programVersion ?? 0, version: read.schema.programVersion ?? 0, steps: [], losses: [],
      failures: [], seconds: 0)
    report.bytesBefore = (try? copy.statistics())?.bytes
    let start = ContinuousClock.now
    do {
      let result = try SchemaOpening(pipeline: CommitPipeline(copy), options: copying, way: way).run { migrator in
        report.steps = migrator.steps
        report.losses = migrator.losses
        report.failures = migrator.failures
      }
      report.version = result.schema.programVersion ?? 0
    } catch {
      report.error = error
    }
    report.seconds = (ContinuousClock.now - start) / .seconds(1)
    report.bytesAfter = (try? copy.statistics())?.bytes
    return report
  }

  /// Opens the place for the copy. The copy of a sealed store is sealed, unless it is in memory.
  private static func open(
    _ place: any BackendProvider, sealed encryption: Encryption?, _ options: inout OpenOptions
  ) throws(StorageError) -> any Backend {
    options.encryption = encryption
    do throws(StorageError) {
      return try place.open(options)
    } catch {
      guard encryption != nil, error.capability == .openEncryption else { throw error }
      options.encryption = nil
      let copy = try place.open(options)
      if copy.manifest.durability == .none { return copy }
      if (try? copy.destroy()) == nil { try? copy.close() }
      throw error
    }
  }

  private static func isEmpty(_ backend: any Backend) throws(StorageError) -> Bool {
    let read = try backend.beginRead()
    defer { read.end() }
    return read.schema.models.isEmpty && read.schema.version == 0
  }
}
