/// Something that a backend may offer, by the name that manifests and errors use.
public enum Capability: String, Sendable, Hashable, Codable, CaseIterable {
  // Opening
  /// An option of opening a store.
  case openReadOnly, openDurability, openEncryption, openNamespace
  // Transactions
  /// A property of transactions.
  case transactions, snapshots, savepoints, multipleProcesses
  /// What the engine records of the changes of a commit.
  case captureKeys, captureRows
  // Queries
  /// A part of queries.
  case queryCompare, queryCompareColumns, queryText, queryTextFolding, queryNested, querySort, queryLimit, queryPaging
  /// A result of queries other than objects.
  case queryAggregate, queryGroup, queryExplain
  // Writing
  /// A statement that changes objects.
  case upsert, compareAndUpdate, updateWhere, deleteWhere
  // Indexes
  /// A kind of index.
  case indexPlain, indexUnique, indexCompound, indexDescending
  // Schema changes
  /// A change of the models of a store.
  case schemaCreateModel, schemaDropModel, schemaRenameModel
  /// A change of the properties of a model.
  case schemaAddProperty, schemaRenameProperty, schemaDropProperty, schemaChangeOptionality
  /// A change of what a property refers to, or of its delete rule.
  case schemaChangeReference
  /// A change of the indexes or of the version of a store.
  case schemaCreateIndex, schemaDropIndex, schemaRenameIndex, schemaSetVersion
  // Care of the store
  /// A call that cares for a store.
  case statistics, check, repair, compact, backup, destroy
}
