public import QuarryBackend
import QuarrySystem

/// A store in an SQLite database: `.sqlite(at: "library.db")`.
public struct SQLiteConfiguration: BackendProvider, Hashable {
  /// The path of the database. It names a file whatever is in it: `:memory:` and URIs mean nothing here.
  public var path: String
  /// Bytes of pages that each connection keeps in memory. 8 MiB, which it is when it is left out, are 32 MiB for an
  /// encrypted store.
  public var cacheBytes: Int
  /// How many idle connections for readers are kept. More readers than these open connections of their own.
  public var readers: Int
  /// The number of statements that each connection keeps ready, in addition to the statements of its models.
  public var statements: Int
  /// Whether a plain store that is made gets a checksum in each page, so that damage is found before it is read as data.
  ///
  /// Other programs read such a store; pages that they write have wrong checksums and are `corrupt` then. A store that others
  /// write to is made without. A store keeps what it was made with: see ``addChecksums()``.
  public var checksums: Bool

  /// The default of ``cacheBytes``.
  static let usualCacheBytes = 8 << 20
  /// The default for an encrypted store, whose pages cost more to read again.
  static let usualSealedCacheBytes = 32 << 20

  func cacheBytes(isSealed: Bool) -> Int {
    isSealed && cacheBytes == Self.usualCacheBytes ? Self.usualSealedCacheBytes : cacheBytes
  }

  /// Creates the configuration of a store in SQLite.
  ///
  /// - Parameters:
  ///   - path: The path of the database file.
  ///   - cacheBytes: Bytes of pages that each connection keeps in memory.
  ///   - readers: The number of idle connections for readers that are kept.
  ///   - statements: The statements that each connection keeps ready, in addition to the statements of its models.
  ///   - checksums: Whether a plain store that is created gets a checksum in each page.
  public init(
    path: String, cacheBytes: Int = 8 << 20, readers: Int = 8, statements: Int = 64, checksums: Bool = true
  ) {
    self.path = path
    self.cacheBytes = cacheBytes
    self.readers = readers
    self.statements = statements
    self.checksums = checksums
  }

  public static func == (left: SQLiteConfiguration, right: SQLiteConfiguration) -> Bool {
    left.path.utf8.elementsEqual(right.path.utf8) && left.cacheBytes == right.cacheBytes
      && left.readers == right.readers && left.statements == right.statements && left.checksums == right.checksums
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ByteString(path))
    hasher.combine(cacheBytes)
    hasher.combine(readers)
    hasher.combine(statements)
    hasher.combine(checksums)
  }

  /// Opens the store, and creates it when it does not exist and the options allow.
  ///
  /// - Parameter options: The options of opening.
  /// - Throws: As `BackendProvider.open(_:)`; `schemaMismatch` for a database of another program.
  public func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    try OwnName.requireOther(path)
    var attempts = 0
    while true {
      do throws(StorageError) {
        let backend = try SQLiteBackend(self, options)
        if !options.isReadOnly { removeLeftovers() }
        return backend
      } catch {
        attempts += 1
        guard error.isOfMovedFile(at: path), attempts < 100 else { throw error }
      }
    }
  }

  /// Removes the leftovers of killed processes next to the store, of rehearsals and of a backup to its path.
  private func removeLeftovers() {
    ScratchPlace.sweep(beside: path)
    BackupDestination.sweep(path, endings: SQLiteFile.endings, SystemFileSystem())
  }
}

extension SQLiteConfiguration: PlacedProvider {
  public var storePath: String? { path }

  /// Runs the body with a store of the same engine in a folder next to this store.
  ///
  /// - Throws: The errors of the body; `io`, `full`, `readOnly` where no folder can be created next to the store.
  public func withScratch<R>(_ body: (any BackendProvider) throws -> R) throws -> R {
    try ScratchPlace.with(beside: path, Self.scratchName) { path in
      var place = self
      place.path = path
      return try body(place)
    }
  }
}

extension BackendProvider where Self == SQLiteConfiguration {
  /// A store in the SQLite database at a path. See ``SQLiteConfiguration``.
  public static func sqlite(
    at path: String, cacheBytes: Int = 8 << 20, readers: Int = 8
  ) -> SQLiteConfiguration {
    SQLiteConfiguration(path: path, cacheBytes: cacheBytes, readers: readers)
  }
}

extension BackendProvider where Self == SeededProvider {
  /// A store in the SQLite database at a path, which begins as a copy of the one at another path. See ``SeededProvider``.
  public static func sqlite(at path: String, seededFrom seed: String) -> SeededProvider {
    SeededProvider(SQLiteConfiguration(path: path), from: SQLiteConfiguration(path: seed), path: path)
  }
}
