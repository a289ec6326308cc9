import Foundation
import QuarryBackend
import QuarryQuery

/// The passes over rows that are read and rewritten.
extension StoreMigrator {
  func startProgress(_ passes: [Pass]) throws(StorageError) {
    guard let progress else { return }
    var total = 0
    for source in passes.compactMap(\.source) { total += try writer.count(BoundQuery(everyRowOf: source)) }
    // The stages of a plan follow each other.
    progress.totalUnitCount = progress.completedUnitCount.addingClamped(Int64(total))
  }

  /// Reads the rows of a stored model, and stores the results of the steps.
  func read(
    _ pass: Pass, _ inserter: Inserter, _ context: MigrationContext
  ) throws {
    guard let old = pass.source, let named = pass.named, let source = writer.schema.model(id: old.id) else {
      return
    }
    let start = ContinuousClock.now
    var step = MigrationReport.Step("the objects of \(named.name) were read")
    var visits: [(OldObject) throws -> Void] = []
    for case .visit(let body) in pass.steps { visits.append(body) }
    var translation: RowTranslation?
    var transform: (any ObjectTransform)?
    if let name = pass.target {
      let target = try inserter.model(name.string)
      for case .transform(let typed) in pass.steps { transform = typed }
      try transform?.begin(target)
      if transform == nil {
        translation = try RowTranslation(source, named: named, target, pass.steps, context.misuse)
      }
      step.text =
        pass.isOfOneModel
        ? "the objects of \(name.string) were created again"
        : "objects of \(name.string) were created from those of \(named.name)"
    }
    let objects = OldObjects(source, named: named, context.misuse)
    let cursor = try writer.cursor(BoundQuery(everyRowOf: source))
    defer { cursor.close() }
    inserter.beginReading(source.id)
    defer { inserter.endReading() }
    let rows = RowPointers()
    while true {
      let count = try cursor.fill(rows.buffer)
      if count == 0 { break }
      if let progress {
        if progress.isCancelled { throw CancellationError() }
        progress.advance(by: Int64(count))
      }
      // Rows that are read are lent until something is written; the writes of closures are held back until the rows are read.
      var made = RowBatch()
      for row in rows.buffer[..<count] {
        step.rowsRead += 1
        if let transform {
          if let new = try transform.row(row, coding: { context.begin($0) }) { made.append(new) }
        } else if let translation {
          if let new = try translation.row(row) { made.append(new) }
          if translation.hasFailed, !isRehearsal { break }
        } else {
          let object = try objects.object(row)
          for body in visits { try body(object) }
          if let error = context.misuse.error { throw error }
        }
      }
      step.rowsWritten += made.count
      if let name = pass.target {
        try made.forEach { _, row throws(StorageError) in try inserter.insert(row, into: name.string) }
      }
      try inserter.flushFull()
      if let translation, translation.hasFailed, !isRehearsal { break }
    }
    if let translation {
      let failed = translation.failures.filter { $0.count > 0 }
      for failure in failed {
        if let error = failure.error(isCounted: isRehearsal || !translation.hasFailed) {
          failures.append(MigrationReport.Failure(failure, error))
        }
      }
      if !isRehearsal, let error = failures.first?.error { throw error }
    }
    step.seconds = (ContinuousClock.now - start) / .seconds(1)
    steps.append(step)
  }
}
