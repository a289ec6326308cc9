import Foundation
import QuarryBackend
import QuarryCore
import QuarryQuery
import QuarrySync
import QuarrySyncHTTP
import Testing

/// Parts of served hubs: SYNC-80 to SYNC-84.
@Suite struct PartTests {
  private static let anna = "anna-battery-horse-staple"
  private static let ben = "ben-battery-horse-staple"
  private static let pairs = Place.schemes.flatMap { a in Place.schemes.map { (a, $0) } }

  /// A hub that gives each principal the notes with the title of its color, and no folders.
  private func options() throws -> SyncSiteOptions {
    var options = SyncSiteOptions()
    options.accept(try SyncToken(Self.anna), as: SyncPrincipal("anna", claims: ["color": "red"]))
    options.accept(try SyncToken(Self.ben), as: SyncPrincipal("ben", claims: ["color": "blue"]))
    options.shared = try SyncToken(Served.token)
    options.parts.part(named: "Note") { who in
      QueryTree(
        model: "Note",
        predicate: .compare(.property(PropertyPath("title")), .equal, .value(.string(who["color"] ?? ""))))
    }
    return options
  }

  private func hub(_ scheme: String) throws -> Place {
    let place = try Place(scheme)
    try place.store.enableSync(as: .hub)
    return place
  }

  private func titles(_ place: Place) throws -> [Value] {
    try place.store.records.fetch(in: "Note").compactMap { $0["title"] }
  }

  @Test(arguments: pairs) func eachPrincipalHasItsPart(_ first: String, _ second: String) async throws {
    let (hub, a, b) = (try hub(first), try Place(second), try Place("memory"))
    let served = try await Served(hub, options: options())
    for number in 0..<20 { try hub.note(number, number % 2 == 0 ? "red" : "blue") }
    try a.note(50, "red")
    try b.note(51, "red")
    #expect(try await a.store.sync(with: served.remote(Self.anna)).isEqual)
    #expect(try await b.store.sync(with: served.remote(Self.ben)).isEqual)
    #expect(try await a.store.sync(with: served.remote(Self.anna)).isEqual)
    #expect(try titles(a) == Array(repeating: "red", count: 12))
    #expect(try titles(b) == Array(repeating: "blue", count: 10) && hub.count("Note") == 22)
    // An edit moves a note from one part to the other.
    try a.note(0, "blue")
    #expect(try await a.store.sync(with: served.remote(Self.anna)).isEqual)
    #expect(try await b.store.sync(with: served.remote(Self.ben)).isEqual)
    #expect(try a.count("Note") == 11 && b.count("Note") == 11)
    #expect(try a.sync.check() == [] && b.sync.check() == [] && a.sync.status().pending == 0)
  }

  @Test(arguments: Place.schemes) func aLargePartComesInPieces(_ scheme: String) async throws {
    let (hub, a) = (try hub("sqlite"), try Place(scheme))
    var options = try options()
    options.limits.partBytes = 3_000
    let served = try await Served(hub, options: options)
    for number in 0..<300 { try hub.note(number, number % 3 == 0 ? "blue" : "red") }
    #expect(try await a.store.sync(with: served.remote(Self.anna)).isEqual)
    #expect(try a.count("Note") == 200)
    for number in 0..<150 { try hub.note(number, "gold") }
    try a.note(400, "red")
    #expect(try await a.store.sync(with: served.remote(Self.anna)).isEqual)
    #expect(try a.count("Note") == 101 && hub.count("Note") == 301)
  }

  @Test func aClientWithoutAPrincipalIsRefused() async throws {
    let (hub, a) = (try hub("memory"), try Place("memory"))
    let served = try await Served(hub, options: options())
    try hub.note(1, "red")
    let problem = await #expect(throws: SyncProblem.self) { try await a.store.sync(with: served.remote()) }
    #expect(problem?.kind == .hub && problem?.description.contains("principal") == true)
    #expect(try a.count("Note") == 0)
    // Nor does another site of the same hub give it everything.
    let open = try await Served(hub)
    #expect(await (#expect(throws: SyncProblem.self) { try await a.store.sync(with: open.remote()) })?.kind == .hub)
  }

  @Test func aRunnerHasItsPart() async throws {
    let (hub, a) = (try hub("sqlite"), try Place("lmdb"))
    let served = try await Served(hub, options: options())
    let runner = try SyncRunner(a.store, with: served.remote(Self.anna), wait: .seconds(5))
    let task = Task { try await runner.run() }
    defer { task.cancel() }
    for number in 0..<6 {
      try hub.note(number, number % 2 == 0 ? "red" : "blue")
      let end = ContinuousClock.now + .seconds(20)
      while try a.count("Note") != number / 2 + 1, ContinuousClock.now < end {
        try await Task.sleep(for: .milliseconds(20))
      }
      #expect(try a.count("Note") == number / 2 + 1)
    }
    try hub.note(0, "blue")
    let end = ContinuousClock.now + .seconds(20)
    while try a.count("Note") != 2, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(20)) }
    #expect(try titles(a) == ["red", "red"])
  }
}
