import Foundation
import QuarryBackend

/// Copies the models of one state of a store, with their rows, into a store without any.
///
/// A model's rows are stored in the order of their keys, in several transactions, then its indexes are made. A mark in the
/// destination says that it is not whole, and of what, so that an interrupted copy goes on: what is there of the model that
/// was being copied are its first rows.
final class StoreCopier {
  private let source: any BackendReadTransaction
  private let target: any Backend
  private let options: CopyOptions
  private let models: [ModelSchema]
  private var report = CopyReport(
    models: [], isVerified: false, resumedRows: 0, restartReason: nil, copySeconds: 0, verificationSeconds: 0)
  private var digests: [ModelDigest] = []

  /// Bytes of rows after which what was copied is committed.
  private static let transactionBytes = 32 << 20

  private let survey: CopySurvey

  /// - Parameters:
  ///   - source: The state that is copied.
  ///   - backend: What has it.
  ///   - target: Open, and somebody else's to close.
  init(
    _ source: any BackendReadTransaction, of backend: any Backend, to target: any Backend, _ options: CopyOptions
  ) {
    self.source = source
    survey = CopySurvey(source, of: backend, target, options)
    self.target = target
    self.options = options
    models = source.schema.models
  }

  /// Copies everything.
  ///
  /// - Throws: `inUse` for a destination with models of its own, `unsupported` and `limitExceeded` for one whose engine cannot
  ///   hold what is copied, `full` for one without room, where that is known: these are left as they are; `corrupt` when the copy differs;
  ///   `CancellationError`; what reading, writing and the caller's options throw.
  func run() throws -> CopyReport {
    try source.schema.requireWhole()
    let start = ContinuousClock.now
    var counts: [Int] = []
    for model in models { counts.append(try source.count(BoundQuery(everyRowOf: model))) }
    begin(counts)
    let fingerprint = try fingerprint(counts)
    let whole = try prepare(fingerprint)
    for (place, model) in models.enumerated() {
      digests.append(try copy(model, isWhole: place < whole, CopyMark(source: fingerprint, models: place + 1)))
    }
    let copied = ContinuousClock.now
    report.copySeconds = (copied - start) / .seconds(1)
    if options.isVerified {
      try verify(fingerprint)
      report.isVerified = true
      report.verificationSeconds = (ContinuousClock.now - copied) / .seconds(1)
    }
    try finish()
    report.models = zip(models, digests).map { model, digest in
      CopyReport.Model(name: model.name, rows: digest.count, digest: digest.text)
    }
    return report
  }

  // MARK: Beginning

  /// What tells one state of one source from others.
  private func fingerprint(_ counts: [Int]) throws(StorageError) -> String {
    let schema = try SchemaCodec(escapesSlashes: false, tooNew: { _ in "" }).encode(source.schema)
    let hash = schema.withUnsafeBytes { SipHash.hash($0) }
    let version = try source.version()
    return "\(version) \(String(hash, radix: 16)) \(counts.map(String.init).joined(separator: ","))"
  }

  /// Looks at the destination, and marks it as unfinished.
  ///
  /// - Returns: How many models are whole there.
  private func prepare(_ fingerprint: String) throws -> Int {
    let read = try target.beginRead()
    let stored = read.schema
    let mark: CopyMark?
    do {
      defer { read.end() }
      mark = try CopyMark(read)
    }
    guard let mark else {
      guard stored.models.isEmpty, stored.programVersion == nil else {
        throw StorageError(.inUse, "there is a store with models at the destination")
      }
      try survey.requireModels()
      try survey.requireRows()
      try write { writer throws(StorageError) in try CopyMark(source: fingerprint, models: 0).write(writer) }
      return 0
    }
    try survey.requireModels()
    if mark.source == fingerprint { return mark.models }
    if mark.source != "" { report.restartReason = "the source is not what it was when the copy was begun" }
    try write { writer throws(StorageError) in
      for model in writer.engine.schema.models where model.name != CopyMark.name {
        try writer.apply(.dropModel(model.id))
      }
      try CopyMark(source: fingerprint, models: 0).write(writer)
    }
    return 0
  }

  // MARK: Copying

  /// - Parameters:
  ///   - isWhole: Whether an earlier copy has brought all of it; it is only read then, for its digest.
  ///   - mark: What holds when it is whole.
  private func copy(_ model: ModelSchema, isWhole: Bool, _ mark: CopyMark) throws -> ModelDigest {
    let rows = RowProjection(model)
    var digest = ModelDigest()
    let cursor = try source.cursor(BoundQuery(everyRowOf: model))
    defer { cursor.close() }
    if isWhole {
      try each(cursor, model) { row throws(StorageError) in digest.add(try rows.row(row)) }
      report.resumedRows += digest.count
      return digest
    }
    let sink = CopySink(target, Self.transactionBytes)
    defer { sink.rollback() }
    try sink.begin()
    let skipped = try sink.model(rows.model)
    report.resumedRows += skipped
    try each(cursor, model) { stored throws(StorageError) in
      let row = try rows.row(stored)
      digest.add(row)
      if digest.count > skipped { try sink.append(row) }
    }
    try sink.flush()
    for index in model.indexes { try sink.make(index, of: model) }
    try mark.write(sink.writer)
    try sink.commit()
    return digest
  }

  /// Calls the body with every row, tells the progress, and heeds that it is cancelled.
  private func each(
    _ cursor: any RowCursor, _ model: ModelSchema, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws {
    let pointers = RowPointers()
    do throws(StorageError) {
      while true {
        let count = try cursor.fill(pointers.buffer)
        if count == 0 { return }
        for row in pointers.buffer[..<count] { try body(row) }
        options.progress?.completedUnitCount += Int64(count)
        if options.progress?.isCancelled == true { break }
      }
    } catch {
      throw error.with(model: model.name)
    }
    throw CancellationError()
  }

  private func begin(_ counts: [Int]) {
    let rows = counts.reduce(0, +)
    options.progress?.totalUnitCount = Int64(options.isVerified ? 2 * rows : rows)
    options.progress?.completedUnitCount = 0
  }

  // MARK: Comparing and the end

  private func verify(_ fingerprint: String) throws {
    let read = try target.beginRead()
    defer { read.end() }
    for (model, expected) in zip(models, digests) {
      guard let stored = read.schema.model(named: model.name) else {
        throw StorageError(.corrupt, "the copy has no such model", model: model.name)
      }
      let rows = RowProjection(stored)
      var digest = ModelDigest()
      let cursor = try read.cursor(BoundQuery(everyRowOf: stored))
      defer { cursor.close() }
      try each(cursor, stored) { row throws(StorageError) in digest.add(try rows.row(row)) }
      guard digest == expected else {
        // The next copy begins anew.
        try? write { writer throws(StorageError) in try CopyMark(source: "", models: 0).write(writer) }
        throw StorageError(
          .corrupt,
          "the copy differs: \(digest.count) objects of the sum \(digest.text) where the source has "
            + "\(expected.count) of the sum \(expected.text)", model: model.name)
      }
    }
  }

  private func finish() throws(StorageError) {
    let version = source.schema.programVersion
    try write { writer throws(StorageError) in
      if let model = writer.engine.schema.model(named: CopyMark.name) { try writer.apply(.dropModel(model.id)) }
      if let version { try writer.apply(.setProgramVersion(version)) }
    }
  }

  private func write(_ body: (EngineWriter) throws(StorageError) -> Void) throws(StorageError) {
    let transaction = try target.beginWrite(WriteOptions())
    do throws(StorageError) {
      let writer = EngineWriter(transaction)
      try body(writer)
      _ = try writer.commit()
    } catch {
      transaction.rollback()
      throw error
    }
  }
}
