import BenchmarkHarness
import Foundation
import QuarryBackend

/// The temporary store of one engine: made, filled, closed, opened, worked on and removed within a round.
final class DataStore {
  let engine: DataEngine
  private let folder: String
  private let rows: DataRows
  private var backend: (any Backend)?
  /// The model as this store has it.
  private var model: ModelSchema
  private let layout: RowLayout
  private let writer: RowWriter

  /// Rows that are handed to the engine together when the store is filled.
  private static let batchSize = 512

  init(_ engine: DataEngine, _ rows: DataRows, folder: String) {
    self.engine = engine
    self.rows = rows
    self.folder = folder + "/" + engine.name
    model = rows.model
    layout = rows.layout
    writer = RowWriter(rows.layout)
  }

  private func opened() throws -> any Backend {
    guard let backend else { throw BenchmarkError("\(engine.name) is not open") }
    return backend
  }

  var manifest: BackendManifest { get throws { try opened().manifest } }

  // MARK: Life

  /// Makes the store anew and fills it in one transaction.
  ///
  /// - Returns: The seconds from the begin of the transaction to the end of its commit, without those in which the rows
  ///   were put together.
  func load(_ places: [Int], _ pause: () throws -> Void) throws -> Double {
    try remove()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let backend = try engine.open(in: folder)
    self.backend = backend
    let start = Stopwatch.now()
    var apart = 0.0
    let transaction = try backend.beginWrite(WriteOptions())
    defer { transaction.end() }
    try transaction.apply(.createModel(rows.model))
    guard let stored = transaction.schema.model(named: rows.model.name), stored.properties == rows.model.properties
    else { throw WrongAnswer("the store has another model than it was told to make") }
    model = stored
    for first in stride(from: 0, to: places.count, by: Self.batchSize) {
      let aside = Stopwatch.now()
      try pause()
      var batch = RowBatch()
      for place in places[first..<min(places.count, first + Self.batchSize)] {
        try rows.withRow(place) { batch.append($0) }
      }
      apart += Stopwatch.seconds(since: aside)
      try transaction.insert(model.id, batch)
    }
    _ = try transaction.commit()
    return Stopwatch.seconds(since: start) - apart
  }

  /// Bytes of the files after a clean close, and the seconds that it takes to open the store again and read one row;
  /// nil for a store without files.
  func reopen(reading place: Int) throws -> (bytes: Int, seconds: Double)? {
    guard engine.engine.isPersistent else { return nil }
    try close()
    let bytes = try Files.bytesOnDisk(folder)
    let key = try rows.key(place)
    let start = Stopwatch.now()
    let backend = try engine.open(in: folder)
    self.backend = backend
    let isThere = try key.bytes.lent { key throws(StorageError) in try backend.withRow(model.id, key) { _ in } }
    let seconds = Stopwatch.seconds(since: start)
    guard isThere else { throw WrongAnswer("a row is gone after the store was closed and opened") }
    return (bytes, seconds)
  }

  func close() throws {
    let open = backend
    backend = nil
    try open?.close()
  }

  func remove() throws {
    try close()
    if FileManager.default.fileExists(atPath: folder) { try FileManager.default.removeItem(atPath: folder) }
  }

  // MARK: Work

  /// What can be read of the open store, on any thread.
  var reads: DataReads { get throws { DataReads(try opened(), model, layout) } }

  /// The sum of the digests of all rows, whatever their order, and how many there are.
  ///
  /// - Parameter pause: Is called now and then; it throws to end the reading.
  func state(_ pause: () throws -> Void = {}) throws -> (state: UInt64, rows: Int) {
    var state: UInt64 = 0
    var count = 0
    try reads.rows(BoundQuery(model: model.id, order: [BoundSortKey(slot: model.primaryKey)])) { row in
      state &+= try AnswerDigest.of(row, layout)
      count += 1
      if count % 4096 == 0 { try pause() }
    }
    return (state, count)
  }

  /// Reads a row by its key in a transaction of its own.
  func get(_ key: Key, _ digest: inout AnswerDigest) throws {
    if let row = try reads.digest(key) { digest.add(row: row) } else { digest.add(number: -1) }
  }

  /// Fetches the rows of a query in a transaction of its own.
  func fetch(_ query: BoundQuery, _ digest: inout AnswerDigest) throws {
    var found = 0
    try reads.rows(query) { row in
      digest.add(row: try AnswerDigest.of(row, layout))
      found += 1
    }
    digest.add(number: found)
  }

  func beginWrite() throws -> any BackendWriteTransaction {
    try opened().beginWrite(WriteOptions())
  }

  /// Makes a change inside a transaction.
  func make(_ change: OperationPlan.Change, _ transaction: any BackendWriteTransaction) throws {
    switch change {
    case .update(let key, let slot, let value):
      // As a program does it: the row is read, changed, and the property that was changed is written.
      let old = try key.bytes.lent { key throws(StorageError) in
        try transaction.row(model.id, key).map { Row(copying: $0) }
      }
      guard let old else { throw WrongAnswer("a row that is to be updated is not there") }
      let row = try changed(old, slot, value)
      try transaction.update(model.id, row, slots: [slot], expected: nil, expectedSlots: nil)
    case .insert(let place):
      var batch = RowBatch()
      try rows.withRow(place) { batch.append($0) }
      try transaction.insert(model.id, batch)
    case .delete(let key):
      let count = try transaction.delete(model.id, [key])
      guard count == 1 else { throw WrongAnswer("a row that is to be deleted is not there") }
    }
  }

  private func changed(_ old: Row, _ slot: Int, _ value: Value) throws(StorageError) -> UnsafeRawBufferPointer {
    writer.begin()
    try old.bytes.lent { bytes throws(StorageError) in
      let view = try RowView(bytes, layout)
      for other in layout.slots {
        if Int(other.index) == slot {
          try writer.set(other, value: value)
        } else {
          try writer.copy(other, from: view, layout)
        }
      }
    }
    return try writer.finish()
  }
}
