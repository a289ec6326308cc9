public import QuarryBackend

extension Store {
  /// What opening the store for these models with the migration would do, found out on a copy: the store is opened for
  /// reading alone.
  ///
  /// - Parameter scratch: Where the copy is made, which is destroyed afterwards; in memory or beside the store when nil, as
  ///   its engine does it.
  /// - Returns: The report, also of a migration that ends with an error.
  /// - Throws: What opening the store for reading and copying it throws; `unsupported` where the engine names no place for a
  ///   copy, and none is given.
  /// A process that is killed meanwhile leaves the copy beside the store; the next rehearsal, and the next opening for writing,
  /// remove it.
  ///
  /// - Complexity: O(size of the store), and as much room as the store takes.
  public static func rehearse(
    for models: any Model.Type..., in provider: any BackendProvider, options: OpenOptions = OpenOptions(),
    encryption: Encryption? = nil, migration: Migration = .automatic, scratch: (any BackendProvider)? = nil
  ) throws -> MigrationReport {
    let way = try MigrationWay(models.map { $0.anyDefinition }, migration)
    return try rehearse(way, in: provider, options.sealed(encryption), scratch)
  }

  /// What opening the store by the plan would do.
  public static func rehearse(
    plan: any MigrationPlan.Type, in provider: any BackendProvider, options: OpenOptions = OpenOptions(),
    encryption: Encryption? = nil, scratch: (any BackendProvider)? = nil
  ) throws -> MigrationReport {
    try rehearse(MigrationWay(plan, progress: nil), in: provider, options.sealed(encryption), scratch)
  }

  /// As ``rehearse(for:in:options:migration:scratch:)``, for models that are known as schemas alone.
  package static func rehearse(
    program models: [ModelSchema], in provider: any BackendProvider, options: OpenOptions = OpenOptions(),
    migration: Migration = .automatic, scratch: (any BackendProvider)? = nil
  ) throws -> MigrationReport {
    try rehearse(MigrationWay(program: models, migration), in: provider, options, scratch)
  }

  private static func rehearse(
    _ way: MigrationWay, in provider: any BackendProvider, _ options: OpenOptions, _ scratch: (any BackendProvider)?
  ) throws -> MigrationReport {
    if let scratch { return try rehearse(way, in: provider, options, at: scratch) }
    return try provider.requireScratch().withScratch { place in try rehearse(way, in: provider, options, at: place) }
  }

  /// - Parameter place: Where there is nothing yet.
  private static func rehearse(
    _ way: MigrationWay, in provider: any BackendProvider, _ options: OpenOptions, at place: any BackendProvider
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
      let result = try SchemaOpening(backend: copy, options: copying, way: way).run { migrator in
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

  /// Opens the place for the copy. That of a sealed store is sealed, unless it is in memory.
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
