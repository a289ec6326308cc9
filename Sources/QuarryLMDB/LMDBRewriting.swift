import CLMDB
public import QuarryBackend
import QuarryKeyValue
import QuarrySealed
import QuarrySystem

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Rewrites a closed store, sealed, plain or with checksums, and puts the result into the place of the old one.
///
/// The new store is created in a directory inside the old one's and compared with it entry by entry. Its file then takes the
/// place of `data.mdb` in one step, while only this process has the store open. A process that is killed leaves the old store or
/// the new one; the directory is removed by the next opening of the store for writing.
struct LMDBRewriting {
  private let configuration: LMDBConfiguration
  private let source: LMDBEngine
  private let old: Encryption?
  private let new: Encryption?
  private let addsChecksums: Bool
  private let files = SystemFileSystem()

  /// Opens the store that is to be rewritten.
  ///
  /// - Throws: The errors of opening it.
  init(
    _ configuration: LMDBConfiguration, from old: Encryption?, to new: Encryption?, addsChecksums: Bool = false
  ) throws(StorageError) {
    self.configuration = configuration
    self.old = old
    self.new = new
    self.addsChecksums = addsChecksums
    var options = OpenOptions()
    options.createsIfMissing = false
    options.encryption = old
    source = try LMDBEngine(configuration, options)
  }

  func run() throws(StorageError) {
    defer { try? source.close() }
    let file = source.store.file
    if addsChecksums, source.environment.options.format.hasPages { return }
    // The slots are checked, and mended, before other users are kept from writing.
    let opened = try source.above(old)
    try requireAlone(source.environment)
    let environment = try source.enter(0)
    defer {
      environment.gate.leave()
      environment.letGo()
    }
    file.removeCopy()
    defer { file.removeCopy() }
    let version = environment.lastTransaction
    if let opened {
      try write(opened, trees: opened.treesWithEntries())
    } else {
      let (environment, transaction, table) = try source.begin()
      environment.giveReader(transaction)
      try write(source, trees: table.all.map(\.tree))
    }
    try finish(file, environment, version)
    try exchange(file, environment, version)
  }

  /// - Throws: `inUse`; `unsupported` for a file with other names.
  private func requireAlone(_ environment: LMDBEnvironment) throws(StorageError) {
    let store = source.store
    if store.users > 1 { throw .openTwice(store) }
    if let other = environment.otherProcess() ?? environment.otherUserOfLMDB() { throw .open(store, in: other) }
    if let status = try LMDBFile.status(store.file.dataPath), status.links != 1 {
      throw .unsupported(
        .openEncryption, "\(store.file.dataPath) has other names, which would be left with the old content")
    }
  }

  // MARK: Writing

  private func write(_ from: some KeyValueEngine, trees: [TreeID]) throws(StorageError) {
    var place = configuration
    place.path = source.store.file.rewrittenPath
    // Inside of the store's directory, which is on the store's disk.
    try files.requireRoom(for: place.path, about: source.store.file.byteCount) { () throws(StorageError) in
      try Self.entryBytes(from, trees)
    }
    place.checksums = addsChecksums || place.checksums
    var options = OpenOptions()
    options.encryption = new
    let engine = try LMDBEngine(place, options)
    defer { try? engine.close() }
    if let above = try engine.above(new) {
      try copy(from, to: above, trees)
    } else {
      try copy(from, to: engine, trees)
    }
  }

  /// Bytes of all keys and values: no store with them is smaller.
  private static func entryBytes(_ engine: some KeyValueEngine, _ trees: [TreeID]) throws(StorageError) -> Int {
    let read = try engine.beginRead()
    defer { read.end() }
    var bytes = 0
    for tree in trees {
      var cursor = try read.cursor(tree, .all, descending: false)
      while let (key, value) = try cursor.next() { bytes += key.count + value.count }
    }
    return bytes
  }

  /// Copies every entry, and compares.
  private func copy(
    _ from: some KeyValueEngine, to target: some KeyValueEngine, _ trees: [TreeID]
  ) throws(StorageError) {
    let read = try from.beginRead()
    defer { read.end() }
    let write = try target.beginWrite(timeout: 0)
    defer { write.end() }
    for tree in trees.sorted() {
      var cursor = try read.cursor(tree, .all, descending: false)
      while let (key, value) = try cursor.next() { _ = try write.put(tree, key, value) }
    }
    _ = try write.commit()
    let written = try target.beginRead()
    defer { written.end() }
    for tree in trees {
      var (left, right) = (
        try read.cursor(tree, .all, descending: false), try written.cursor(tree, .all, descending: false)
      )
      while let (key, value) = try left.next() {
        guard let copy = try right.next(), key.elementsEqual(copy.key), value.elementsEqual(copy.value) else {
          throw StorageError(.io, "the rewritten store differs from the original, which stays as it is")
        }
      }
      guard try right.next() == nil else {
        throw StorageError(.io, "the rewritten store has more than the original, which stays as it is")
      }
    }
  }

  /// Continues the commit numbers of the old file in the new one, and syncs it to the disk.
  private func finish(_ file: LMDBFile, _ environment: LMDBEnvironment, _ version: Int) throws(StorageError) {
    let path = file.rewrittenPath + "/data.mdb"
    guard let status = try LMDBFile.status(file.dataPath), let copy = try files.open(path, .readWrite) else {
      throw .replaced(file)
    }
    try LMDBVersion.set(UInt64(version), in: copy, pageSize: environment.pageSize, path)
    try copy.setPermissions(status.permissions)
    try copy.sync()
  }

  // MARK: The exchange

  /// The steps that no opening of the store may interrupt.
  private func exchange(
    _ file: LMDBFile, _ environment: LMDBEnvironment, _ version: Int
  ) throws(StorageError) {
    try LMDBRegistry.shared.withOnlyUser(of: source.store) { () throws(StorageError) in
      let alone = try LMDBDirectoryLock(exclusive: file)
      defer { alone.end() }
      try requireAlone(environment)
      guard environment.lastTransaction == version else {
        throw StorageError(.busy, "a program without Quarry wrote to \(file.path) meanwhile")
      }
      guard let status = try LMDBFile.status(file.dataPath), status.identity == environment.identity,
        status.links == 1, !SystemPath.isLink(file.dataPath), !SystemPath.isLink(file.lockPath)
      else { throw .replaced(file) }
      if let lock = try LMDBFile.status(file.lockPath) {
        _ = chmod(file.rewrittenPath + "/lock.mdb", mode_t(lock.permissions))
      }
      try files.rename(file.rewrittenPath + "/data.mdb", to: file.dataPath)
      // From here on the new file is the store.
      try files.rename(file.rewrittenPath + "/lock.mdb", to: file.lockPath)
      try files.syncDirectory(of: file.dataPath)
    }
  }
}

extension LMDBConfiguration: ChecksummingProvider {
  /// Rewrites a closed store with checksums. A store that has them already stays as it is.
  ///
  /// - Throws: `notFound`; `inUse` when it is open anywhere; `keyRequired` for an encrypted store; `corrupt`, `full`, `io`. The
  ///   store is then as it was.
  /// - Complexity: The cost of rewriting the store; meanwhile it takes as much room again.
  public func addChecksums() throws(StorageError) {
    try LMDBRewriting(self, from: nil, to: nil, addsChecksums: true).run()
  }
}

extension LMDBConfiguration: EncryptingProvider {
  public func reencrypt(from old: Encryption?, to new: Encryption?) throws(StorageError) {
    try LMDBRewriting(self, from: old, to: new).run()
  }

  /// Reads the slot from the file that is there, and opens nothing of what is sealed.
  ///
  /// - Throws: `notFound`, `corrupt`, `schemaTooNew`, `io`.
  public func envelopeSlot() throws(StorageError) -> EnvelopeSlot? {
    let file = try LMDBFile(path)
    var options = OpenOptions()
    options.isReadOnly = true
    options.createsIfMissing = false
    let engine: LMDBEngine
    do throws(StorageError) {
      engine = try LMDBEngine(self, options, .sealed)
    } catch {
      if error.code == .notEncrypted { return nil }
      throw error
    }
    defer { try? engine.close() }
    guard let slot = try SealedEngine.envelopeSlot(of: engine) else { throw .noStore(at: file.path) }
    return slot
  }
}
