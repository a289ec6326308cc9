import Foundation
import QuarryBackend
import QuarryTestSupport
import Testing

/// A layer forwards every requirement of the protocols, so that no call falls back to a slower default.
@Suite struct LayerTests {
  private static let model = ModelID(7)
  private static let query = BoundQuery(model: model, order: [BoundSortKey(slot: 0)])
  private static var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

  private static let backendCalls: [String: @Sendable (any Backend) throws -> Void] = [
    "manifest": { _ = $0.manifest }, "openingReport": { _ = $0.openingReport },
    "beginRead()": { _ = try $0.beginRead() }, "beginWrite(_:)": { _ = try $0.beginWrite(WriteOptions()) },
    "withRow(_:_:_:)": { _ = try $0.withRow(model, bytes) { _ in } },
    "withRow(_:_:schema:_:)": { _ = try $0.withRow(model, bytes, schema: 1) { _ in } },
    "snapshot()": { _ = try $0.snapshot() }, "check()": { _ = try $0.check() },
    "statistics()": { _ = try $0.statistics() }, "destroy()": { try $0.destroy() }, "close()": { try $0.close() },
    "compact()": { try $0.requireCompacting().compact() },
    "space()": { _ = try $0.requireCompacting().space() },
    "backup(to:progress:)": { try $0.requireBackup().backup(to: "", progress: { _, _ in true }) },
    "quarantine()": { _ = try $0.requireQuarantining().quarantine() },
    "envelopeSlot": { _ = try $0.requireRekeying().envelopeSlot },
    "rekey(to:_:)": { try $0.requireRekeying().rekey(to: Encryption(NoKey()), .full) },
    "freeDiskBytes()": { _ = try room($0).freeDiskBytes() },
    "commitWatch()": { _ = try watched($0).commitWatch() },
    "requireInPlace()": { try watched($0).requireInPlace() },
  ]

  private static let readCalls: [String: @Sendable (any BackendReadTransaction) throws -> Void] = [
    "schema": { _ = $0.schema }, "schemaVersion": { _ = $0.schemaVersion }, "version()": { _ = try $0.version() },
    "row(_:_:)": { _ = try $0.row(model, bytes) }, "rows(_:_:_:)": { try $0.rows(model, []) { _, _ in } },
    "missing(_:_:)": { _ = try $0.missing(model, []) }, "answers(_:)": { _ = try $0.answers([]) },
    "failure": { _ = $0.failure },
    "cursor(_:)": { _ = try $0.cursor(query) }, "count(_:)": { _ = try $0.count(query) },
    "aggregate(_:)": { _ = try $0.aggregate(BoundAggregate(rows: query, columns: [])) },
    "explain(_:)": { _ = try $0.explain(query) },
    "decidesSubqueries(_:of:)": { _ = try deciding($0).decidesSubqueries(.constant(true), of: model) },
    "end()": { $0.end() },
  ]

  private static let writeCalls: [String: @Sendable (any BackendWriteTransaction) throws -> Void] = [
    "insert(_:_:)": { try $0.insert(model, RowBatch()) }, "load(_:_:)": { try $0.load(model) { _ in } },
    "upsert(_:_:_:)": { _ = try $0.upsert(model, RowBatch(), .replace) },
    "getOrInsert(_:_:)": { _ = try $0.getOrInsert(model, bytes) },
    "update(_:_:slots:expected:expectedSlots:)": {
      try $0.update(model, bytes, slots: nil, expected: nil, expectedSlots: nil)
    },
    "delete(_:_:)": { _ = try $0.delete(model, []) }, "delete(_:key:)": { _ = try $0.delete(model, key: bytes) },
    "update(_:_:)": { _ = try $0.update(query, []) }, "delete(_:)": { _ = try $0.delete(query) },
    "savepoint()": { try $0.savepoint() }, "releaseSavepoint()": { try $0.releaseSavepoint() },
    "rollbackSavepoint()": { try $0.rollbackSavepoint() }, "apply(_:)": { try $0.apply(.dropModel(model)) },
    "removeUnreadableRows(_:_:)": { _ = try repairing($0).removeUnreadableRows(model) { _ in } },
    "correctDerivedValues(_:)": { _ = try repairing($0).correctDerivedValues(model) },
    "correctDefinition(_:)": { _ = try repairing($0).correctDefinition(model) },
    "changes()": { _ = try $0.changes() }, "capturedBytes": { _ = $0.capturedBytes },
    "commit()": { _ = try $0.commit() }, "rollback()": { $0.rollback() },
  ]

  private static func room(_ backend: any Backend) throws -> any DiskSpaceReporting {
    try #require(backend as? any DiskSpaceReporting)
  }

  private static func watched(_ backend: any Backend) throws -> any WatchedBackend {
    try #require(backend as? any WatchedBackend)
  }

  private static func deciding(_ transaction: any BackendReadTransaction) throws -> any SubqueryTransaction {
    try #require(transaction as? any SubqueryTransaction)
  }

  private static func repairing(_ transaction: any BackendWriteTransaction) throws -> any RepairingWriteTransaction {
    try #require(transaction as? any RepairingWriteTransaction)
  }

  private struct NoHooks: TransactionHooks {}

  private final class HookedLayer: BackendLayer, @unchecked Sendable {
    // Unchecked because the class that it inherits from is open; it has no field of its own.
    override func readHooks() -> (any TransactionHooks)? { NoHooks() }
    override func writeHooks() -> (any TransactionHooks)? { NoHooks() }
  }

  // MARK: What layers forward

  @Test func aLayerForwardsEveryCallOfABackend() throws {
    #expect(try Set(Self.backendCalls.keys) == Requirements.of(["Backend"]), "the calls above are not all there are")
    for (name, call) in Self.backendCalls {
      let notes = Notes()
      try call(BackendLayer(NotingBackend(notes)))
      #expect(notes.take() == [name])
    }
  }

  @Test func layersOfTransactionsForwardEveryCall() throws {
    let (reads, writes) = (Set(Self.readCalls.keys), Set(Self.writeCalls.keys))
    #expect(
      try reads.union(writes) == Requirements.of(["BackendReadTransaction", "BackendWriteTransaction"]),
      "the calls above are not all there are")
    #expect(try Requirements.of(["TransactionHooks"]).count == reads.count + writes.count)
    for (name, call) in Self.readCalls {
      let notes = Notes()
      try call(ReaderLayer(NotingTransaction(notes), NoHooks()))
      #expect(notes.take() == [name])
      try call(WriterLayer(NotingTransaction(notes), NoHooks()))
      #expect(notes.take() == [name])
    }
    for (name, call) in Self.writeCalls {
      let notes = Notes()
      try call(WriterLayer(NotingTransaction(notes), NoHooks()))
      #expect(notes.take() == [name])
    }
  }

  @Test func aCapturingTransactionHandsEveryCallOn() throws {
    // The changes and their size are its own answers.
    for (name, call) in Self.writeCalls where name != "changes()" && name != "capturedBytes" {
      let notes = Notes()
      try call(NotingTransaction(notes).capturing(.keys))
      #expect(notes.take().last == name)
    }
    for (name, call) in Self.readCalls {
      let notes = Notes()
      try call(NotingTransaction(notes).capturing(.keys))
      #expect(notes.take() == [name])
    }
  }

  @Test func layersOfSnapshotsAndCursorsForwardEveryCall() throws {
    #expect(try Requirements.of(["BackendSnapshot"]) == ["version", "beginRead()", "close()"])
    #expect(try Requirements.of(["RowCursor"]) == ["fill(_:)", "close()"])
    let notes = Notes()
    let snapshot = SnapshotLayer(NotingSnapshot(notes)) { NoHooks() }
    _ = snapshot.version
    _ = try snapshot.beginRead()
    snapshot.close()
    #expect(notes.take() == ["version", "beginRead()", "close()"])
    let cursor = CursorLayer(NotingCursor(notes))
    _ = try cursor.fill(UnsafeMutableBufferPointer(start: nil, count: 0))
    cursor.close()
    #expect(notes.take() == ["fill(_:)", "close()"])
  }

  @Test func hooksOfReadsSeeSingleRowsAndSnapshots() throws {
    let notes = Notes()
    let layer = HookedLayer(NotingBackend(notes))
    _ = try layer.withRow(Self.model, Self.bytes, schema: 1) { _ in }
    #expect(notes.take() == ["beginRead()", "schemaVersion", "row(_:_:)", "end()"])
    _ = try layer.withRow(Self.model, Self.bytes) { _ in }
    #expect(notes.take() == ["beginRead()", "row(_:_:)", "end()"])
    #expect(try layer.snapshot() is SnapshotLayer)
    #expect(try layer.beginRead() is ReaderLayer)
    #expect(try layer.beginWrite(WriteOptions()) is WriterLayer)
  }
}
