import Foundation
import Observation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery
import Synchronization

/// Live lists and live objects on an actor.
enum LiveCases {
  static let all: [ConformanceCase] = [
    ConformanceCase("OBS.live", ["OBS-15"], "A live list is what a fetch gives, one commit after the other.") { kit in
      let store = try kit.store(Item.self)
      try ObservationCases.fill(store)
      let screen = Screen()
      try await screen.show(store, Item.where { $0.rank != 0 }.sorted(by: \.score, order: .reverse))
      for (number, change) in [
        { try store.insert(Item(9, rank: 1, score: 2.5)) }, { try store.update(Item.self, 1) { $0.score = 99 } },
        { try store.delete(Item.self, 9) }, { try store.update(Item.self, 2) { $0.rank = 0 } },
      ].enumerated() as EnumeratedSequence<[() throws -> Void]> {
        _ = try change()
        let due = try await store.fetch(Item.where { $0.rank != 0 }.sorted(by: \.score, order: .reverse))
        try await screen.waitUntil("change \(number)") { $0 == due }
      }
      let error = await screen.error
      try expect(error == nil, "a live list has an error")
    },
    ConformanceCase("OBS.live-told", ["OBS-15"], "A reader of a live list is notified before the list changes.") {
      kit in
      let store = try kit.store(Item.self)
      let screen = Screen()
      try await screen.show(store, Item.all)
      for id in 0..<5 {
        let told = Told<Int>()
        await screen.track { told.note($0) }
        try await store.insert(Item(id))
        // It is told with the list as it was.
        try expectEqual(try told.next(), id)
        try await screen.waitUntil("\(id)") { $0.count == id + 1 }
      }
    },
    ConformanceCase("OBS.live-object", ["OBS-15"], "A live object is the stored object, and nil when it was removed.") {
      kit in
      let store = try kit.store(Item.self)
      let screen = Screen()
      try await screen.show(store, 7)
      try await screen.waitUntilOne("at first") { $0 == nil }
      try await store.insert(Item(7, name: "a"))
      try await screen.waitUntilOne("added") { $0 == "a" }
      try await store.update(Item.self, 7) { $0.name = "b" }
      try await screen.waitUntilOne("changed") { $0 == "b" }
      try await store.delete(Item.self, 7)
      try await screen.waitUntilOne("removed") { $0 == nil }
      try await store.insert(Item(7, name: "c"))
      try await screen.waitUntilOne("added again") { $0 == "c" }
    },
    ConformanceCase(
      "OBS.live-closed", ["OBS-15", "OBS-10"], "A live list keeps its objects after the store was closed."
    ) {
      kit in
      let store = try kit.store(Item.self)
      try ObservationCases.fill(store)
      let screen = Screen()
      try await screen.show(store, Item.all)
      try store.close()
      try await screen.waitUntil("after the end") { $0.count == 5 }
      let error = await screen.error
      try expect(error == nil, "a live list has an error")
      do {
        try await screen.show(store, Item.all)
        try expect(false, "a closed store has a live list")
      } catch let error as StorageError {
        try expectEqual(error.code, .closed)
      }
    },
    ConformanceCase("OBS.live-let-go", ["OBS-15", "OBS-10"], "A live list that is released observes nothing.") { kit in
      let store = try kit.store(Item.self)
      let screen = Screen()
      for _ in 0..<20 {
        try await screen.show(store, Item.all)
        await screen.forget()
      }
      try await store.insert(Item(1))
      try await screen.show(store, Item.all)
      try await screen.waitUntil("again") { $0.count == 1 }
    },
  ]
}

/// An actor that shows what is live, on a thread of its own: that of the shared pool may be busy with other cases.
private actor Screen {
  private let thread = ActorThread()
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  private var list: LiveQuery<Item>?
  private var one: LiveObject<Item>?

  func show(_ store: Store, _ query: Query<Item>) throws { list = try store.live(query) }
  func show(_ store: Store, _ key: Int) throws { one = try store.live(Item.self, key) }
  func forget() { list = nil }

  var error: (any Error)? { list?.error }

  /// Notes the number of objects when it is told that it is going to change.
  func track(_ note: @escaping @Sendable (Int) -> Void) {
    guard let list else { return }
    withObservationTracking {
      _ = list.count
    } onChange: {
      note(list.count)
    }
  }

  private var objects: [Item]? { list.map { Array($0) } }
  private var name: String?? { one.map(\.name) }

  // The waits are the case's, on its own thread: a sleeping task would be woken by the shared pool.

  nonisolated func waitUntil(
    _ about: String, file: String = #fileID, line: Int = #line, _ holds: ([Item]) -> Bool
  ) async throws {
    let end = ContinuousClock.now + .seconds(Watching.patience)
    while let objects = await objects, !holds(objects) {
      try expect(ContinuousClock.now < end, "\(about): the list is \(objects.map(\.id))", file: file, line: line)
      usleep(1_000)
    }
  }

  nonisolated func waitUntilOne(
    _ about: String, file: String = #fileID, line: Int = #line, _ holds: (String?) -> Bool
  ) async throws {
    let end = ContinuousClock.now + .seconds(Watching.patience)
    while let name = await name, !holds(name) {
      try expect(ContinuousClock.now < end, "\(about): the object is \(name ?? "nil")", file: file, line: line)
      usleep(1_000)
    }
  }
}
