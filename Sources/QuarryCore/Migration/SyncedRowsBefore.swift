import Foundation
package import QuarryBackend

/// The rows that a migration finds in a synced store. Sync compares them with the rows after it, to record what was changed.
package enum SyncedRowsBefore {
  /// The first byte of the keys in `_quarry_sync`: `docs/formats/sync.md`.
  package static let (rowKind, schemaKind): (UInt8, UInt8) = (12, 13)
  package static let codec = SchemaCodec(escapesSlashes: false) {
    "the rows before a migration have a schema of format \($0), which this version of Quarry cannot read"
  }
  private static let rowsInBatch = 1_000

  /// Keeps all rows of the program, unless an earlier migration has kept them and sync has not seen them yet.
  ///
  /// - Complexity: O(n) for n objects. A store that is not synced keeps nothing.
  static func keep(in writer: any BackendWriteTransaction) throws(StorageError) {
    guard let area = writer.schema.models.first(where: \.isOfSync) else { return }
    let batches = Batches(area, writer)
    guard try batches.isMissing([schemaKind]) else { return }
    try batches.append([schemaKind], codec.encode(writer.schema))
    for model in writer.schema.models where !model.isInternal {
      var number: UInt64 = 0
      let prefix = [rowKind] + withUnsafeBytes(of: model.id.rawValue.bigEndian) { Array($0) }
      let cursor = try writer.cursor(BoundQuery(everyRowOf: model))
      var rows: [[UInt8]] = []
      try cursor.forEach { row throws(StorageError) in
        rows.append(Array(row))
        return true
      }
      for row in rows {
        try batches.append(prefix + withUnsafeBytes(of: number.bigEndian) { Array($0) }, row)
        number += 1
      }
    }
    try batches.flush()
  }

  /// Rows of `_quarry_sync` that are written together.
  private final class Batches {
    private let area: ModelSchema
    private let layout: RowLayout
    private let writer: any BackendWriteTransaction
    private var rows: [([UInt8], [UInt8])] = []

    init(_ area: ModelSchema, _ writer: any BackendWriteTransaction) {
      self.area = area
      self.writer = writer
      layout = RowLayout(area)
    }

    func isMissing(_ key: [UInt8]) throws(StorageError) -> Bool {
      try !writer.missing(area.id, [Key.primary(.data(Data(key)), area)]).isEmpty
    }

    func append(_ key: [UInt8], _ value: [UInt8]) throws(StorageError) {
      rows.append((key, value))
      if rows.count >= rowsInBatch { try flush() }
    }

    func flush() throws(StorageError) {
      let row = RowWriter(layout)
      var batch = RowBatch()
      for (key, value) in rows {
        row.begin()
        key.withBytes { row.set(layout.slots[0], bytes: $0) }
        value.withBytes { row.set(layout.slots[1], bytes: $0) }
        batch.append(try row.finish())
      }
      rows = []
      if batch.count > 0 { _ = try writer.upsert(area.id, batch, .replace) }
    }
  }
}
