import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery
import Synchronization

/// Observers of a place whose commits fail, or have fewer or worse rows, or come in between.
enum MeddledObservationCases {
  static let all: [ConformanceCase] = [
    failedCommit, keysAlone, unreadableRow, committedMeanwhile, cancelledWhileRead, commitsOfAnotherSchema,
    recordsChanged,
  ]

  // MARK: The engine

  private static let failedCommit = ConformanceCase(
    "OBS.failed-commit", ["OBS-1", "OBS-3"],
    "Observers are not notified of a commit that fails, and are notified of those that follow."
  ) { kit in
    let place = MeddledPlace(try kit.makePlace())
    let store = try kit.open([Item.self], at: place)
    try ObservationCases.fill(store)
    let watched = try Watched(store, Item.all, .items)
    let commits = Pulled(store.commits())
    for id in 10..<13 {
      place.failsCommits.store(true, ordering: .sequentiallyConsistent)
      try expectError(.io) { try store.insert(Item(id + 10)) }
      place.failsCommits.store(false, ordering: .sequentiallyConsistent)
      let change = try unwrap(try watched.expectChange("\(id)") { try store.insert(Item(id)) })
      try expectEqual(change.insertions.map(\.object.id), [id])
      try expectEqual(try commits.next()?["Item"]?.inserted, [.int(Int64(id))])
    }
    try expectEqual(watched.told.count, 4)
  }

  private static let keysAlone = ConformanceCase(
    "OBS.keys-alone", ["OBS-1", "OBS-2", "OBS-4", "OBS-6"],
    "Observers receive the same changes from an engine that captures keys without rows."
  ) { kit in
    let place = MeddledPlace(try kit.makePlace(), capturesRows: false)
    let store = try kit.open([Item.self], at: place)
    try ObservationCases.fill(store)
    let object = Told<ObjectChange<Item>>()
    let token = try store.observe(Item.self, 2) { object.note($0) }
    _ = try object.next()
    let lists = [
      try Watched(store, Item.all, .items), try Watched(store, Item.where { $0.rank == 1 }, .items),
      try Watched(store, Item.all.sorted(by: \.score, order: .reverse), .items),
      try Watched(store, Item.all.sorted(by: \.score).limit(2), .items),
    ]
    for (name, score, body) in [
      ("insert", nil, { try store.insert(Item(9, rank: 1, score: 2.5)) }),
      ("update", 50, { try store.update(Item.self, 2) { $0.score = 50 } }),
      ("begins", 50, { try store.update(Item.self, 2) { $0.rank = 1 } }),
      ("ceases", 50, { try store.update(Item.self, 2) { $0.rank = 0 } }),
      ("nothing", nil, { try store.update(Item.self, 2) { $0.score += 0 } }),
      ("delete", nil, { try store.delete(Item.self, 2) }),
    ] as [(String, Double?, () throws -> Void)] {
      try body()
      // What is read again may be after several commits, so each is waited for.
      if let score { try expectEqual(try object.next(name).object?.score, score, name) }
      for (number, list) in lists.enumerated() { try list.expectTold("\(name), list \(number)") }
    }
    try expect(try object.next("the removal").object == nil, "the removal is not told")
    try expectEqual(lists.map(\.told.count), [6, 4, 6, 2])
    token.cancel()
  }

  private static let unreadableRow = ConformanceCase(
    "OBS.unreadable-row", ["OBS-1", "OBS-13"],
    "Observers are notified of a commit that also removes an object whose stored row cannot be read."
  ) { kit in
    let place = MeddledPlace(try kit.makePlace())
    let store = try kit.open([Item.self], at: place)
    try ObservationCases.fill(store)
    place.damagesRemoved.store(true, ordering: .sequentiallyConsistent)
    // The object is in none of the lists.
    let lists = [
      try Watched(store, Item.where { $0.rank == 2 }, .items),
      try Watched(store, Item.where { $0.rank == 2 }.sorted(by: \.score, order: .reverse), .items),
    ]
    for (gone, changed) in [(1, 2), (3, 5)] {
      try store.write { tx in
        try tx.delete(Item.self, gone)
        try tx.update(Item.self, changed) { $0.name = "new" }
      }
      for (number, list) in lists.enumerated() { try list.expectTold("without \(gone), list \(number)") }
    }
    try expectEqual(lists.map(\.told.count), [3, 3])
  }

  private static let committedMeanwhile = ConformanceCase(
    "OBS.committed-meanwhile", ["OBS-1"],
    "Commits while an observation begins are in the first list or come after it, and each later one is a change."
  ) { kit in
    let place = MeddledPlace(try kit.makePlace())
    let store = try kit.open([Item.self], at: place)
    let count = Mutex(0)
    place.beforeRead {
      let id = count.withLock { count in
        count += 1
        return count
      }
      try onAnotherThread { try store.insert(Item(id)) }
    }
    let changes = Pulled(store.changes(of: Item.all))
    var list = try unwrap(try changes.next()).objects.map(\.id)
    try place.endCalls()
    let begun = count.withLock { $0 }
    try expect(begun > 0, "nothing was committed meanwhile")
    for id in [begun + 1, begun + 2, begun + 3] { try store.insert(Item(id)) }
    while list.count < begun + 3 {
      let change = try unwrap(try changes.next())
      try expectEqual(change.insertions.map(\.object.id), [list.count + 1])
      list = change.objects.map(\.id)
    }
    try expectEqual(list, Array(1...(begun + 3)))
  }

  // MARK: The program

  private static let cancelledWhileRead = ConformanceCase(
    "OBS.cancelled-while-read", ["OBS-10"],
    "A sequence ends when its task is cancelled while it makes objects of a change."
  ) { kit in
    let store = try kit.store(Meddler.self)
    let key = Meddler.Key(1)
    try store.insert(Meddler(1))
    let changes = Pulled(store.changes(of: Meddler.all, keyPaths: \.second))
    try expectEqual(try changes.next()?.objects, [Meddler(1)])
    // The change is taken, and not told of.
    try store.update(Meddler.self, key) { $0.first = "new" }
    let probe = Probe { withUnsafeCurrentTask { $0?.cancel() } }
    let next = try Meddler.$probe.withValue((.reading, probe)) { try changes.next() }
    try expect(next == nil, "the sequence has a change after its end")
    try probe.expect(nil, "the cancellation")
    try store.update(Meddler.self, key) { $0.second = "new" }
    try expect(try changes.next() == nil, "the sequence has a change after its end")
  }

  private static let commitsOfAnotherSchema = ConformanceCase(
    "OBS.commits-other-schema", ["OBS-7"],
    "A commit that is taken after a model of the program was changed is notified as one of unknown objects.",
    needs: [.schemaAddProperty]
  ) { kit in
    let store = try kit.store(Item.self)
    let commits = Pulled(store.commits())
    try store.insert(Item(1))
    try store.write { tx in
      let model = try tx.model(named: "Item")
      try tx.apply(.addProperty(model.id, PropertySchema(name: "more", type: .int64, isOptional: true)))
    }
    let versions = try (0..<2).map { place in
      let commit = try unwrap(try commits.next(), "commit \(place)")
      try expectEqual(commit.isUnknown, true, "commit \(place)")
      try expectEqual(commit.models, [], "commit \(place)")
      return commit.version
    }
    try expect(versions[0] < versions[1], "the versions are \(versions)")
    try store.close()
    try expect(try commits.next() == nil, "a commit of a closed store")
  }

  private static let recordsChanged = ConformanceCase(
    "OBS.records-changed", ["OBS-13"],
    "An observed model that no type of the program stands for ends the observation when it is changed.",
    needs: [.schemaCreateModel, .schemaAddProperty]
  ) { kit in
    let store = try kit.store(Item.self)
    try store.write { tx in
      try tx.apply(.createModel(.migrating("New", .string("name"))))
      try tx.records.insert(into: "New", [Record(["id": .int(1), "name": .string("a")])])
    }
    let lists = try [
      QueryTree(model: "New"), QueryTree(model: "New", limit: 5),
      QueryTree(model: "New", predicate: .compare(.named("name"), .equal, .value(.string("none")))),
    ].map { try Watched(store, $0) }
    let other = try Watched(store, Item.all, .items)
    try store.write { tx in
      let model = try tx.model(named: "New")
      try tx.apply(.addProperty(model.id, PropertySchema(name: "more", type: .int64, isOptional: true)))
      try tx.records.insert(into: "New", [Record(["id": .int(2), "name": .string("b"), "more": .int(3)])])
    }
    for list in lists { try expectEqual((try list.told.error() as? StorageError)?.code, .schemaMismatch) }
    try other.expectChange("another model") { try store.insert(Item(1)) }
  }
}

/// A place with an engine that changes, on request, what observers depend on.
private final class MeddledPlace: BackendProvider {
  private let inner: any BackendProvider
  let capturesRows: Bool
  let failsCommits = Atomic(false)
  /// Whether the rows of removed objects come as bytes that cannot be read.
  let damagesRemoved = Atomic(false)
  private let reading = Mutex(Reading())

  private struct Reading {
    var call: (@Sendable () throws -> Void)?
    var isCalling = false
    var error: (any Error)?
  }

  init(_ inner: any BackendProvider, capturesRows: Bool = true) {
    (self.inner, self.capturesRows) = (inner, capturesRows)
  }

  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    MeddledBackend(try inner.open(options), self)
  }

  /// Sets what is called before each read begins, and not before the reads that the call begins itself.
  func beforeRead(_ call: @escaping @Sendable () throws -> Void) {
    reading.withLock { $0.call = call }
  }

  /// Ends the calls, and throws what one of them has thrown.
  func endCalls() throws {
    reading.withLock { $0.call = nil }
    while reading.withLock({ $0.isCalling }) { usleep(100) }
    if let error = reading.withLock({ $0.error }) { throw error }
  }

  fileprivate func readBegins() {
    let due = reading.withLock { reading -> (@Sendable () throws -> Void)? in
      guard !reading.isCalling, let call = reading.call else { return nil }
      reading.isCalling = true
      return call
    }
    guard let due else { return }
    let result = Result { try due() }
    reading.withLock { reading in
      reading.isCalling = false
      if case .failure(let error) = result { reading.error = error }
    }
  }
}

private final class MeddledBackend: BackendLayer, @unchecked Sendable {
  // Unchecked as its superclass is: the field is immutable and Sendable.
  private let place: MeddledPlace

  init(_ backend: any Backend, _ place: MeddledPlace) {
    self.place = place
    super.init(backend)
  }

  override var manifest: BackendManifest {
    var manifest = base.manifest
    if !place.capturesRows {
      manifest.capabilities[.captureRows] = .unsupported(reason: "a request to capture keys alone")
    }
    return manifest
  }

  override func beginRead() throws(StorageError) -> any BackendReadTransaction {
    place.readBegins()
    return try super.beginRead()
  }

  override func writeHooks() -> (any TransactionHooks)? { MeddledHooks(place: place) }
}

private struct MeddledHooks: TransactionHooks {
  let place: MeddledPlace

  func commit(_ base: Writer) throws(StorageError) -> CommitResult {
    if place.failsCommits.load(ordering: .sequentiallyConsistent) {
      base.rollback()
      throw StorageError(.io, "a requested failure")
    }
    var result = try base.commit()
    guard place.damagesRemoved.load(ordering: .sequentiallyConsistent) else { return result }
    var changes = result.changes
    changes.models = changes.models.mapValues { model in
      guard case .objects(let objects) = model else { return model }
      return .objects(
        objects.map { object in
          guard object.kind == .deletion, let old = object.old else { return object }
          return ChangeSet.Change(key: object.key, kind: .deletion, old: Row(Array(old.bytes.prefix(3))))
        })
    }
    result.changes = changes
    return result
  }
}
