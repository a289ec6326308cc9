import QuarryBackend

/// The place where a copy, a restore or an import puts a store.
struct StoreDestination {
  let provider: any BackendProvider
  let options: OpenOptions
  /// What fills the store.
  let work: FillingWork

  /// Opens the store, and makes it where it is not there: with the mark of an unfinished one from its first moment, so that
  /// a process that is killed leaves nothing that looks like a whole store.
  ///
  /// - Returns: It, and whether there was nothing before.
  func open() throws -> (backend: any Backend, isMade: Bool) {
    guard options.createsIfMissing, !options.isReadOnly else { return (try provider.open(options), false) }
    var existing = options
    existing.createsIfMissing = false
    let code: StorageError.Code
    do throws(StorageError) {
      return (try provider.open(existing), false)
    } catch {
      // Something that is there may become a store yet, such as an empty file.
      guard error.code == .notFound || error.code == .corrupt else { throw error }
      code = error.code
    }
    if code == .notFound, make() { return (try provider.open(existing), true) }
    return (try provider.open(options), code == .notFound)
  }

  /// Makes a store that has the mark alone, elsewhere, and gives it the place when it is whole and on the disk.
  ///
  /// - Returns: Whether it is there. Not where something is at the place, such as an empty file, nor where the engine has
  ///   no path or no backups, or nothing can be made beside the path. Whether a store can be made there then says the engine.
  private func make() -> Bool {
    guard let place = provider as? any PlacedProvider, let path = place.storePath else { return false }
    do {
      return try place.withScratch { scratch in
        var making = OpenOptions()
        making.encryption = options.encryption
        let seed = try scratch.open(making)
        defer { try? seed.close() }
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
  /// Opens a store that is going to be filled in one write transaction, which ends with
  /// ``WriteTransaction/finishFilling()``, and makes it where it is not there.
  ///
  /// A process that is killed before the commit leaves nothing, or an unfinished store, which the same work opens again.
  ///
  /// - Returns: The store, and whether it has nothing that another program stored: it is destroyed where filling it fails.
  /// - Throws: `schemaMismatch` for the unfinished store of other work; what opening throws.
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
        let way = try MigrationWay([], .automatic)
        return (Store(try OpenedStore.open(way, on: backend, options)), isMade)
      }
      guard mark.work == work, schema.models.allSatisfy(\.isInternal) else { throw mark.refusal }
      var opened = try OpenedStore(backend, [], schema, options)
      opened.isToFill = true
      return (Store(opened), true)
    } catch {
      try? backend.close()
      throw error
    }
  }
}

extension WriteTransaction {
  /// Makes the store whole with this transaction, where it was opened to be filled and made for that.
  package func finishFilling() throws(StorageError) {
    try check()
    guard backend.schema.models.contains(where: \.isInternal) else { return }
    try UnfinishedMark.remove(writer)
    hasNewSchema = true
  }
}
