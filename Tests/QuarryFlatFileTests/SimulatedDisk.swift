import QuarryBackend
import QuarrySystem
import Synchronization

@testable import QuarryFlatFile

/// Files in memory that know what of them would outlive a loss of power, and that fail where they are told to.
final class SimulatedDisk: FlatFileSystem {
  /// What happens at one operation that would change something or bring it to the disk.
  enum Fault {
    /// There is no room: a write writes half of its bytes.
    case full
    /// An error before anything happened, or after half of a write.
    case error
    /// It happens, and is reported as failed.
    case errorAfterwards
    /// There is no room, and nothing works after that.
    case fullThenStop
    /// The machine stops: neither this nor anything later happens.
    case stop
  }

  /// What is left of changes that were not synced.
  enum Remains: CaseIterable {
    case nothing, everything
    /// Half of the new bytes of each file.
    case half
    /// The second half of the new bytes; the first is zeros.
    case secondHalf
    /// As many bytes, all zeros.
    case zeros
  }

  struct Inode {
    var bytes: [UInt8] = []
    var synced: [UInt8] = []
    var permissions: UInt32 = 0o600
  }

  struct State {
    var names: [String: UInt64] = [:]
    var syncedNames: [String: UInt64] = [:]
    var inodes: [UInt64: Inode] = [:]
    var locks: Set<UInt64> = []
    var next: UInt64 = 1
    var operations = 0
    var syncs = 0
    var fault: (operation: Int, fault: Fault)?
    var hasStopped = false
    /// How often a lock was asked for that somebody else had.
    var refusedLocks = 0
    /// What the disk says is free; nothing when nil.
    var freeBytes: Int?
  }

  let state = Mutex(State())
  let registry = FlatFileRegistry()
  /// Is called before each sync of a file.
  let onSync: @Sendable () -> Void
  /// Is called before each sync of a directory.
  let onDirectorySync: @Sendable (SimulatedDisk) -> Void

  init(
    onSync: @escaping @Sendable () -> Void = {}, onDirectorySync: @escaping @Sendable (SimulatedDisk) -> Void = { _ in }
  ) {
    self.onSync = onSync
    self.onDirectorySync = onDirectorySync
  }

  /// A disk with one file.
  convenience init(_ path: String, _ bytes: [UInt8]) {
    self.init()
    state.withLock {
      $0.inodes[1] = Inode(bytes: bytes, synced: bytes)
      $0.names = [path: 1]
      $0.syncedNames = [path: 1]
      $0.next = 2
    }
  }

  func bytes(_ path: String) -> [UInt8]? {
    state.withLock { state in state.names[path].flatMap { state.inodes[$0]?.bytes } }
  }
  var names: [String] { state.withLock { $0.names.keys.sorted() } }
  var operations: Int { state.withLock { $0.operations } }
  var syncs: Int { state.withLock { $0.syncs } }

  /// What is there when the power comes back.
  func afterPowerLoss(_ remains: Remains, keepsNames: Bool) -> SimulatedDisk {
    let disk = SimulatedDisk()
    let old = state.withLock { ($0.names, $0.syncedNames, $0.inodes, $0.next) }
    let names = keepsNames ? old.0 : old.1
    let inodes = old.2.mapValues { inode in
      var inode = inode
      let synced = inode.synced.count
      let new = max(0, inode.bytes.count - synced)
      switch remains {
      case .nothing: inode.bytes = inode.synced
      case .everything: break
      case .half: if new > 0 { inode.bytes.removeLast(new - new / 2) }
      case .secondHalf: for place in synced..<synced + new / 2 { inode.bytes[place] = 0 }
      case .zeros: for place in synced..<synced + new { inode.bytes[place] = 0 }
      }
      inode.synced = inode.bytes
      return inode
    }
    disk.state.withLock { state in
      state.names = names
      state.syncedNames = names
      state.inodes = inodes
      state.next = old.3
    }
    return disk
  }

  /// Counts an operation, and throws where it is to fail.
  ///
  /// - Parameters:
  ///   - half: What happens of it when it fails midway.
  fileprivate func change(
    _ body: (inout State) throws(StorageError) -> Void, half: (inout State) -> Void = { _ in }
  ) throws(StorageError) {
    try state.withLock { state throws(StorageError) in
      if state.hasStopped { throw StorageError(.io, "the machine has stopped") }
      state.operations += 1
      guard let fault = state.fault, fault.operation == state.operations else { return try body(&state) }
      switch fault.fault {
      case .full:
        half(&state)
        throw StorageError(.full, "no room")
      case .fullThenStop:
        half(&state)
        state.hasStopped = true
        throw StorageError(.full, "no room")
      case .error:
        half(&state)
        throw StorageError(.io, "an error")
      case .errorAfterwards:
        try body(&state)
        throw StorageError(.io, "an error afterwards")
      case .stop:
        half(&state)
        state.hasStopped = true
        throw StorageError(.io, "the machine stops")
      }
    }
  }

  // MARK: FileSystem

  func resolve(_ path: String) -> String { path }

  func status(of path: String) throws(StorageError) -> FileStatus? {
    state.withLock { state in state.names[path].flatMap { status(&state, $0) } }
  }

  fileprivate func status(_ state: inout State, _ number: UInt64) -> FileStatus? {
    guard let inode = state.inodes[number] else { return nil }
    return FileStatus(
      identity: .init(device: 1, number: number), kind: .file, size: inode.bytes.count,
      links: state.names.values.count { $0 == number }, permissions: inode.permissions)
  }

  func open(_ path: String, _ access: FileAccess) throws(StorageError) -> (any StoreFile)? {
    if let number = state.withLock({ $0.names[path] }) { return SimulatedFile(self, number) }
    if access != .create { return nil }
    try change { state in
      state.inodes[state.next] = Inode()
      state.names[path] = state.next
      state.next += 1
    }
    return state.withLock { $0.names[path] }.map { SimulatedFile(self, $0) }
  }

  func rename(_ path: String, to newPath: String) throws(StorageError) {
    try change { state throws(StorageError) in
      guard let number = state.names[path] else { throw StorageError(.notFound, path) }
      state.names[path] = nil
      state.names[newPath] = number
    }
  }

  func names(beginningWith path: String) -> [String] {
    names.filter { $0.utf8.starts(with: path.utf8) }
  }

  func remove(_ path: String) throws(StorageError) {
    if state.withLock({ $0.names[path] == nil }) { return }
    try change { $0.names[path] = nil }
  }

  func freeBytes(beside path: String) -> Int? { state.withLock { $0.freeBytes } }

  func syncDirectory(of path: String) throws(StorageError) {
    onDirectorySync(self)
    try change { $0.syncedNames = $0.names }
  }
}

/// An opening of a file of a ``SimulatedDisk``.
final class SimulatedFile: StoreFile {
  private let disk: SimulatedDisk
  private let number: UInt64
  private let hasLock = Atomic(false)

  init(_ disk: SimulatedDisk, _ number: UInt64) {
    self.disk = disk
    self.number = number
  }

  deinit {
    unlock()
  }

  func status() throws(StorageError) -> FileStatus {
    let status = disk.state.withLock { disk.status(&$0, number) }
    guard let status else { throw StorageError(.io, "gone") }
    return status
  }

  func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws(StorageError) -> Int {
    let content = disk.state.withLock { $0.inodes[number]?.bytes ?? [] }
    let part = content.dropFirst(offset).prefix(bytes.count)
    bytes.copyBytes(from: part)
    return part.count
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
    let bytes = Array(bytes)
    func put(_ bytes: some Collection<UInt8>, _ state: inout SimulatedDisk.State) {
      guard var content = state.inodes[number]?.bytes else { return }
      let missing = offset + bytes.count - content.count
      if missing > 0 { content += [UInt8](repeating: 0, count: missing) }
      content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
      state.inodes[number]?.bytes = content
    }
    try disk.change({ put(bytes, &$0) }, half: { put(bytes.prefix(bytes.count / 2), &$0) })
  }

  func truncate(to size: Int) throws(StorageError) {
    try disk.change { state in
      guard let content = state.inodes[number]?.bytes else { return }
      let filling = [UInt8](repeating: 0, count: max(0, size - content.count))
      state.inodes[number]?.bytes = Array(content.prefix(size)) + filling
    }
  }

  func setPermissions(_ permissions: UInt32) throws(StorageError) {
    disk.state.withLock { $0.inodes[number]?.permissions = permissions }
  }

  func sync() throws(StorageError) {
    disk.onSync()
    try disk.change { state in
      state.syncs += 1
      let content = state.inodes[number]?.bytes ?? []
      state.inodes[number]?.synced = content
    }
  }

  func lock() -> Bool {
    let isMine = disk.state.withLock { state in
      let isMine = state.locks.insert(number).inserted
      if !isMine { state.refusedLocks += 1 }
      return isMine
    }
    if isMine { hasLock.store(true, ordering: .relaxed) }
    return isMine
  }

  func unlock() {
    if hasLock.exchange(false, ordering: .relaxed) { disk.state.withLock { _ = $0.locks.remove(number) } }
  }
}
