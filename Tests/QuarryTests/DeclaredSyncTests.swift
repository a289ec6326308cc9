import Foundation
import Quarry
import QuarryEngines
import QuarrySync
import QuarryTestSupport
import Testing

/// A model with a list that may have an object twice, and one that may not.
@Model(synced: true)
private struct Tour {
  let id: UUID
  @Relationship(.allowsDuplicates) var stops: Links<Helper>
  var guides: Links<Helper>
}

/// Models that are declared as synced, with merge rules and lists: contract SYNC-43, SYNC-8, SYNC-20.
@Suite struct DeclaredSyncTests {
  private static let schemes = ["memory", "file", "sqlite", "lmdb"]
  private let id = UUID()

  private func open(_ scheme: String, _ folder: String) throws -> Store {
    let place = scheme == "memory" ? "memory:\(UUID().uuidString)" : "\(scheme):\(folder)/\(scheme)"
    return try Store(for: Stall.self, url: place)
  }

  private func stall() -> Stall { Stall(id: id, title: "Fruit", record: nil, amount: 1, currency: "EUR") }

  @Test(arguments: schemes)
  func declaredModelsNeedNoList(_ scheme: String) throws {
    let folder = try ScratchFolder(in: ScratchFolder.memory)
    let (a, b) = (try open(scheme, folder.path), try open("memory", folder.path))
    for store in [a, b] { try store.enableSync() }
    #expect(try Set(a.enableSync().status().models) == ["Stall", "Helper", "Stall_helpers"])
    try a.insert(stall())
    let helpers = (0..<5).map { Helper(id: UUID(), name: "\($0)") }
    try a.insert(contentsOf: helpers)
    #expect(try Store.replicate(a, b).isEqual)
    for store in [a, b] { for _ in 0..<2 { try GuideSync.visit(store, id) } }
    let list = stall().helpers
    try list.append(contentsOf: helpers[0...2], in: a)
    try list.append(contentsOf: helpers[2...3], in: b)
    try list.insert(helpers[4], at: 0, in: b)
    #expect(try Store.replicate(a, b).isEqual)
    for store in [a, b] {
      let stall = try #require(try store.get(Stall.self, id))
      #expect(stall.visits == 4 && stall.goods == ["figs"])
      #expect(try Set(store.fetch(list).map(\.id)) == Set(helpers.map(\.id)))
      #expect(try store.fetch(list).first?.id == helpers[4].id)
      #expect(try store.sync?.check() == [] && store.check() == [])
    }
    try list.move(from: 0, to: 4, in: a)
    try list.remove(helpers[1], in: b)
    #expect(try Store.replicate(a, b).isEqual)
    let order = try a.fetch(list).map(\.id)
    #expect(try order == b.fetch(list).map(\.id) && order.last == helpers[4].id && order.count == 4)
    try list.replace(with: [helpers[1], helpers[4]], in: b)
    #expect(try Store.replicate(a, b).isEqual)
    #expect(try a.fetch(list).map(\.id) == [helpers[1].id, helpers[4].id])
    for store in [a, b] { try store.close() }
  }

  @Test(arguments: ["file", "sqlite", "lmdb"])
  func undoneChangesOfListsTravel(_ scheme: String) throws {
    let folder = try ScratchFolder(in: ScratchFolder.memory)
    var options = OpenOptions()
    options.history = .on(keeping: .days(30), bytes: 1 << 20)
    let a = try Store(for: Tour.self, url: "\(scheme):\(folder.path)/a", options: options)
    let b = try Store(for: Tour.self, url: "memory:\(UUID().uuidString)")
    for store in [a, b] { try store.enableSync() }
    let helper = Helper(id: UUID(), name: "Ann")
    let tour = Tour(id: id)
    try a.insert(helper)
    try a.insert(tour)
    for (list, count) in [(tour.stops, 2), (tour.guides, 1)] {
      for _ in 0..<count { try list.append(helper, in: a) }
      #expect(try Store.replicate(a, b).isEqual)
      try list.remove(helper, in: a)
      #expect(try Store.replicate(a, b).isEqual)
      #expect(try b.fetch(list).isEmpty)
      if let last = try a.history().last { try a.undo(last) }
      #expect(try Store.replicate(a, b).isEqual)
      #expect(try a.fetch(list).count == count && b.fetch(list).count == count)
      if let last = try a.history().last { try a.undo(last) }
      #expect(try Store.replicate(a, b).isEqual)
      #expect(try a.fetch(list).isEmpty && b.fetch(list).isEmpty)
      #expect(try a.sync?.check() == [] && b.sync?.check() == [] && a.check() == [])
    }
    for store in [a, b] { try store.close() }
  }

  @Test func observersSeeLists() throws {
    let folder = try ScratchFolder(in: ScratchFolder.memory)
    let store = try open("sqlite", folder.path)
    try store.enableSync()
    try store.insert(stall())
    let helper = Helper(id: UUID(), name: "Ann")
    try store.insert(helper)
    let list = stall().helpers
    let changes = CountedChanges()
    let token = try store.observe(list.query) { changes.note($0.objects.count) }
    try list.append(helper, in: store)
    try changes.wait(for: 1)
    #expect(throws: StorageError.self) { try list.append(helper, in: store) }
    try list.removeAll(in: store)
    try changes.wait(for: 0)
    token.cancel()
    #expect(try store.sync?.check() == [])
    try store.close()
  }
}

/// The last number that an observer received.
private final class CountedChanges: @unchecked Sendable {
  // Unchecked for `last`, which the lock guards.
  private let lock = NSCondition()
  private var last = -1

  func note(_ count: Int) {
    lock.withLock {
      last = count
      lock.broadcast()
    }
  }

  func wait(for count: Int) throws {
    let end = Date(timeIntervalSinceNow: 20)
    lock.lock()
    defer { lock.unlock() }
    while last != count {
      guard lock.wait(until: end) else { throw StorageError(.busy, "no change to \(count): \(last)") }
    }
  }
}
