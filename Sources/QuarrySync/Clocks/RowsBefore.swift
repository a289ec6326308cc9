import Foundation
import QuarryBackend
import QuarryCore

/// The rows that a migration has found, which the core keeps for a synced store: clocks have the stamps of their values.
enum RowsBefore {
  /// The rows of the models that existed; nil where no migration has kept any.
  static func load(
    _ area: SyncArea, in transaction: any BackendReadTransaction
  ) throws(StorageError) -> [ObjectID: SyncRow]? {
    guard let bytes = try area.value(AreaKey.Kind.schemaBefore.prefix, in: transaction) else { return nil }
    let schema = try SyncedRowsBefore.codec.decode(Data(bytes))
    var tables: [ModelID: RowTable] = [:]
    for model in schema.models where !model.isInternal {
      tables[model.id] = RowTable(model, links: LinkColumns(model, among: schema.models))
    }
    var result: [ObjectID: SyncRow] = [:]
    try area.forEach(AreaKey.Kind.rowBefore.prefix, in: transaction) { key, row throws(StorageError) in
      guard key.count > 5, let table = tables[ModelID(key[1..<5].reduce(0 as UInt32) { $0 << 8 | UInt32($1) })] else {
        throw SyncReader.damaged
      }
      let (object, values) = try table.object(row)
      result[object] = values
      return true
    }
    return result
  }

  /// Whether a migration has kept rows that sync has not seen yet.
  static func areKept(in transaction: any BackendReadTransaction) throws(StorageError) -> Bool {
    guard let area = SyncArea(transaction.schema) else { return false }
    return try area.value(AreaKey.Kind.schemaBefore.prefix, in: transaction) != nil
  }

  static func remove(_ area: SyncArea, in writer: any BackendWriteTransaction) throws(StorageError) {
    guard try area.value(AreaKey.Kind.schemaBefore.prefix, in: writer) != nil else { return }
    var rows: [(key: [UInt8], value: [UInt8]?)] = [(AreaKey.Kind.schemaBefore.prefix, nil)]
    try area.forEach(AreaKey.Kind.rowBefore.prefix, in: writer) { key, _ throws(StorageError) in
      rows.append((key, nil))
      return true
    }
    try area.put(rows, in: writer)
  }
}
