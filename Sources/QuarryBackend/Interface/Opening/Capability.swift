/// Something that a backend may offer, by the name that manifests and errors use.
public enum Capability: String, Sendable, Hashable, Codable, CaseIterable {
  // Opening
  case openReadOnly, openDurability, openEncryption, openNamespace
  // Transactions
  case transactions, snapshots, savepoints, multipleProcesses
  case captureKeys, captureRows
  // Queries
  case queryCompare, queryCompareColumns, queryText, queryTextFolding, queryNested, querySort, queryLimit, queryPaging
  case queryAggregate, queryGroup, queryExplain
  // Writing
  case upsert, compareAndUpdate, updateWhere, deleteWhere
  // Indexes
  case indexPlain, indexUnique, indexCompound, indexDescending
  // Schema changes
  case schemaCreateModel, schemaDropModel, schemaRenameModel
  case schemaAddProperty, schemaRenameProperty, schemaDropProperty, schemaChangeOptionality
  case schemaChangeReference
  case schemaCreateIndex, schemaDropIndex, schemaRenameIndex, schemaSetVersion
  // Care of the store
  case statistics, check, repair, compact, backup, destroy
}
