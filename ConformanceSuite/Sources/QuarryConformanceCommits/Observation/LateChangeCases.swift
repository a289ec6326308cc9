import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery
import Synchronization

/// Changes that come late, or together, or that change bytes and no value.
enum LateChangeCases {
  static let all: [ConformanceCase] = silent + [otherBytes, movedBytes, movedBytesExpected, ownVersion]

  // MARK: Slow observers and commits without a word

  private static let silent: [ConformanceCase] = [
    ConformanceCase(
      "OBS.behind-silent", ["OBS-5", "OBS-11"],
      "A slow observer that one of many commits does not notify is notified of the others.", within: .seconds(30)
    ) { kit in
      // As many as become one: what is notified of them is notified at once, or not at all.
      let count = ChangeCounts.merged
      for silent in [0, 40, count - 1] {
        let store = try kit.store(Item.self, Plain.self)
        let held = try HeldObserver(store)
        for id in 0..<count {
          if id == silent {
            try store.write(withoutNotifying: [held.token]) { try $0.insert(Item(id)) }
          } else {
            try store.insert(Item(id))
          }
        }
        try waitUntilHandedOver(store)
        held.release()
        _ = try held.told.next()
        try expectEqual(try held.told.next("\(silent)").objects.map(\.id), Array(0..<count), "\(silent)")
        held.token.cancel()
      }
    },
    ConformanceCase(
      "OBS.behind-silent-all", ["OBS-5", "OBS-11"],
      "A slow observer is not notified of many commits that all are silent, and its list has them.",
      within: .seconds(30)
    ) { kit in
      let store = try kit.store(Item.self, Plain.self)
      let held = try HeldObserver(store)
      for id in 0..<70 { try store.write(withoutNotifying: [held.token]) { try $0.insert(Item(id)) } }
      try store.insert(Item(100))
      try waitUntilHandedOver(store)
      held.release()
      _ = try held.told.next()
      let change = try held.told.next()
      try expectEqual(change.insertions.map(\.object.id), [100])
      try expectEqual(change.objects.map(\.id), Array(0..<70) + [100])
      try expectEqual(held.told.count, 2)
      held.token.cancel()
    },
    ConformanceCase(
      "OBS.behind-silent-limit", ["OBS-5", "OBS-11"],
      "A slow observer whose list is read again is notified of the commit that follows a silent one."
    ) { kit in
      let store = try kit.store(Item.self, Plain.self)
      for _ in 0..<2 {
        try store.delete(Item.all)
        try ObservationCases.fill(store)
        let held = try HeldObserver(store, Item.all.limit(3))
        try store.write(withoutNotifying: [held.token]) { try $0.delete(Item.self, 2) }
        try store.insert(Item(0))
        try waitUntilHandedOver(store)
        held.release()
        try expectEqual(try held.told.next("the first list").objects.map(\.id), [1, 2, 3])
        let change = try held.told.next("the commit after the silent one")
        try expectEqual(change.objects.map(\.id), [0, 1, 3])
        try expect(change.insertions.map(\.place).contains(0), "the insertion is not told")
        held.token.cancel()
        try store.delete(Plain.all)
      }
    },
  ]

  /// Waits until every observer was handed all commits so far: commits are handed over one after the other, and an observer of
  /// another model has one that came after them.
  static func waitUntilHandedOver(_ store: Store, _ id: Int = 1) throws {
    let told = Told<QueryChange<Plain>>()
    let token = try store.observe(Plain.all) { told.note($0) }
    defer { token.cancel() }
    _ = try told.next("the initial list")
    try store.insert(Plain(id))
    _ = try told.next("the last commit")
  }

  // MARK: Bytes

  private static let otherBytes = ConformanceCase(
    "OBS.other-bytes", ["OBS-3", "OBS-17", "SCH-7"],
    "An object from before a property was added that is stored again with the same values is as it was.",
    needs: [.schemaAddProperty], requiresPersistence: true
  ) { kit in
    let first = ModelSchema.migrating("Book", .string("title"))
    let second = ModelSchema.migrating("Book", .string("title"), .string("note", isOptional: true))
    let rows = (1...4).map { Record(["id": .int(Int64($0)), "title": .string("t\($0)")]) }
    func row(_ id: Int, note: Value = .null) -> Record {
      Record(["id": .int(Int64(id)), "title": .string("t\(id)"), "note": note])
    }
    let stage = try MigratingStore(kit, [first], ["Book": rows])
    let store = try stage.open([second])
    let queries = [
      QueryTree(model: "Book"), QueryTree(model: "Book", limit: 3),
      QueryTree(model: "Book", order: [.init("note", isDescending: true)]),
      QueryTree(model: "Book", predicate: .compare(.named("note"), .equal, .value(.null))),
    ]
    let watched = try queries.map { try Watched(store, $0) }
    let commits = Pulled(store.commits())
    try store.records.upsert(into: "Book", [row(1)])
    try store.records.assign(QueryTree(model: "Book"), [.init("note", .set, .null)])
    try store.write { tx in
      try tx.records.delete(in: "Book", keys: [.int(3)])
      try tx.records.insert(into: "Book", [row(3)])
    }
    try store.records.upsert(into: "Book", [row(2, note: .string("n"))])
    for (place, watched) in watched.enumerated() {
      let change = try unwrap(try watched.expectTold("query \(place)"))
      try expectEqual(watched.told.count, 2, "query \(place)")
      if place < 3 { try expectEqual(change.updates.map(\.properties), [["note"]], "query \(place)") }
      watched.cancel()
    }
    try expectEqual(try commits.next()?["Book"]?.updated, [.int(2)])
  }

  /// Values of two strings that have the same bytes one after the other.
  private static let splits: [(name: String, note: String?)] = [
    ("abc", ""), ("ab", "c"), ("a", "bc"), ("", "abc"), ("abc", nil), ("", ""), ("", nil),
  ]

  private static let movedBytes = ConformanceCase(
    "OBS.late-moved-bytes", ["OBS-2", "OBS-8", "CRUD-7"],
    "Bytes that move from one string to the next are a change of both."
  ) { kit in
    let store = try kit.store(Item.self)
    try store.insert(contentsOf: [Item(1, note: ""), Item(2, note: "")])
    let all = try Watched(store, Item.all, .items)
    let told = Told<QueryChange<Item>>()
    let token = try store.observe(Item.all, keyPaths: \.note) { told.note($0) }
    _ = try told.next()
    for (name, note) in splits + splits.reversed() {
      let old = try unwrap(try store.get(Item.self, 1))
      guard old.name != name || old.note != note else { continue }
      let change = try unwrap(
        try all.expectChange("\(name)|\(note ?? "nil")") {
          try store.update(Item.self, 1) { item in (item.name, item.note) = (name, note) }
        })
      let due = (old.name != name ? ["name"] : []) + (old.note != note ? ["note"] : [])
      try expectEqual(change.updates.first?.properties, due, "\(old) to \(name)|\(note ?? "nil")")
      try expectEqual(try store.get(Item.self, 1), Item(1, name: name, note: note))
      if old.note != note { try expectEqual(try told.next().updates.first?.new.note, note) }
    }
    token.cancel()
  }

  private static let movedBytesExpected = ConformanceCase(
    "CRUD.moved-bytes", ["CRUD-7", "CRUD-9"], "An object is another where bytes moved from one string to the next."
  ) { kit in
    let store = try kit.store(Item.self)
    for (name, note) in splits {
      try store.upsert(Item(1, name: name, note: note))
      for (otherName, otherNote) in splits where otherName != name || otherNote != note {
        let other = Item(1, name: otherName, note: otherNote)
        try expectError(.conflict, "\(name)|\(note ?? "nil") \(otherName)|\(otherNote ?? "nil")") {
          try store.update(other, ifUnchangedFrom: other)
        }
        try store.write { tx in
          try expectError(.conflict) { try tx.update(other, ifStored: \.name, is: otherName + "x") }
          try tx.update(Item.self, 1) { item in (item.name, item.note) = (otherName, otherNote) }
          try expectEqual(try tx.get(Item.self, 1), other)
          try tx.update(Item.where { $0.id == 1 }) { (item: inout Item) in (item.name, item.note) = (name, note) }
          try expectEqual(try tx.get(Item.self, 1), Item(1, name: name, note: note))
        }
      }
      try store.update(Item(1, name: name, note: note), ifUnchangedFrom: Item(1, name: name, note: note))
    }
  }

  // MARK: Versions

  private static let ownVersion = ConformanceCase(
    "OBS.own-version", ["OBS-7", "OBS-14", "OBS-1"],
    "A commit of the store that is visible before its writer has returned is known by its keys, and notified of once.",
    without: ConformanceVariant.allButFresh
  ) { kit in
    // Longer than the time between two looks for commits of others.
    let store = try kit.open([Item.self], at: LateProvider(try kit.makePlace(), seconds: 0.25))
    try store.insert(Item(0))
    let commits = Pulled(store.commits())
    let watched = try Watched(store, Item.all, .items)
    for id in 1...2 {
      try watched.expectChange("\(id)") { try store.insert(Item(id)) }
      let commit = try unwrap(try commits.next())
      try expectEqual(commit.isUnknown, false, "the commit of \(id)")
      try expectEqual(commit["Item"]?.inserted, [.int(Int64(id))])
      try expectEqual(commit.version, try store.read { try $0.version })
    }
    try expectEqual(watched.told.count, 3)
  }
}

/// How many commits wait for an observer before they become one.
private enum ChangeCounts {
  static let merged = 65
}

/// An observer of items that is held in its first call.
private final class HeldObserver {
  let told = Told<QueryChange<Item>>()
  let token: ObservationToken
  private let goOn = DispatchSemaphore(value: 0)

  init(_ store: Store, _ query: Query<Item> = Item.all) throws {
    let entered = DispatchSemaphore(value: 0)
    token = try store.observe(query) { [told, goOn] change in
      if change.isInitial {
        entered.signal()
        goOn.wait()
      }
      told.note(change)
    }
    entered.wait()
  }

  func release() { goOn.signal() }
}

/// A place whose commits are visible some time before they return.
private struct LateProvider: BackendProvider {
  let inner: any BackendProvider
  let seconds: Double

  init(_ inner: any BackendProvider, seconds: Double) { (self.inner, self.seconds) = (inner, seconds) }

  func open(_ options: OpenOptions) throws(StorageError) -> any Backend {
    LateBackend(try inner.open(options), seconds)
  }
}

private final class LateBackend: BackendLayer, @unchecked Sendable {
  // Unchecked as its superclass is: the field is immutable and Sendable.
  private let seconds: Double

  init(_ backend: any Backend, _ seconds: Double) {
    self.seconds = seconds
    super.init(backend)
  }

  override func writeHooks() -> (any TransactionHooks)? { LateHooks(seconds: seconds) }
}

private struct LateHooks: TransactionHooks {
  let seconds: Double

  func commit(_ base: Writer) throws(StorageError) -> CommitResult {
    let result = try base.commit()
    Thread.sleep(forTimeInterval: seconds)
    return result
  }
}
