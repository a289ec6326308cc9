import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarrySync
import QuarrySyncHTTP
import Testing

/// Stores that are kept in step.
@Suite struct RunnerTests {
  /// Waits for something for up to half a minute, as other tests take the processors.
  private func eventually(_ what: String, _ isTrue: () throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(30)
    while try !isTrue() {
      guard ContinuousClock.now < end else {
        Issue.record("not in time: \(what)")
        return
      }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  private func running(_ runners: [SyncRunner], _ body: () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for runner in runners { group.addTask { try await runner.run() } }
      try await body()
      group.cancelAll()
      try await group.waitForAll()
    }
    for runner in runners { #expect(runner.status.phase == .stopped) }
  }

  @Test func changesGoBothWaysWithoutDelay() async throws {
    let (a, b, server) = (try Place("sqlite"), try Place("lmdb"), try Place("sqlite"))
    let served = try await Served(server)
    let runners = try [SyncRunner(a.store, with: served.remote()), SyncRunner(b.store, with: served.remote())]
    try await running(runners) {
      try await eventually("both wait") { runners.allSatisfy { $0.status.phase == .waiting } }
      for number in 1...5 {
        let begin = ContinuousClock.now
        try a.note(number, "from a")
        try await eventually("a note at b") { try b.count("Note") == number }
        // A poll lasts 25 seconds: the change did not wait for its end.
        #expect(ContinuousClock.now - begin < .seconds(15))
      }
      try server.note(6, "from the server")
      try await eventually("six at both") { try a.count("Note") == 6 && b.count("Note") == 6 }
      try await eventually("agreement") {
        runners.allSatisfy { $0.status.phase == .waiting && $0.status.pending == 0 && $0.status.lastAgreed != nil }
      }
    }
    #expect(try a.sync.digest() == b.sync.digest())
    #expect(runners.allSatisfy { $0.status.problem == nil })
  }

  @Test func idlePollsWriteNothing() async throws {
    let (a, server) = (try Place("memory"), try Place("sqlite"))
    let served = try await Served(server)
    let runner = try SyncRunner(a.store, with: served.remote(), wait: .seconds(1))
    try await running([runner]) {
      try await eventually("polls") { served.faults.statuses.count { $0 == 204 } >= 3 }
      let status = try server.sync.status()
      let count = served.faults.statuses.count
      try await eventually("more polls") { served.faults.statuses.count >= count + 2 }
      #expect(try server.sync.status() == status)
    }
    // Nothing but polls after the first exchange.
    #expect(served.faults.statuses.count { $0 != 204 } <= 4)
  }

  @Test func aServerThatGoesAndComesBack() async throws {
    let (a, server) = (try Place("memory"), try Place("lmdb"))
    let served = try await Served(server)
    let runner = try SyncRunner(a.store, with: served.remote(), longestPause: .seconds(1))
    try await running([runner]) {
      try await eventually("waits") { runner.status.phase == .waiting }
      await served.stop()
      try await eventually("a problem") { runner.status.problem?.kind == .noConnection }
      #expect(runner.status.problem?.description.contains("cannot be reached") == true)
      try a.note(1, "meanwhile")
      try await eventually("pending") { runner.status.pending == 1 }
      try await served.start()
      try await eventually("it arrives") { try server.count("Note") == 1 }
      try await eventually("no problem") { runner.status.problem == nil && runner.status.phase == .waiting }
    }
  }

  @Test func problemsAreInTheStatus() async throws {
    let (a, server) = (try Place("memory"), try Place("memory"))
    let served = try await Served(server)
    let runner = try SyncRunner(a.store, with: served.remote("another-token-of-this-kind"))
    var states: [SyncRunner.Status] = []
    try await running([runner]) {
      for await status in runner.statuses() {
        states.append(status)
        if status.phase == .pausing, status.problem != nil { break }
      }
      await #expect(throws: StorageError.self) { try await runner.run() }
    }
    #expect(states.last?.problem?.kind == .token && states.last?.nextTry != nil)
    let stranger = try Store(opening: StoreURL(parsing: "memory:"))
    #expect(throws: StorageError.self) { try SyncRunner(stranger, with: served.remote()) }
  }

  @Test func aClosedStoreEndsTheRunner() async throws {
    let (a, server) = (try Place("memory"), try Place("memory"))
    let served = try await Served(server)
    let runner = try SyncRunner(a.store, with: served.remote())
    let task = Task { try await runner.run() }
    try await eventually("waits") { runner.status.phase == .waiting }
    try a.store.close()
    let error = await #expect(throws: StorageError.self) { try await task.value }
    #expect(error?.code == .closed)
  }

  @Test func manyChangesDoNotLeavePollsBehind() async throws {
    let (a, b, server) = (try Place("memory"), try Place("sqlite"), try Place("lmdb"))
    var limits = SyncServerLimits()
    limits.waiting = 2
    let served = try await Served(server, limits: limits)
    let runners = try [SyncRunner(a.store, with: served.remote()), SyncRunner(b.store, with: served.remote())]
    try await running(runners) {
      for number in 1...60 {
        try (number % 2 == 0 ? a : b).note(number, "note")
        try await Task.sleep(for: .milliseconds(20))
      }
      try await eventually("all") { try a.count("Note") == 60 && b.count("Note") == 60 }
      try await eventually("nothing pending") { runners.allSatisfy { $0.status.pending == 0 } }
    }
    // Each of the two places for waiting was free whenever it was asked for.
    #expect(!served.faults.statuses.contains(503))
  }
}
