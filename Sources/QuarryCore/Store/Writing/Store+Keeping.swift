package import QuarryBackend

extension Store {
  /// The participant that keeps the records of the store; nil where it is not synced, or nothing has joined yet.
  package var keeper: (any CommitParticipant)? { pipeline.keeping.joined }

  /// Adds the participant that keeps the records of the store.
  ///
  /// - Returns: The one that is there: another call may have added one before.
  package func join(_ keeper: any CommitParticipant) -> any CommitParticipant { pipeline.keeping.join(keeper) }

  /// Removes the participant.
  package func leaveKeeping() { pipeline.keeping.leave() }

  /// Whether the store is on a server, where several machines have it open.
  package var isOnServer: Bool { backend.isOnServer }

  /// - Throws: `reentrant` inside a transaction of this store.
  package func requireNoTransaction() throws {
    guard try currentTransaction() == nil else {
      throw StorageError(.reentrant, "sync cannot run inside a transaction of the store")
    }
  }

  /// Changes the stored schema in a transaction of its own, as openings do.
  ///
  /// - Throws: The errors of the body and of the commit; `readOnly`.
  package func changeOwnModels(_ body: (any BackendWriteTransaction) throws -> Void) throws {
    try requireNoTransaction()
    guard !isReadOnly else { throw StorageError.openedForReading }
    let schema = try pipeline.transaction(WriteOptions(isSchemaChange: true)) { writer in
      try body(writer)
      return .commit(writer.schema)
    }
    pipeline.keeping.look(schema)
  }
}

extension ReadTransaction {
  /// The transaction of the engine.
  package var engineReader: any BackendReadTransaction { backend }
}

extension WriteTransaction {
  /// The transaction of the engine, for rows that are stored as they are: no reference is checked, and no key is given.
  package var engineWriter: any BackendWriteTransaction { writer }
}

extension Model {
  /// The name of the model in a store.
  package static var storedName: String { anyDefinition.name }
}
