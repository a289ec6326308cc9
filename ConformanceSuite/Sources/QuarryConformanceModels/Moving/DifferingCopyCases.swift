import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Copies that turn out to differ from their source, and what becomes of them.
enum DifferingCopyCases {
  /// What is done to the rows that a place is given.
  private enum Loss: String, CaseIterable {
    case row = "a-row-missing"
    case value = "a-value-changed"
    case twoRows = "two-rows-exchanged"
  }

  static let all: [ConformanceCase] =
    Loss.allCases.map { loss in
      ConformanceCase(
        "MOVE.copy-\(loss.rawValue)", ["MOVE-3", "MOVE-4"],
        "A copy that differs is corrupt and unfinished, and the next copy does not continue it.",
        requiresPersistence: true
      ) { kit in
        let moving = MovingStore(kit: kit)
        let store = try moving.store(
          [.migrating("First", .int("n")), .migrating("Second", .int("n")), .migrating("Third", .int("n"))],
          Dictionary(
            uniqueKeysWithValues: ["First", "Second", "Third"].map { name in
              (name, (0..<60).map { Record(["id": .int($0), "n": .int($0 * 3)]) })
            }), version: 2)
        let place = try kit.makePlace()
        let lossy = LossyPlace(inner: kit.undecorated(place), model: "Second", loss: loss.rawValue)
        let error = try expectError(.corrupt) { try store.copy(to: lossy) }
        try expectEqual(error.model, "Second")
        // Nobody takes it for the store.
        let refusal = try expectError(.schemaMismatch) { try moving.made(at: place) }
        try expect(refusal.message.contains("unfinished copy"), refusal.message)
        try expectError(.schemaMismatch) { try Store.copy(from: place, to: try kit.makePlace()) }
        let report = try store.copy(to: place)
        try expectEqual(report.resumedRows, 0, "rows of a copy that differed")
        try expect(report.restartReason != nil, "it is not told why the copy begins again")
        try expectEqual(report.models.map(\.rows), [60, 60, 60])
        let made = try moving.made(at: place)
        try expectSame(store, made)
        try expectEqual(made.schemaVersion, 2)
        try expectEqual(try made.check(), [])
      }
    } + [
      ConformanceCase(
        "MOVE.copy-unverified-then-verified", ["MOVE-3", "MOVE-4"],
        "A copy that continues an unverified copy is compared with its whole source.",
        requiresPersistence: true
      ) { kit in
        let moving = MovingStore(kit: kit)
        let store = try moving.store(
          [.migrating("First", .int("n")), .migrating("Second", .int("n"))],
          Dictionary(
            uniqueKeysWithValues: ["First", "Second"].map { name in
              (name, (0..<200).map { Record(["id": .int($0), "n": .int($0)]) })
            }))
        let place = try kit.makePlace()
        var options = CopyOptions()
        options.isVerified = false
        options.progress = EndingProgress(after: 300)
        let lossy = LossyPlace(inner: kit.undecorated(place), model: "First", loss: Loss.value.rawValue)
        try expectThrows(CancellationError.self) { try store.copy(to: lossy, options: options) }
        // Of the first model all rows are there, and one of them is wrong.
        let error = try expectError(.corrupt) { try store.copy(to: place) }
        try expectEqual(error.model, "First")
        let report = try store.copy(to: place)
        try expectEqual(report.resumedRows, 0)
        try expectSame(store, try moving.made(at: place))
      },
      ConformanceCase(
        "MOVE.copy-cancelled-while-compared", ["MOVE-4"],
        "A copy that is cancelled while it is compared is unfinished, and the next one brings no row.",
        requiresPersistence: true
      ) { kit in
        let moving = MovingStore(kit: kit)
        let store = try moving.store([MovingSamples.indexed], ["Indexed": MovingSamples.indexed(300)], version: 7)
        let place = try kit.makePlace()
        try expectThrows(CancellationError.self) {
          try store.copy(to: place, options: CopyOptions(progress: EndingProgress(after: 301)))
        }
        try expectError(.schemaMismatch) { try moving.made(at: place) }
        let report = try store.copy(to: place)
        try expectEqual(report.resumedRows, 300)
        try expectEqual(report.models.map(\.rows), [300])
        let made = try moving.made(at: place)
        try expectSame(store, made)
        try expectEqual(made.schemaVersion, 7)
        try expectError(.inUse) { try store.copy(to: place) }
      },
    ]
}

/// A place that loses something of the rows that are stored in one model.
private struct LossyPlace: BackendProvider {
  let inner: any BackendProvider
  let model: String
  let loss: String

  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    LossyBackend(try inner.open(options), model, loss)
  }
}

private final class LossyBackend: BackendLayer, @unchecked Sendable {
  // Unchecked because the class that it inherits from is open; what it adds is constant and Sendable.
  private let model: String
  private let loss: String

  init(_ backend: any Backend, _ model: String, _ loss: String) {
    (self.model, self.loss) = (model, loss)
    super.init(backend)
  }

  override func writeHooks() -> (any TransactionHooks)? { LossyHooks(model: model, loss: loss) }
}

private struct LossyHooks: TransactionHooks {
  let model: String
  let loss: String

  func insert(_ base: Writer, _ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    guard let schema = base.schema.model(id: model), schema.name == self.model, rows.count > 7 else {
      return try base.insert(model, rows)
    }
    try base.insert(model, try changed(rows, schema))
  }

  func load(
    _ base: Writer, _ model: ModelID, _ next: (inout RowBatch) throws(StorageError) -> Void
  ) throws(StorageError) {
    try loadByInserting(base, model, next)
  }

  private func changed(_ rows: borrowing RowBatch, _ schema: ModelSchema) throws(StorageError) -> RowBatch {
    let layout = RowLayout(schema)
    let row = RowWriter(layout)
    var ids: [(id: Value, n: Value)] = []
    try rows.forEach { _, bytes throws(StorageError) in
      let view = try RowView(bytes, layout)
      ids.append((try view.value(layout.slots[0], layout), try view.value(layout.slots[1], layout)))
    }
    switch loss {
    case "a-row-missing": ids.remove(at: 5)
    case "a-value-changed": ids[5].n = .int(-1)
    // The same objects but for two values, whose sum is the same.
    default: (ids[5].n, ids[6].n) = (ids[6].n, ids[5].n)
    }
    var batch = RowBatch()
    for (id, n) in ids {
      row.begin()
      try row.set(layout.slots[0], value: id)
      try row.set(layout.slots[1], value: n)
      batch.append(try row.finish())
    }
    return batch
  }
}
