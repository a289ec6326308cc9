import Foundation
import QuarryBackend

/// Brings the stored schema and the program's models together when a store is opened.
struct SchemaOpening {
  let pipeline: CommitPipeline
  let options: OpenOptions
  let way: MigrationRequest

  /// The stored schema after that, and the changes in words.
  struct Result {
    var schema: Schema
    var changes: [String]
  }

  /// Makes all pending changes, in one write transaction.
  ///
  /// A store that is opened for reading keeps the indexes that it has: no answer depends on them.
  ///
  /// - Throws: `schemaMismatch`, listing what would be lost; `schemaTooNew`; `uniqueViolation` for a unique index that the rows
  ///   do not satisfy; the migration's errors. The store is then as it was.
  ///
  /// - Parameter report: Receives the running migration, with all failures and losses: for a rehearsal.
  func run(rehearsing report: ((StoreMigrator) -> Void)? = nil) throws -> Result {
    let (stored, stale) = try pipeline.repeating(for: options.busyTimeout) { () throws(StorageError) in
      let read = try pipeline.backend.beginRead()
      defer { read.end() }
      try UnfinishedMark.requireWhole(read)
      return (read.schema, try SearchIndexes.stale(in: read))
    }
    // A store that is opened for reading is searched without an index.
    let rebuilds = !stale.isEmpty && !options.isReadOnly
    guard try way.isNeeded(from: stored) || rebuilds else { return Result(schema: stored, changes: []) }
    if options.isReadOnly {
      guard !way.isExplicit else { throw StorageError.openedForReading }
      guard try way.changesOnlyIndexes(from: stored) else {
        throw StorageError(
          .schemaMismatch, "the store was opened for reading only and its schema lacks what the models need")
      }
      return Result(schema: way.searched(in: stored), changes: [])
    }
    let manifest = pipeline.backend.manifest
    return try pipeline.transaction(WriteOptions(isSchemaChange: true)) { write in
      // Another process may have been quicker: the missing changes are determined again inside the write.
      let stale = try SearchIndexes.stale(in: write)
      guard try way.isNeeded(from: write.schema) else {
        guard !stale.isEmpty else { return .rollback(Result(schema: write.schema, changes: [])) }
        // The transaction keeps the indexes, and builds these.
        try SearchIndexes.settle(write)
        return .commit(Result(schema: write.schema, changes: SearchIndexes.sentences(of: stale)))
      }
      let migrator = StoreMigrator(write, manifest, progress: way.progress, isRehearsal: report != nil)
      defer { report?(migrator) }
      let stages = try way.stages(from: write.schema)
      if stages.contains(where: { $0.body != nil }) { try SyncedRowsBefore.keep(in: write) }
      for stage in stages {
        try migrator.run(stage) { schema in
          WriteTransaction(try StoreContext(manifest, stage.definitions, schema), write)
        }
      }
      try SearchIndexes.settle(write)
      let schema = write.schema
      try schema.checkReferences()
      return .commit(Result(schema: schema, changes: migrator.changeDescriptions + SearchIndexes.sentences(of: stale)))
    }
  }
}

/// A program's request when it opens a store: the way from the stored models to its own.
struct MigrationRequest {
  /// The program's models.
  let definitions: [AnyModelDefinition]
  private let program: [ProgramModel]
  private let migration: Migration
  private let route: MigrationRoute?

  init(_ definitions: [AnyModelDefinition], _ migration: Migration) throws(StorageError) {
    let definitions = definitions.withRelated
    try self.init(definitions, program: try ProgramModel.models(of: definitions), migration)
  }

  private init(
    _ definitions: [AnyModelDefinition], program: [ProgramModel], _ migration: Migration
  ) throws(StorageError) {
    if let version = migration.version, version < 1 {
      throw StorageError(.invalidValue, "the version of the models must be at least 1, not \(version)")
    }
    self.definitions = definitions
    self.migration = migration
    route = nil
    self.program = program
  }

  /// A program without types: it knows its models as schemas alone.
  init(program: [ModelSchema], _ migration: Migration) throws(StorageError) {
    var program = program.map { ProgramModel($0) }
    try program.setTravelNames()
    try self.init([], program: program, migration)
  }

  /// - Throws: `invalidValue` for a plan that is none.
  init(
    _ plan: any MigrationPlan.Type, startingOver keeping: Migration.Keeping? = nil, progress: Progress?
  ) throws(StorageError) {
    let route = try MigrationRoute(plan)
    var migration = Migration.to(route.last.version)
    migration.progress = progress
    migration.keeping = keeping
    self.route = route
    self.migration = migration
    definitions = route.last.definitions
    program = route.last.program
  }

  /// The names of the program's models, those of links among them.
  var names: [String] { program.map(\.schema.name) }
  var progress: Progress? { migration.progress }
  /// The treatment of a store that cannot be migrated to the models.
  var keeping: Migration.Keeping? { migration.keeping }
  /// Whether the body of the migration is called whatever version is stored.
  var isExplicit: Bool { migration.isExplicit }

  /// Whether changes are needed.
  ///
  /// - Throws: `schemaTooNew`; `schemaMismatch` where there is no way.
  func isNeeded(from stored: Schema) throws(StorageError) -> Bool {
    let version = stored.programVersion ?? 0
    if let asked = migration.version {
      guard version <= asked else { throw .newerModels(version, program: asked) }
      if version < asked {
        if let route, !stored.isNew { _ = try route.place(of: stored) }
        return true
      }
    }
    if isExplicit { return true }
    guard let comparison = try comparison(stored) else { return false }
    guard comparison.losses.isEmpty else { throw comparison.refusal }
    return true
  }

  /// The stored models with the program's searchable properties: a store that is opened for reading is searched without an index
  /// of them.
  func searched(in stored: Schema) -> Schema {
    var schema = stored
    for model in program {
      guard let place = schema.models.firstIndex(where: { ByteString($0.name) == ByteString(model.name) }) else {
        continue
      }
      for property in model.schema.properties {
        guard let slot = schema.models[place].slot(named: property.name) else { continue }
        schema.models[place].properties[slot].search = property.search
      }
    }
    return schema
  }

  /// Whether no answer depends on the needed changes.
  func changesOnlyIndexes(from stored: Schema) throws(StorageError) -> Bool {
    guard stored.programVersion ?? 0 >= migration.version ?? 0,
      try ProgramModel.renames(of: program, in: stored).allSatisfy(\.isOfSyncName)
    else { return false }
    return try comparison(stored)?.changesOnlyIndexes ?? true
  }

  /// The needed changes, one after the other.
  func stages(from stored: Schema) throws(StorageError) -> [StoreMigrator.Stage] {
    let version = stored.programVersion ?? 0
    let isBehind = !stored.isNew && version < migration.version ?? 0
    // A store without a version that has the models of the plan's last one lacks the version, and maybe indexes.
    guard let route, isBehind, case let first = try route.place(of: stored), first + 1 < route.stops.count else {
      var stage = StoreMigrator.Stage(
        definitions: definitions, program: program, storedVersion: version, version: migration.version,
        drops: migration.drops)
      if isBehind || isExplicit { stage.body = migration.body }
      return [stage]
    }
    var stages: [StoreMigrator.Stage] = []
    for (stop, next) in zip(route.stops[first...], route.stops[(first + 1)...]) {
      stages.append(
        StoreMigrator.Stage(
          definitions: next.definitions, program: next.program, storedVersion: stop.version, version: next.version,
          drops: stop.stage?.drops ?? [], body: stop.stage?.body))
    }
    return stages
  }

  /// The difference of the stored models; nil where there is none.
  private func comparison(_ stored: Schema) throws(StorageError) -> SchemaComparison? {
    var schema = stored
    let renames = try ProgramModel.renames(of: program, in: stored)
    for change in renames { schema = try schema.applying(change) }
    let comparison = SchemaComparison(
      stored: schema, code: program.map(\.schema), allowing: SchemaComparison.Allowance(drops: migration.drops))
    return renames.isEmpty && comparison.isEmpty ? nil : comparison
  }
}

extension Schema {
  /// Whether nothing was ever stored under it.
  fileprivate var isNew: Bool { models.isEmpty && programVersion == nil }
}
