import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import Synchronization

/// What a repair asks of the engine, by an engine that says it keeps wrong values beside others.
enum RepairedEngineCases {
  static let all: [ConformanceCase] = [
    ConformanceCase(
      "CARE.repair-derived", ["CARE-11"],
      "A repair has the engine derive its values of every model again, while no index is there that could have the wrong ones.",
      needs: [.check, .repair, .schemaCreateIndex, .schemaDropIndex], without: ConformanceVariant.allButFresh
    ) { kit in
      let place = DerivingPlace(try kit.makePlace())
      let store = try kit.open([Item.self, Numbered.self], at: place)
      try store.insert(contentsOf: (0..<40).map { Item($0, rank: $0 % 3) })
      try store.insert(Numbered(id: 1, number: 1))
      let models = try store.models()
      try expectEqual(try store.check(), [DerivingPlace.defect])
      place.begin()
      let report = try store.repair(keeping: RowKeeper())
      let calls = place.end()
      try expectEqual(report.defects, [DerivingPlace.defect])
      try expectEqual(report.removedRows, 0)
      try expectEqual(report.remaining, [])
      for model in models {
        let own = calls.filter { $0.model == model.id }.map(\.call)
        let count = model.indexes.count
        try expectEqual(
          own,
          [.removeUnreadable] + Array(repeating: .dropIndex, count: count) + [.derive]
            + Array(repeating: .createIndex, count: count), model.name)
        let rows = DerivingPlace.corrected(model.id) == 1 ? "1 row of" : "\(DerivingPlace.corrected(model.id)) rows of"
        try expect(report.actions.contains { $0.contains("\(rows) \(model.name)") }, "\(report.actions)")
      }
      try expectEqual(try store.models().map { $0.indexes.count }, models.map { $0.indexes.count })
      try expectEqual(try store.fetch(Item.where { $0.rank == 1 }).count, 13)
    }
  ]
}

/// A place whose engine finds a defect in its own values until it was asked to derive them again, and notes the calls.
private final class DerivingPlace: BackendProvider {
  static let defect = "a value that the engine keeps beside others is wrong"

  enum Call: Sendable { case removeUnreadable, dropIndex, derive, createIndex }

  private let inner: any BackendProvider
  private let state = Mutex<(isNoting: Bool, isRight: Bool, calls: [(model: ModelID, call: Call)])>((false, false, []))

  init(_ inner: any BackendProvider) {
    self.inner = inner
  }

  /// How many rows it says to have corrected.
  static func corrected(_ model: ModelID) -> Int { model.rawValue % 2 == 0 ? 1 : 3 }

  var isRight: Bool { state.withLock { $0.isRight } }
  func begin() { state.withLock { $0.isNoting = true } }
  func end() -> [(model: ModelID, call: Call)] { state.withLock { $0.calls } }

  func note(_ call: Call, _ model: ModelID) {
    state.withLock { state in
      guard state.isNoting else { return }
      state.calls.append((model, call))
      if call == .derive { state.isRight = true }
    }
  }

  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    DerivingBackend(try inner.open(options), self)
  }
}

private final class DerivingBackend: BackendLayer, @unchecked Sendable {
  // Unchecked as its superclass is: the field is immutable and Sendable.
  private let place: DerivingPlace

  init(_ backend: any Backend, _ place: DerivingPlace) {
    self.place = place
    super.init(backend)
  }

  override func writeHooks() -> (any TransactionHooks)? { DerivingHooks(place: place) }

  override func check() throws(StorageError) -> [String] {
    try base.check() + (place.isRight ? [] : [DerivingPlace.defect])
  }
}

private struct DerivingHooks: TransactionHooks {
  let place: DerivingPlace

  func apply(_ base: Writer, _ change: SchemaChange) throws(StorageError) {
    switch change {
    case .dropIndex(let model, _): place.note(.dropIndex, model)
    case .createIndex(let model, _): place.note(.createIndex, model)
    default: break
    }
    try base.apply(change)
  }

  func removeUnreadableRows(
    _ base: Writer, _ model: ModelID, _ keep: (UnreadableRow) throws(StorageError) -> Void
  ) throws(StorageError) -> Int {
    place.note(.removeUnreadable, model)
    guard let base = base as? any RepairingWriteTransaction else { return 0 }
    return try base.removeUnreadableRows(model, keep)
  }

  func correctDerivedValues(_ base: Writer, _ model: ModelID) throws(StorageError) -> Int {
    place.note(.derive, model)
    _ = try (base as? any RepairingWriteTransaction)?.correctDerivedValues(model)
    return DerivingPlace.corrected(model)
  }
}
