import CLMDB
import QuarryBackend
import QuarrySystem
import Synchronization

/// The environments of one store in this process, one after the other.
///
/// A compaction gives the store a new file, and with it a new environment. Transactions begun on an older one end there.
///
/// Sendable: mutable state is under the lock. The newest environment is also kept as a number, so that readers take no lock. All
/// environments stay alive as objects until the store is closed, because a thread may have loaded that number just before it
/// changed. Their files are closed with their last transactions.
final class LMDBEnvironmentHistory: Sendable {
  private struct State {
    var current: LMDBEnvironment
    var former: [LMDBEnvironment] = []
  }

  let file: LMDBFile
  let processID: Int32
  /// The process, as it is counted by forks.
  let generation: UInt32
  private let state: Mutex<State>
  private let bits: Atomic<UInt>

  init(_ first: LMDBEnvironment) {
    file = first.file
    processID = first.processID
    generation = first.generation
    bits = Atomic(Self.bits(of: first))
    state = Mutex(State(current: first))
  }

  private static func bits(of environment: LMDBEnvironment) -> UInt {
    UInt(bitPattern: Unmanaged.passUnretained(environment).toOpaque())
  }

  /// Whether this is a child of the process that opened it.
  @inline(__always) var isForked: Bool { generation != LMDBProcess.generation }

  /// The newest environment, without a lock: all that there were stay alive as long as this does.
  var current: LMDBEnvironment {
    guard let pointer = UnsafeRawPointer(bitPattern: bits.load(ordering: .acquiring)) else {
      return state.withLock { $0.current }
    }
    return Unmanaged<LMDBEnvironment>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Whether it is the newest environment.
  @inline(__always)
  func isCurrent(_ environment: LMDBEnvironment) -> Bool {
    bits.load(ordering: .acquiring) == Self.bits(of: environment)
  }

  /// Calls the body with the newest environment, without a lock and without counting a reference, which all reading threads would
  /// otherwise write to.
  ///
  /// Its file may be closed by then, where another has become the newest.
  @inline(__always)
  func withCurrent<R>(_ body: (LMDBEnvironment) throws(StorageError) -> R) throws(StorageError) -> R {
    guard let pointer = UnsafeRawPointer(bitPattern: bits.load(ordering: .acquiring)) else { throw .storeClosed }
    let result: Result<R, StorageError> = Unmanaged<LMDBEnvironment>.fromOpaque(pointer)._withUnsafeGuaranteedRef {
      environment in
      do throws(StorageError) {
        return .success(try body(environment))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// The newest environment, kept open by the caller until ``LMDBEnvironment/letGo()``.
  func held() throws(StorageError) -> LMDBEnvironment {
    while true {
      let environment = current
      do throws(StorageError) {
        try environment.hold()
        return environment
      } catch {
        if isCurrent(environment) { throw error }
      }
    }
  }

  // MARK: Users

  /// The number of engines that have the store open.
  var users: Int { state.withLock { $0.current.users } }

  func addUser(_ options: LMDBEnvironment.Options) throws(StorageError) {
    try state.withLock { state throws(StorageError) in try state.current.addUser(options) }
  }

  func removeUser() {
    let (environment, isLast) = state.withLock { state in (state.current, state.current.dropUser()) }
    if isLast { environment.endUse() }
  }

  /// Makes another environment the newest, with the users of the one before. Only for the registry.
  func replace(with environment: LMDBEnvironment) {
    let old = state.withLock { state in
      let old = state.current
      environment.takeUsers(of: old)
      state.former.append(old)
      state.current = environment
      bits.store(Self.bits(of: environment), ordering: .releasing)
      return old
    }
    old.retire()
  }
}
