import QuarryBackend
import Synchronization

/// The schema that was committed last, with its tables, for all connections of a store.
final class SQLiteSharedSchema: Sendable {
  private let newest = Mutex<SQLiteSchemaState?>(nil)

  /// The state with that version, which is loaded when another process has changed the schema.
  func state(
    _ version: UInt64, _ load: () throws(StorageError) -> Schema
  ) throws(StorageError) -> SQLiteSchemaState {
    if let state = newest.withLock({ $0 }), state.schema.version == version { return state }
    let schema = try load()
    guard schema.version == version else {
      throw StorageError(.corrupt, "the stored schema and its number disagree")
    }
    let state = try SQLiteSchemaState(schema)
    adopt(state)
    return state
  }

  /// Keeps a state that was committed, so that other connections need not read it from the file.
  func adopt(_ state: SQLiteSchemaState) {
    newest.withLock { current in
      // A reader of an old snapshot must not put back what it sees.
      if current.map({ $0.schema.version < state.schema.version }) ?? true { current = state }
    }
  }
}
