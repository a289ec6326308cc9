import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarrySyncHTTP
import Testing

@testable import QuarrySync

/// A device whose clock is ahead.
@Suite struct ClockTests {
  @Test func changesFromTheFutureWait() async throws {
    let server = try Place("memory")
    try server.note(1, "one")
    let store = try Store(opening: StoreURL(parsing: "memory:"))
    try await store.write { tx in
      for model in NoteModels.all { try tx.apply(.createModel(model)) }
    }
    let ahead = SyncEnvironment(now: { UInt64((Date().timeIntervalSince1970 + 3_600) * 1_000) })
    try Self.enable(store, ahead)
    try await store.records.insert(
      into: "Note", [Record(["id": NoteModels.key(2), "title": "two", "folder": .null])])
    let served = try await Served(server)
    let report = try await store.sync(with: served.remote())
    // What the server has comes. What the device has waits, and the report says so.
    #expect(!report.agrees && report.refused > 0 && report.taken == (1, 0))
    #expect(try await store.records.fetch(in: "Note").count == 2)
    #expect(try server.count("Note") == 1)
    let runner = try SyncRunner(store, with: served.remote())
    let task = Task { try await runner.run() }
    for await status in runner.statuses() where status.phase == .pausing {
      #expect(status.problem?.kind == .clock && status.pending == 1)
      #expect(status.problem?.description.contains("minutes ahead of that of 127.0.0.1") == true)
      break
    }
    task.cancel()
    try await task.value
    try store.close()
  }

  private static func enable(_ store: Store, _ environment: SyncEnvironment) throws {
    _ = try store.enableSync(NoteModels.all.map(\.name), naturalKeys: [], environment)
  }
}
