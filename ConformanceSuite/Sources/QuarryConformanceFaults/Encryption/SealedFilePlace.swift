import Foundation
import QuarryBackend
import QuarryConformance
import QuarryFlatFile
import Synchronization

/// The place of a flat file that is opened, sealed and made plain with a fault.
struct SealedFilePlace: EncryptingProvider {
  let path: String
  let cipher: CipherFault?
  let key: KeyFault?

  /// What the process remembers of the stores at paths.
  private struct Memory {
    /// The last key that opened each.
    var keys: [String: Encryption] = [:]
    /// How often each is open.
    var openings: [String: Int] = [:]
  }

  private static let memory = Mutex<Memory>(Memory())

  private var inner: FlatFileConfiguration { FlatFileConfiguration(path: path, compaction: .manual) }
  private var remembered: Encryption? { Self.memory.withLock { $0.keys[path] } }
  private var isOpen: Bool { Self.memory.withLock { $0.openings[path, default: 0] > 0 } }

  func remember(_ encryption: Encryption) { Self.memory.withLock { $0.keys[path] = encryption } }
  func wasClosed() { Self.memory.withLock { $0.openings[path, default: 0] -= 1 } }

  /// The key with its fault.
  func faulty(_ encryption: Encryption) -> Encryption {
    guard let cipher else { return encryption }
    return Encryption(FaultyKey(inner: encryption.key, fault: cipher))
  }

  // MARK: Opening

  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    var options = options
    options.encryption = options.encryption.map(faulty)
    let backend = try opened(&options)
    if let encryption = options.encryption { remember(encryption) }
    Self.memory.withLock { $0.openings[path, default: 0] += 1 }
    return SealedFileBackend(backend, self, options)
  }

  /// - Parameter options: Become those with which it was opened.
  private func opened(_ options: inout OpenOptions) throws(StorageError) -> any Backend {
    do throws(StorageError) {
      return try inner.open(options)
    } catch {
      switch (key, error.code) {
      case (.keyRemembered, .keyRequired): options.encryption = remembered
      case (.readerNeedsNoKey, .keyRequired) where options.isReadOnly: options.encryption = remembered
      case (.secondOpeningNeedsNoKey, .keyRequired) where isOpen: options.encryption = remembered
      case (.rekeyKeepsOldKey, .wrongKey): options.encryption = remembered
      case (.needlessKeyIgnored, .notEncrypted): options.encryption = nil
      case (.needlessKeyEncrypts, .notEncrypted): try inner.reencrypt(from: nil, to: options.encryption)
      case (.sealedReplaced, .keyRequired): try? FileManager.default.removeItem(atPath: path)
      default:
        leaveTrace(of: error)
        throw renamed(error)
      }
      return try inner.open(options)
    }
  }

  private func renamed(_ error: StorageError) -> StorageError {
    let code: StorageError.Code
    switch (key, error.code) {
    case (.noKeyIsWrongKey, .keyRequired), (.needlessKeyIsWrongKey, .notEncrypted): code = .wrongKey
    case (.noKeyIsCorrupt, .keyRequired): code = .corrupt
    case (.wrongKeyIsKeyRequired, .wrongKey): code = .keyRequired
    case (.damagedSlotsAreWrongKey, .corrupt) where error.message.contains("slots"): code = .wrongKey
    default: return error
    }
    return StorageError(code, error.message)
  }

  private func leaveTrace(of error: StorageError) {
    guard error.code == .wrongKey else { return }
    if key == .wrongKeyLeavesFile { try? Data("refused".utf8).write(to: URL(fileURLWithPath: path + ".refused")) }
    if key == .wrongKeyWrites, let handle = try? FileHandle(forWritingTo: URL(fileURLWithPath: path)) {
      _ = try? handle.seekToEnd()
      try? handle.write(contentsOf: Data(repeating: 0, count: 8))
      try? handle.close()
    }
  }

  // MARK: Sealing

  func envelopeSlot() throws(StorageError) -> EnvelopeSlot? { try inner.envelopeSlot() }

  func reencrypt(from old: Encryption?, to new: Encryption?) throws(StorageError) {
    if key == .encryptDoesNothing, new != nil { return }
    if key == .decryptDoesNothing, new == nil { return }
    if key == .encryptKeepsPlain, old == nil { try? FileManager.default.copyItem(atPath: path, toPath: path + ".old") }
    do throws(StorageError) {
      switch key {
      case .plainCopyMeanwhile where old == nil: try reencryptBesideCopy(to: new)
      case .replacedInTwoSteps: try replace(from: old, to: new)
      default: try inner.reencrypt(from: old.map(faulty), to: new.map(faulty))
      }
    } catch {
      switch (key, error.code) {
      case (.encryptOfOpenSilent, .inUse), (.encryptOfSealedSilent, .keyRequired),
        (.decryptOfPlainSilent, .notEncrypted):
        return
      case (.decryptWithAnyKey, .wrongKey): return try inner.reencrypt(from: remembered, to: nil)
      case (.encryptOfNothingMakes, .notFound):
        try inner.open(OpenOptions()).close()
        return try inner.reencrypt(from: nil, to: new)
      default: throw error
      }
    }
    if key == .encryptLosesObject, let new {
      var options = OpenOptions()
      options.encryption = faulty(new)
      let backend = try inner.open(options)
      try backend.removeFirstObjects()
      try backend.close()
    }
  }
}

extension SealedFilePlace {
  private func reencryptBesideCopy(to new: Encryption?) throws(StorageError) {
    let copy = path + ".old"
    try? FileManager.default.copyItem(atPath: path, toPath: copy)
    defer { unlink(copy) }
    try inner.reencrypt(from: nil, to: new)
  }

  /// Writes a copy of the store anew, and puts it into the place of the store, which is removed before.
  private func replace(from old: Encryption?, to new: Encryption?) throws(StorageError) {
    let copy = path + ".copy"
    defer { unlink(copy) }
    // Refused as it would be.
    var options = OpenOptions()
    options.createsIfMissing = false
    options.encryption = old
    let backend = try inner.open(options)
    try backend.requireBackup().backup(to: copy) { _, _ in true }
    try backend.close()
    if isOpen { return try inner.reencrypt(from: old, to: new) }
    try FlatFileConfiguration(path: copy).reencrypt(from: old, to: new)
    unlink(path)
    rename(copy, path)
  }
}

/// A flat file whose key is treated with a fault while it is open.
private final class SealedFileBackend: BackendLayer, @unchecked Sendable {
  // Unchecked because the class that it inherits from is open; what it adds is constant or locked.
  private let place: SealedFilePlace
  private let encryption: Mutex<Encryption?>
  private let isClosed = Atomic(false)
  private var fault: KeyFault? { place.key }

  init(_ backend: any Backend, _ place: SealedFilePlace, _ options: OpenOptions) {
    self.place = place
    encryption = Mutex(options.encryption)
    super.init(backend)
  }

  // MARK: The key

  override var envelopeSlot: EnvelopeSlot? {
    guard fault != .slotUntold, var slot = super.envelopeSlot else { return nil }
    if fault == .slotDerivation { slot.derivation = .hkdf }
    return slot
  }

  override func rekey(to new: Encryption, _ extent: RekeyExtent) throws(StorageError) {
    let new = place.faulty(new)
    if fault == .rekeyDoesNothing { return }
    do throws(StorageError) {
      switch fault {
      case .fullOnlyWraps: try super.rekey(to: new, .wrappingOnly)
      case .wrappingWritesAll: try super.rekey(to: new, .full)
      default: try super.rekey(to: new, extent)
      }
    } catch {
      if fault == .rekeyOfReaderSilent, error.code == .readOnly { return }
      if fault == .rekeyOfPlainSilent, error.code == .notEncrypted { return }
      throw error
    }
    encryption.withLock { $0 = new }
    place.remember(new)
    if fault == .rekeyLosesObject { try removeFirstObjects() }
    if fault == .rekeyCloses { try close() }
  }

  override func check() throws(StorageError) -> [String] {
    let defects = try super.check()
    return fault == .checkSilent ? [] : defects
  }

  // MARK: What is made of the store

  /// Makes a sealed file plain.
  private func expose(_ path: String) {
    guard let key = encryption.withLock({ $0 }) else { return }
    try? FlatFileConfiguration(path: path).reencrypt(from: key, to: nil)
  }

  override func compact() throws(StorageError) {
    try super.compact()
    guard fault == .compactionLeavesPlain else { return }
    let copy = place.path + ".compacted"
    try? FileManager.default.removeItem(atPath: copy)
    try super.backup(to: copy) { _, _ in true }
    expose(copy)
  }

  override func backup(to path: String, progress: @escaping BackupProgress) throws(StorageError) {
    try super.backup(to: path, progress: progress)
    if fault == .backupPlain { expose(path) }
  }

  override func quarantine() throws(StorageError) -> String {
    let path = try super.quarantine()
    if fault == .quarantinePlain { expose(path) }
    return path
  }

  override func beginWrite(_ options: WriteOptions) throws(StorageError) -> any BackendWriteTransaction {
    let writer = try super.beginWrite(options)
    guard fault == .namesBeside else { return writer }
    let path = place.path + ".names"
    let hooks = EndHooks { [base] in
      guard let reader = try? base.beginRead() else { return }
      defer { reader.end() }
      let names = reader.schema.models.map(\.name).joined(separator: "\n")
      try? Data(names.utf8).write(to: URL(fileURLWithPath: path))
    }
    return WriterLayer(writer, hooks)
  }

  override func close() throws(StorageError) {
    if !isClosed.exchange(true, ordering: .sequentiallyConsistent) { place.wasClosed() }
    try super.close()
  }
}
