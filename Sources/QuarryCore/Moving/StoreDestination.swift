import QuarryBackend

/// The place where a copy, a restore or an import puts a store.
struct StoreDestination {
  let provider: any BackendProvider
  let options: OpenOptions
  /// The work that fills the store.
  let work: FillingWork

  /// Opens the store, and creates it if it does not exist. A created store has the mark of an unfinished one from its first
  /// moment, so that a process that is killed leaves nothing that appears to be a whole store.
  ///
  /// - Returns: The backend, and whether nothing existed before.
  func open() throws -> (backend: any Backend, isMade: Bool) {
    guard options.createsIfMissing, !options.isReadOnly else { return (try provider.open(options), false) }
    var existing = options
    existing.createsIfMissing = false
    let code: StorageError.Code
    do throws(StorageError) {
      return (try provider.open(existing), false)
    } catch {
      // An existing item, such as an empty file, may still become a store.
      guard error.code == .notFound || error.code == .corrupt else { throw error }
      code = error.code
    }
    if code == .notFound, make() { return (try provider.open(existing), true) }
    return (try provider.open(options), code == .notFound)
  }

  /// Creates a store that has the mark alone, elsewhere, and gives it the place when it is whole and on the disk.
  ///
  /// - Returns: Whether the store is there. False where something is at the place, such as an empty file. False, too, where the
  ///   engine has neither moves nor a path with backups, or where nothing can be created next to the place. The engine then decides
  ///   whether a store can be created there.
  private func make() -> Bool {
    let path = (provider as? any PlacedProvider)?.storePath
    guard let place = provider as? any ScratchProvider, path != nil || place is any SeedingProvider else {
      return false
    }
    do {
      return try place.withScratch { scratch in
        var making = OpenOptions()
        making.encryption = options.encryption
        let seed = try scratch.open(making)
        defer { try? seed.close() }
        guard let path else {
          try CopyTarget(seed).write { writer throws(StorageError) in try UnfinishedMark(work).write(writer) }
          try seed.close()
          return try (provider as? any SeedingProvider)?.take(scratch) ?? false
        }
        guard let backup = seed as? any BackupBackend,
          seed.manifest.capabilities[.backup]?.isSupported == true
        else { return false }
        try CopyTarget(seed).write { writer throws(StorageError) in try UnfinishedMark(work).write(writer) }
        try backup.backup(to: path)
        return true
      }
    } catch {
      return false
    }
  }
}

extension Store {
  /// Opens a store to fill it in one write transaction, which ends with ``WriteTransaction/finishFilling()``. It is created if it
  /// does not exist.
  ///
  /// A process that is killed before the commit leaves nothing, or an unfinished store, which the same work opens again.
  ///
  /// - Returns: The store, and whether it has nothing that another program stored: it is destroyed if filling it fails.
  /// - Throws: `schemaMismatch` for the unfinished store of other work; the errors of opening.
  package static func openToFill(
    _ provider: any BackendProvider, for work: FillingWork, options: OpenOptions
  ) throws -> (store: Store, isMade: Bool) {
    let (backend, isMade) = try StoreDestination(provider: provider, options: options, work: work).open()
    do {
      let read = try backend.beginRead()
      let schema = read.schema
      let mark: UnfinishedMark?
      do {
        defer { read.end() }
        mark = try UnfinishedMark(read)
      }
      guard let mark else {
        let way = try MigrationRequest([], .automatic)
        return (Store(try OpenedStore.open(way, on: backend, options, search: .always)), isMade)
      }
      guard mark.work == work, schema.models.allSatisfy(\.isUnfinishedMark) else { throw mark.refusal }
      var opened = try OpenedStore(CommitPipeline(backend, search: .always), [], schema, options)
      opened.isToFill = true
      return (Store(opened), true)
    } catch {
      try? backend.close()
      throw error
    }
  }
}

extension WriteTransaction {
  /// Makes the store whole with this transaction, where it was opened to be filled and created for that.
  package func finishFilling() throws(StorageError) {
    try check()
    guard backend.schema.models.contains(where: \.isUnfinishedMark) else { return try HistoryMove.end(in: writer) }
    try UnfinishedMark.remove(writer)
    hasNewSchema = true
    try HistoryMove.end(in: writer)
    // The store was opened before it had models, and its history begins when it is whole.
    if let history = context.history { try HistoryWish(history).carryOut(in: writer, context.manifest) }
  }
}
