import ArgumentParser
import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarrySync

/// The store that a command works on.
struct StoreArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("The store: \(StoreURL.forms).", valueName: "url"))
  var place: StorePlace

  @OptionGroup var key: KeyOptions

  var url: StoreURL { get throws { try place.url } }

  func validate() throws { _ = try url }

  /// Opens the store with the models that it has.
  func open(_ access: StoreURL.Access) throws -> Store {
    try url.open(access, key.encryption())
  }
}

/// The URL of a store on the command line.
///
/// The parser of arguments repeats a value that it cannot read, and a mistaken URL may have a password. So it takes every text, and
/// ``url`` refuses without repeating it.
struct StorePlace: ExpressibleByArgument {
  private let parsed: Result<StoreURL, any Error>

  init(argument: String) {
    parsed = Result { try StoreURL(argument: argument) }
  }

  /// - Throws: What a command says of wrong usage.
  var url: StoreURL { get throws { try parsed.get() } }
}

extension StoreURL {
  /// The access that a command needs to the store.
  enum Access {
    case reading
    /// Reads everything, and so also damaged data: all of it is checked before it is followed.
    case checking
    case changing
    /// Changes, and turns sync on itself.
    case syncing
    /// Changes what may be damaged.
    case mending
    /// Creates the store when it does not exist.
    case filling
  }

  /// The URL of a command line, where a mistake is wrong usage.
  init(argument text: String) throws {
    do {
      try self.init(parsing: text)
    } catch let error as StorageError {
      throw ValidationError(error.message)
    }
  }

  /// Opens the store with the models that it has. Reports a log next to it that belongs to another store.
  func open(_ access: Access, _ encryption: Encryption?) throws -> Store {
    let store = try opened(access, encryption)
    if access == .changing || access == .filling { try store.continueSync() }
    // The output of a check has all notes.
    if access != .checking, let log = store.openingReport.foreignLog {
      for note in OpeningReport(foreignLog: log).notes { Notice.print(note.escapedForDisplay) }
    }
    return store
  }

  private func opened(_ access: Access, _ encryption: Encryption?) throws -> Store {
    var options = OpenOptions()
    options.encryption = encryption
    options.createsIfMissing = access == .filling
    options.checksStructure = access == .checking || access == .mending
    let reads = access == .reading || access == .checking
    options.refusesWrites = reads
    switch (engine.path, engine.manifest.sharing) {
    case (.optionalName, _):
      // It is new each time, so that there is nothing to be read only or missing.
      options.createsIfMissing = true
    case (.path, .oneProcess):
      // A reader works alongside the one process that may write.
      options.isReadOnly = reads
    case (.path, .manyProcesses), (.connection, _):
      if reads { return try openShared(self.options(options)) }
    }
    return try Store(opening: provider, options: self.options(options))
  }

  /// Opens the store with the models that it has, or creates it with the import that fills it: see ``Store/openToFill``.
  ///
  /// - Returns: The store, and whether the import creates it.
  func openToImport(_ encryption: Encryption?) throws -> (store: Store, isMade: Bool) {
    var options = OpenOptions()
    options.encryption = encryption
    let opened = try Store.openToFill(provider, for: .importing, options: self.options(options))
    try opened.store.continueSync()
    return opened
  }

  /// Opens a reader like a writer where the files allow it. Only then does SQLite take part in the log of other processes, whose
  /// commits would make an outside reader restart, and LMDB has its table of readers. The store refuses every write all the same.
  private func openShared(_ options: OpenOptions) throws -> Store {
    var options = options
    // A command that reads neither begins nor removes a history.
    options.history = nil
    do {
      return try Store(opening: provider, options: options)
    } catch let error as StorageError {
      guard error.code == .readOnly || error.code == .io else { throw error }
    }
    var readOnly = options
    readOnly.isReadOnly = true
    return try Store(opening: provider, options: readOnly)
  }
}

extension Store {
  /// Records what a command changes in a synced store, so that it goes to the other stores too.
  fileprivate func continueSync() throws {
    if try hasSyncRecords() { try enableSync() }
  }
}
