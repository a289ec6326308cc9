import Foundation
import QuarryBackend
import QuarryCore
import QuarrySyncHTTP
import Testing

@testable import QuarrySync

/// Servers and clients that were put back, copied or away for long.
@Suite struct RestoreTests {
  private func expectSame(_ places: [Place], _ notes: Int) throws {
    #expect(try Set(places.map { try $0.sync.digest() }).count == 1)
    for place in places {
      #expect(try place.sync.check() == [])
      #expect(try place.count("Note") == notes)
    }
  }

  private func backUp(_ file: URL, _ backup: URL) throws { try FileManager.default.copyItem(at: file, to: backup) }

  private func putBack(_ file: URL, _ backup: URL) throws {
    try FileManager.default.removeItem(at: file)
    try FileManager.default.copyItem(at: backup, to: file)
  }

  @Test(arguments: [true, false]) func aStoreThatIsPutBack(_ isServer: Bool) async throws {
    let (a, b, c) = (try Place("sqlite"), try Place("sqlite"), try Place("lmdb"))
    let victim = isServer ? b : a
    try b.note(1, "one")
    let first = try await Served(b)
    try await a.store.sync(with: first.remote())
    await first.stop()
    try victim.reopen(backUp)
    let second = try await Served(b)
    try a.note(2, "two")
    try b.note(3, "three")
    try c.note(4, "four")
    for place in [a, c, a] { try await place.store.sync(with: second.remote()) }
    await second.stop()
    try expectSame([a, b, c], 4)
    try victim.reopen(putBack)
    // It writes under the name under which it has written something else before.
    try victim.note(5, "five")
    let third = try await Served(b)
    for place in [a, c, a, c, a] { try await place.store.sync(with: third.remote()) }
    try expectSame([a, b, c], 5)
  }

  @Test func aServerWhoseLogWasTrimmed() async throws {
    let (a, b, c) = (try Place("memory"), try Place("sqlite"), try Place("lmdb"))
    for number in 1...40 { try b.note(number, String(repeating: "n", count: 500)) }
    try b.delete("Note", 1)
    var limits = SyncServerLimits()
    limits.partBytes = 4_000
    let served = try await Served(b, limits: limits)
    try await a.store.sync(with: served.remote())
    try b.sync.changing { work in try work.trim(keeping: 0) }
    #expect(try b.sync.status().entries == 0)
    try c.note(50, "fifty")
    // All records in parts, each of which may be cut.
    let proxy = try await CuttingProxy(to: served.port, seed: 3, most: 12_000)
    let remote = try SyncRemote.http("http://127.0.0.1:\(proxy.port)/sync", token: SyncToken(Served.token))
    for _ in 0..<8 {
      _ = try? await c.store.sync(with: remote, attempts: 1)
      #expect(try c.sync.check() == [])
    }
    proxy.end()
    #expect(try await c.store.sync(with: remote).isEqual)
    #expect(try await a.store.sync(with: served.remote()).isEqual)
    try expectSame([a, b, c], 40)
  }
}
