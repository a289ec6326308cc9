import Foundation
import QuarryBackend

/// Copies the models of one state of a store, with their rows, into a store without any.
///
/// A model's rows are stored in the order of their keys, in several transactions, then its indexes are created. A mark in the
/// destination says that it is unfinished, which source it copies, and how far the copy came. An interrupted copy can therefore
/// continue: the existing rows of the model that was being copied are its first rows.
final class StoreCopier {
  private let source: any BackendReadTransaction
  private let target: CopyTarget
  private let options: CopyOptions
  private let models: [ModelSchema]
  private var report = CopyReport(
    models: [], isVerified: false, resumedRows: 0, restartReason: nil, copySeconds: 0, verificationSeconds: 0)
  private var digests: [ModelDigest] = []
  /// The sum of the rows of the models in `digests`.
  private var sum: UInt128 = 0
  /// Whether the destination was found to be able to hold the source. Before that it is as it was, or as it was created.
  private(set) var hasBegun = false

  /// The number of row bytes after which the copied rows are committed.
  private static let transactionBytes = 32 << 20

  private let survey: CopySurvey

  /// The source does not begin with the objects that are at the destination.
  private struct Diverged: Error {}

  /// - Parameters:
  ///   - source: The state that is copied.
  ///   - backend: The backend of the state.
  ///   - target: The open destination, which the caller closes.
  init(
    _ source: any BackendReadTransaction, of backend: any Backend, to target: any Backend, _ options: CopyOptions
  ) {
    self.source = source
    survey = CopySurvey(source, of: backend, target, options)
    self.target = CopyTarget(target)
    self.options = options
    models = source.schema.models.filter { !$0.isSequences }
  }

  /// Copies everything.
  ///
  /// - Throws: `inUse` for a destination with models of its own, `unsupported` and `limitExceeded` for one whose engine cannot
  ///   hold the copied data, `full` for one without room, where that is known: these are left as they are. `inUse` when another
  ///   program writes to the destination meanwhile; `corrupt` when the copy differs; `CancellationError`; the errors of reading,
  ///   writing and the caller's options.
  func run() throws -> CopyReport {
    try UnfinishedMark.requireWhole(source)
    let start = ContinuousClock.now
    var counts: [Int] = []
    for model in models { counts.append(try source.count(BoundQuery(everyRowOf: model))) }
    begin(counts)
    let fingerprint = try fingerprint(counts)
    let mark = try prepare(fingerprint)
    do {
      try copy(from: mark)
    } catch is Diverged {
      report.restartReason = Self.otherSource
      try copy(from: try restart(fingerprint))
    }
    let copied = ContinuousClock.now
    report.copySeconds = (copied - start) / .seconds(1)
    if options.isVerified {
      try verify()
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

  private static let otherSource = "the source has changed since the copy began"
  private static let differingCopy = "the existing copy was found to differ from its source"

  /// The fingerprint that distinguishes states of sources before a row is read. States may have it in common by chance, such as
  /// the version of two stores that were created alike. The sum of the rows in the mark then distinguishes them.
  private func fingerprint(_ counts: [Int]) throws(StorageError) -> String {
    let schema = try SchemaCodec(escapesSlashes: false, tooNew: { _ in "" }).encode(source.schema)
    let hash = schema.withUnsafeBytes { SipHash.hash($0) }
    let version = try source.version()
    return "\(version) \(String(hash, radix: 16)) \(counts.map(String.init).joined(separator: ","))"
  }

  /// Checks the destination, and marks it as unfinished.
  ///
  /// - Returns: The progress of an earlier copy that this one continues.
  private func prepare(_ fingerprint: String) throws -> UnfinishedMark {
    let read = try target.beginRead()
    let stored = read.schema
    let mark: UnfinishedMark?
    do {
      defer { read.end() }
      mark = try UnfinishedMark(read)
    }
    guard mark != nil || stored.models.isEmpty && stored.programVersion == nil else {
      throw StorageError(.inUse, "the destination already has a store with models")
    }
    try survey.requireModels()
    let there = stored.models.filter { !$0.isUnfinishedMark && !$0.isSequences }.map { ByteString($0.name) }
    if let mark, mark.work == .copy, mark.source == fingerprint {
      // The copied models, and no other: another program may have created one.
      let expected = models.prefix(mark.models + (mark.rows > 0 ? 1 : 0)).map { ByteString($0.name) }
      if there == expected {
        hasBegun = true
        return mark
      }
    }
    if there.isEmpty { try survey.requireRows() }
    if let mark, mark.work == .copy, mark.source != "" {
      report.restartReason = mark.source == UnfinishedMark.differing ? Self.differingCopy : Self.otherSource
    }
    return try restart(fingerprint)
  }

  /// Removes the content of the destination, all of it for an unfinished copy.
  private func restart(_ fingerprint: String) throws(StorageError) -> UnfinishedMark {
    hasBegun = true
    let mark = UnfinishedMark(.copy, source: fingerprint)
    try target.write { writer throws(StorageError) in
      for model in writer.schema.models where !model.isUnfinishedMark { try writer.apply(.dropModel(model.id)) }
      try mark.write(writer)
    }
    return mark
  }

  // MARK: Copying

  /// - Parameter start: The rows that exist already.
  private func copy(from start: UnfinishedMark) throws {
    digests = []
    sum = 0
    report.resumedRows = 0
    options.progress?.completedUnitCount = 0
    for (place, model) in models.enumerated() {
      let digest =
        place < start.models
        ? try read(model) : try copy(model, skipping: place == start.models ? start.rows : 0, place, start)
      digests.append(digest)
      sum &+= digest.sum
      if place + 1 == start.models, start.rows == 0, sum != start.sum { throw Diverged() }
    }
  }

  /// Reads a model that an earlier copy has brought, for its digest.
  private func read(_ model: ModelSchema) throws -> ModelDigest {
    let rows = RowProjection(model)
    var digest = ModelDigest()
    let cursor = try source.cursor(BoundQuery(everyRowOf: model))
    defer { cursor.close() }
    try each(cursor, model) { row throws(StorageError) in digest.add(try rows.row(row)) }
    report.resumedRows += digest.count
    return digest
  }

  /// - Parameter skipped: The number of its rows that exist already.
  private func copy(
    _ model: ModelSchema, skipping skipped: Int, _ place: Int, _ start: UnfinishedMark
  ) throws -> ModelDigest {
    let rows = RowProjection(model)
    var digest = ModelDigest()
    let before = sum
    var mark = start
    func reached(models: Int, rows: Int) -> UnfinishedMark {
      (mark.models, mark.rows, mark.sum) = (models, rows, before &+ digest.sum)
      return mark
    }
    let cursor = try source.cursor(BoundQuery(everyRowOf: model))
    defer { cursor.close() }
    let sink = CopySink(target, Self.transactionBytes)
    defer { sink.rollback() }
    try sink.begin()
    guard try sink.model(rows.model) == skipped else { throw Diverged() }
    report.resumedRows += skipped
    var isSame = true
    try each(cursor, model) { stored throws(StorageError) in
      let row = try rows.row(stored)
      digest.add(row)
      if digest.count > skipped {
        // The first rows were of another source: nothing more is added to them.
        if isSame { try sink.append(row, reached(models: place, rows: digest.count)) }
      } else if digest.count == skipped {
        isSame = before &+ digest.sum == start.sum
      }
    }
    guard isSame, digest.count >= skipped else { throw Diverged() }
    try sink.flush()
    for index in model.indexes { try sink.make(index, of: model) }
    try sink.commit(reached(models: place + 1, rows: 0))
    return digest
  }

  /// Calls the body with every row, reports the progress, and stops when it is cancelled.
  private func each(
    _ cursor: any RowCursor, _ model: ModelSchema, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws {
    let pointers = RowPointers()
    do throws(StorageError) {
      while true {
        let count = try cursor.fill(pointers.buffer)
        if count == 0 { return }
        for row in pointers.buffer[..<count] { try body(row) }
        options.progress?.advance(by: Int64(count))
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

  private func verify() throws {
    guard let difference = try difference() else { return }
    // The next copy begins again.
    try? target.write { writer throws(StorageError) in
      try UnfinishedMark(.copy, source: UnfinishedMark.differing).write(writer)
    }
    throw difference
  }

  /// Compares the destination with the source's rows.
  ///
  /// - Returns: The description of the first model that differs; nil where none does.
  private func difference() throws -> StorageError? {
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
        return StorageError(
          .corrupt,
          "the copy has \(digest.count) objects with the sum \(digest.text), and the source has "
            + "\(expected.count) with the sum \(expected.text)", model: model.name)
      }
    }
    return nil
  }

  private func finish() throws(StorageError) {
    let version = source.schema.programVersion
    try target.write { writer throws(StorageError) in
      var numbers: [(model: ModelID, last: UInt64)] = []
      for model in models where model.keyGeneration == .sequence {
        guard let copy = writer.schema.model(named: model.name) else { continue }
        numbers.append((copy.id, try SequenceTable.last(of: model, in: source)))
      }
      try SequenceTable.set(numbers, writer)
      try UnfinishedMark.remove(writer)
      if let version { try writer.apply(.setProgramVersion(version)) }
      try HistoryMove.end(in: writer)
      guard let history = options.destination.history else { return }
      try HistoryWish(history).carryOut(in: writer, target.backend.manifest)
    }
  }
}
