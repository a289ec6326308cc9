import QuarryBackend

/// Brings the stored schema and the program's models together when a store is opened.
enum SchemaOpening {
  /// The stored schema, after what opening can do by itself was done, and what that was in words.
  ///
  /// A store that is opened for reading keeps the indexes that it has: no answer depends on them.
  ///
  /// - Throws: `schemaMismatch` for any other difference; `uniqueViolation` for a unique index that the rows do not
  ///   satisfy, and what building indexes throws. The store is then as it was.
  static func reconcile(
    _ definitions: [AnyModelDefinition], _ backend: any Backend, isReadOnly: Bool
  ) throws(StorageError) -> (Schema, changes: [String]) {
    var models: [ModelSchema] = []
    for definition in definitions { models.append(try definition.schema()) }
    let read = try backend.beginRead()
    let stored = read.schema
    read.end()
    let changes = try changes(models, stored)
    if changes.isEmpty { return (stored, []) }
    if isReadOnly {
      guard changes.allSatisfy(\.isOfIndex) else {
        throw StorageError(.schemaMismatch, "the store was opened for reading and lacks what the models need")
      }
      return (stored, [])
    }
    let write = try backend.beginWrite(WriteOptions())
    do throws(StorageError) {
      // Another process may have been quicker: what is missing is seen anew inside the write.
      var words: [String] = []
      for change in try Self.changes(models, write.schema) {
        words.append(change.describe(write.schema))
        try write.apply(change)
      }
      let schema = write.schema
      _ = try write.commit()
      return (schema, words)
    } catch {
      write.rollback()
      throw error
    }
  }

  private static func changes(_ models: [ModelSchema], _ stored: Schema) throws(StorageError) -> [SchemaChange] {
    let (changes, differences) = SchemaComparison.compare(stored: stored, code: models)
    guard differences.isEmpty else {
      throw StorageError(.schemaMismatch, differences.joined(separator: "; "))
    }
    return changes
  }
}
