public import Foundation
public import QuarryBackend

extension Store {
  /// Opens a store for some models, and migrates its content to them.
  ///
  /// - Parameters:
  ///   - models: The models of the program.
  ///   - provider: The engine and the place of the store, which is created if it does not exist.
  ///   - options: How the store is opened.
  ///   - encryption: The key of the store: see ``Encryption``.
  ///   - migration: How a store of other models is brought to the program's models.
  /// - Throws: As ``Store/init(for:in:options:encryption:)``, and the errors of the migration's closures; `CancellationError`
  ///   when its progress was cancelled. The store is then as it was.
  /// - Complexity: A migration reads the objects of each model that it changes once.
  public convenience init(
    for models: any Model.Type..., in provider: some BackendProvider, options: OpenOptions = OpenOptions(),
    encryption: Encryption? = nil, migration: Migration
  ) throws {
    try self.init(models: models, in: provider, options: options, encryption: encryption, migration: migration)
  }

  /// Opens a store for the models of an array, and migrates its content to them.
  ///
  /// - Parameter models: The models of the program.
  /// - Throws: As ``init(for:in:options:encryption:migration:)``.
  public convenience init(
    models: [any Model.Type], in provider: any BackendProvider, options: OpenOptions = OpenOptions(),
    encryption: Encryption? = nil, migration: Migration
  ) throws {
    let way = try MigrationRequest(models.map { $0.anyDefinition }, migration)
    try self.init(way, in: provider, options.sealed(encryption))
  }

  /// Opens a store for the models of a plan's last version, and migrates it to them from whatever version it has.
  ///
  /// - Parameters:
  ///   - plan: The versions of the program's models, and the stages between them.
  ///   - provider: The engine and the place of the store, which is created if it does not exist.
  ///   - options: How the store is opened.
  ///   - encryption: The key of the store: see ``Encryption``.
  ///   - startingOver: The treatment of a store that is of none of the plan's versions, or that a stage cannot migrate. A new
  ///     store of the last version is created in its place. Nil to refuse the store.
  ///   - progress: Reports the rows that are read, stage by stage; cancelled, it leaves the store as it was.
  /// - Throws: `invalidValue` for a plan that contradicts itself, before the store is opened; as
  ///   ``Store/init(for:in:options:encryption:migration:)``.
  public convenience init(
    plan: any MigrationPlan.Type, in provider: some BackendProvider, options: OpenOptions = OpenOptions(),
    encryption: Encryption? = nil, startingOver: Migration.Keeping? = nil, progress: Progress? = nil
  ) throws {
    let way = try MigrationRequest(plan, startingOver: startingOver, progress: progress)
    try self.init(way, in: provider, options.sealed(encryption))
  }

  private convenience init(_ way: MigrationRequest, in provider: any BackendProvider, _ options: OpenOptions) throws {
    self.init(try OpenedStore.open(way, in: provider, options))
  }

  /// Opens a store for the models of an array, with parts of Quarry that take part in its commits.
  package convenience init(
    models: [any Model.Type], in provider: any BackendProvider, options: OpenOptions = OpenOptions(),
    participants: [any CommitParticipant]
  ) throws {
    let way = try MigrationRequest(models.map { $0.anyDefinition }, .automatic)
    let backend = try provider.open(options)
    do {
      self.init(try OpenedStore.open(way, on: backend, options, participants: participants))
    } catch {
      try? backend.close()
      throw error
    }
  }

  /// Opens a store without types, and brings it to models that are known as schemas alone: for tools and the kit.
  ///
  /// - Parameter models: Without ids; the slots of indexes and keys are the places of properties.
  package convenience init(
    program models: [ModelSchema], in provider: any BackendProvider, options: OpenOptions = OpenOptions(),
    migration: Migration = .automatic
  ) throws {
    try self.init(try MigrationRequest(program: models, migration), in: provider, options)
  }
}

extension OpenedStore {
  /// Opens the backend and migrates it to the models. It is closed again when that throws.
  static func open(
    _ way: MigrationRequest, in provider: any BackendProvider, _ options: OpenOptions
  ) throws -> OpenedStore {
    if way.keeping != nil, !options.isReadOnly {
      return try StartingOver(way: way, provider: provider, options: options).run()
    }
    let backend = try provider.open(options)
    do {
      return try open(way, on: backend, options)
    } catch {
      try? backend.close()
      throw error
    }
  }

  /// Migrates an open backend to the models, and compacts it where the options request it.
  ///
  /// - Parameters:
  ///   - participants: What takes part in the commits, in addition to observation.
  ///   - search: The transactions that keep the indexes of words.
  static func open(
    _ way: MigrationRequest, on backend: any Backend, _ options: OpenOptions,
    participants: [any CommitParticipant] = [], search: CommitPipeline.SearchKeeping = .whereSearched
  ) throws -> OpenedStore {
    let pipeline = CommitPipeline(
      backend, participants: participants, search: search, reporter: options.reporter)
    let history = HistoryOpening(pipeline: pipeline, options: options)
    try history.begin()
    let result = try SchemaOpening(pipeline: pipeline, options: options, way: way).run()
    let schema = try history.run() ?? result.schema
    var opened = try OpenedStore(pipeline, way.definitions, schema, changes: result.changes, options)
    opened.report.compacted = try opened.compactIfDue()
    return opened
  }

  private func compactIfDue() throws(StorageError) -> OpeningReport.Compaction? {
    guard let rule = options.compaction, !options.isReadOnly,
      backend.manifest.capabilities[.compact]?.isSupported == true,
      let backend = backend as? any CompactingBackend, let before = try backend.space(),
      rule.asks(total: before.bytes, free: before.freeBytes)
    else { return nil }
    do throws(StorageError) {
      try backend.compact()
    } catch {
      switch error.code {
      // The store is as good as before, and the next opening tries again.
      case .inUse, .busy, .full, .unsupported: return nil
      default: throw error
      }
    }
    return OpeningReport.Compaction(
      bytesBefore: before.bytes, bytesAfter: try backend.space()?.bytes ?? before.bytes)
  }
}
