public import QuarryBackend
public import QuarryKeyValue
import Synchronization

/// Whether a snapshot was closed, for its transactions.
final class SealedSnapshotState: Sendable {
  private let closed = Atomic(false)

  @inline(__always) var isClosed: Bool { closed.load(ordering: .acquiring) }
  func close() { closed.store(true, ordering: .releasing) }
}

/// A committed state of a ``SealedEngine``: a snapshot of the base, and its root.
public final class SealedSnapshot<Base: KeyValueSnapshot>: KeyValueSnapshot {
  public var version: CommitVersion { base.version }
  private let base: Base
  private let session: SealedSession
  private let root: RootState
  private let state = SealedSnapshotState()

  init(_ session: SealedSession, _ base: Base) throws(StorageError) {
    self.session = session
    self.base = base
    do throws(StorageError) {
      let transaction = try base.beginRead()
      defer { transaction.end() }
      root = try session.state(in: transaction)
    } catch {
      base.close()
      throw error
    }
  }

  public func beginRead() throws(StorageError) -> SealedReadTransaction {
    try session.requireOpen()
    if state.isClosed { throw .snapshotClosed }
    let transaction = try base.beginRead()
    return SealedReadTransaction(session, transaction, session.reader(transaction, root), root, state)
  }

  public func close() {
    state.close()
    base.close()
  }
}

extension SealedSession {
  func beginRead(
    _ base: some KeyValueReadTransaction, _ snapshot: SealedSnapshotState?
  ) throws(StorageError) -> SealedReadTransaction {
    do throws(StorageError) {
      let state = try state(in: base)
      return SealedReadTransaction(self, base, reader(base, state), state, snapshot)
    } catch {
      base.end()
      throw error
    }
  }
}

extension RootState {
  /// The result of looking a key up without opening a page.
  enum Lookup {
    case value(UnsafeRawBufferPointer)
    case absent
    case unknown
  }

  /// Looks a key up in the pages that were opened. The value is valid as long as the state.
  func lookUp(_ tree: TreeID, _ key: UnsafeRawBufferPointer) -> Lookup {
    guard let place = place(tree) else { return .absent }
    guard var node = link(place) else { return .unknown }
    while !node.isLeaf {
      guard let child = node.link(node.childIndex(key)) else { return .unknown }
      node = child
    }
    let (index, isFound) = node.search(key)
    guard isFound else { return .absent }
    guard let value = node.value(index) else { return .unknown }
    return .value(value)
  }
}
