import CSQLite
import Foundation
import QuarryBackend
import QuarrySystem
import Synchronization

/// The idle connections of a store.
///
/// A caller that needs another opens it, so that no caller waits.
final class SQLitePool: Sendable {
  private struct State: ~Copyable {
    var idle: [SQLiteConnection] = []
    /// The options that connections are opened with. Changes only for a store that is read without its log.
    var options: SQLiteConnection.Options
    var fileState: SQLiteFileState?
    /// The file that connections must have open; nil where it is not known, as after the store was rewritten.
    var identity: FileIdentity?
    var isClosed = false
    var isDetached = false
    /// Whether no connections are given out now.
    var isPaused = false
  }

  private let state: Mutex<State>
  private let file: SQLiteFile
  /// How many idle connections are kept.
  private let capacity: Int
  /// Connections that read.
  private let used = Atomic<Int>(0)

  init(_ file: SQLiteFile, _ options: SQLiteConnection.Options, fileState: SQLiteFileState?, capacity: Int) {
    self.file = file
    self.capacity = capacity
    state = Mutex(State(options: options, fileState: fileState))
  }

  /// The number of connections in use.
  var usedCount: Int { used.load(ordering: .relaxed) }

  /// Takes a connection, opening one where none is idle.
  ///
  /// - Throws: `closed`, `io`.
  func take() throws(StorageError) -> SQLiteConnection {
    enum Found {
      case idle(SQLiteConnection)
      case open(SQLiteConnection.Options, SQLiteFileState?)
      case closed
      case paused
    }
    while true {
      var found = Found.closed
      state.withLock { state in
        if state.isClosed { return }
        if state.isPaused {
          found = .paused
          return
        }
        used.add(1, ordering: .relaxed)
        if let connection = state.idle.popLast() {
          found = .idle(connection)
        } else {
          found = .open(state.options, state.fileState)
        }
      }
      switch found {
      case .closed: throw .storeClosed
      case .idle(let idle): return idle
      case .paused: Thread.sleep(forTimeInterval: 0.001)
      case .open(let options, let fileState):
        do throws(StorageError) {
          return try open(options, fileState)
        } catch {
          used.subtract(1, ordering: .relaxed)
          throw error
        }
      }
    }
  }

  /// Opens a connection to the file that the others have open.
  ///
  /// - Throws: `io` when the path names another file by now, or nothing; `corrupt` where something that is no file has the name
  ///   of a log by now.
  private func open(
    _ options: SQLiteConnection.Options, _ fileState: SQLiteFileState?
  ) throws(StorageError) -> SQLiteConnection {
    let isFixed = options.access == .readWrite
    // SQLite would take what it cannot open for the journal of a process that has ended, and wait for its turn to undo that.
    try file.requireOrdinaryLogs()
    let connection: SQLiteConnection
    do throws(StorageError) {
      connection = try SQLiteConnection(options)
    } catch {
      if isFixed, let identity, !identity.isNamed(by: file.path) { throw .removedOrReplaced(file.path) }
      throw error
    }
    if isFixed, let found = connection.descriptor?.identity {
      let known = state.withLock { state in
        state.identity = state.identity ?? found
        return state.identity
      }
      guard known == found else {
        connection.detachFromFiles()
        connection.close()
        throw .removedOrReplaced(file.path)
      }
    }
    try connection.configure(options)
    connection.fileState = fileState
    return connection
  }

  /// The file that connections have open; nil where it is not known.
  var identity: FileIdentity? { state.withLock { $0.identity } }

  /// Waits until no connection is in use, closes them all, and gives none until ``resume()``.
  ///
  /// - Parameter seconds: How long to wait.
  /// - Returns: Whether none is in use; if not, everything is as it was.
  func pause(_ seconds: Double) -> Bool {
    let deadline = Deadline(after: seconds)
    state.withLock { $0.isPaused = true }
    while usedCount > 0 {
      guard !deadline.hasPassed else {
        resume()
        return false
      }
      Thread.sleep(forTimeInterval: 0.001)
    }
    let old = state.withLock { state -> [SQLiteConnection] in
      defer { state.idle = [] }
      state.identity = nil
      return state.idle
    }
    for connection in old { connection.close() }
    return true
  }

  func resume() { state.withLock { $0.isPaused = false } }

  /// Takes over the connection that the store was opened with.
  func adopt(_ connection: SQLiteConnection) {
    state.withLock { $0.identity = connection.descriptor?.identity }
    used.add(1, ordering: .relaxed)
    give(connection)
  }

  /// Gives a connection back, which is in no transaction.
  func give(_ connection: SQLiteConnection) {
    var isDetached = false
    let isKept = state.withLock { state -> Bool in
      isDetached = state.isDetached
      guard !state.isClosed, state.idle.count < capacity, connection.fileState == state.fileState,
        !connection.isInTransaction
      else { return false }
      state.idle.append(connection)
      used.subtract(1, ordering: .relaxed)
      return true
    }
    guard !isKept else { return }
    if isDetached { connection.detachFromFiles() }
    connection.close()
    used.subtract(1, ordering: .relaxed)
  }

  /// Opens connections in another way from now on.
  func change(_ access: SQLiteFileAccess, _ fileState: SQLiteFileState?) {
    let old = state.withLock { state -> [SQLiteConnection] in
      state.options.access = access
      state.fileState = fileState
      defer { state.idle = [] }
      return state.idle
    }
    for connection in old { connection.close() }
  }

  /// The state of the file that connections are opened for, if it is read as unchanging.
  var fileState: SQLiteFileState? { state.withLock { $0.fileState } }

  /// Closes the idle connections; those in use are closed when they are given back.
  ///
  /// - Parameter detaches: Whether those must not touch files at their end, because the files are removed.
  func close(detaches: Bool) {
    let old = state.withLock { state -> [SQLiteConnection] in
      state.isClosed = true
      if detaches { state.isDetached = true }
      defer { state.idle = [] }
      return state.idle
    }
    for connection in old { connection.close() }
  }
}
