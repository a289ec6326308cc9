import CLMDB
public import QuarryBackend
import QuarryKeyValue
import QuarrySystem

/// A store in an LMDB environment: `.lmdb(at: "library.lmdb")`.
public struct LMDBConfiguration: BackendProvider, Hashable {
  /// The version of the LMDB library, `LMDB 0.9.24: (July 24, 2019)` for example.
  public static var engineVersion: String { String(cString: mdb_version(nil, nil, nil)) }
  /// Bytes of the largest row, which LMDB counts in 32 bits.
  public static let maximumValueBytes = Int(UInt32.max)

  /// The manifest of a store that is opened without options.
  public static let manifest = BackendManifest.keyValue(
    LMDBEngine.properties(keyBytes: nil, readers: LMDBConfiguration(path: "").readers, .powerLoss, isReadOnly: false))

  /// The path of the store's directory, which holds `data.mdb` and `lock.mdb`.
  public var path: String
  /// The most bytes that the store can grow to. The file is as large as its content.
  ///
  /// LMDB reads its file through a map in the address space. The map has at most this size. It begins with 64 GiB, or eight times
  /// the file where that is more. It begins with less where the process has little address space left, for example because it has
  /// very many stores open. It grows when half of it is in use and no transaction or frozen store of this process is open.
  /// Opening a store throws `full` if there is no room for its map.
  public var mapBytes: Int
  /// With how many bytes the map begins.
  var firstMapBytes = LMDBMapSize.first
  /// The number of read transactions and snapshots that may be open at once, in all processes together.
  ///
  /// The process that opens the store first decides.
  public var readers: Int

  /// Whether a plain store that is made has its trees in pages with checksums, so that damage is found before it is read as
  /// data and before LMDB meets it.
  ///
  /// Such a store is read as an encrypted one is, from pages that are kept in memory and not from the map: see
  /// `docs/engines/lmdb.md` for what that costs. A store keeps what it was made with: see ``addChecksums()``.
  public var checksums: Bool

  /// Creates the configuration of a store in LMDB.
  ///
  /// - Parameters:
  ///   - path: The path of the store's directory.
  ///   - mapBytes: The most bytes that the store can grow to: 1 TiB by default.
  ///   - readers: The read transactions and snapshots that may be open at once, in all processes together.
  ///   - checksums: Whether a plain store that is created has pages with checksums.
  public init(path: String, mapBytes: Int = 1 << 40, readers: Int = 510, checksums: Bool = false) {
    self.path = path
    self.mapBytes = mapBytes
    self.readers = readers
    self.checksums = checksums
  }

  public static func == (left: LMDBConfiguration, right: LMDBConfiguration) -> Bool {
    left.path.utf8.elementsEqual(right.path.utf8) && left.mapBytes == right.mapBytes && left.readers == right.readers
      && left.checksums == right.checksums
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ByteString(path))
    hasher.combine(mapBytes)
    hasher.combine(readers)
    hasher.combine(checksums)
  }

  /// Opens the store, and creates it when it does not exist and the options allow.
  ///
  /// - Parameter options: The options of opening. `checksStructure` makes it read all branch and leaf pages of a plain store.
  /// - Throws: `notFound`; `corrupt` for a file that is no store of Quarry; `schemaTooNew`. `inUse` when it is open in a way that
  ///   cannot be shared. `keyRequired`, `wrongKey` and `notEncrypted` where store and key do not go together. `unsupported` for a
  ///   namespace; `limitExceeded`; `io`; `full`.
  public func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    try OwnName.requireOther(LMDBFile.withoutSlashes(path))
    try Self.manifest.check(options)
    let engine = try LMDBEngine(self, options)
    let backend: any Backend
    do throws(StorageError) {
      if let above = try engine.above(options.encryption) {
        backend = try KeyValueBackend(above, options: options)
      } else {
        backend = try KeyValueBackend(engine, options: options)
      }
    } catch {
      try? engine.close()
      throw error
    }
    if !options.isReadOnly { removeLeftovers() }
    return backend
  }

  /// Removes the leftovers of killed processes next to the store, of rehearsals and of a backup to its path.
  private func removeLeftovers() {
    let path = LMDBFile.withoutSlashes(path)
    ScratchPlace.sweep(beside: path)
    LMDBBackup.sweep(path)
  }
}

extension LMDBConfiguration: PlacedProvider {
  public var storePath: String? { path }

  /// Runs the body with a store of the same engine in a folder next to this store.
  ///
  /// - Throws: The errors of the body; `io`, `full`, `readOnly` where no folder can be created next to the store.
  public func withScratch<R>(_ body: (any BackendProvider) throws -> R) throws -> R {
    try ScratchPlace.with(beside: LMDBFile.withoutSlashes(path), Self.scratchName) { path in
      var place = self
      place.path = path
      return try body(place)
    }
  }
}

extension BackendProvider where Self == LMDBConfiguration {
  /// A store in the LMDB environment of a directory. See ``LMDBConfiguration``.
  public static func lmdb(
    at path: String, mapBytes: Int = 1 << 40, readers: Int = 510, checksums: Bool = false
  ) -> LMDBConfiguration {
    LMDBConfiguration(path: path, mapBytes: mapBytes, readers: readers, checksums: checksums)
  }
}

extension BackendProvider where Self == SeededProvider {
  /// A store in the LMDB environment of a directory, which begins as a copy of another environment's store.
  ///
  /// See ``SeededProvider``.
  public static func lmdb(at path: String, seededFrom seed: String) -> SeededProvider {
    SeededProvider(LMDBConfiguration(path: path), from: LMDBConfiguration(path: seed), path: path)
  }
}
