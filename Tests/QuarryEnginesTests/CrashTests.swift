import Foundation
import QuarryBackend
import QuarryCore
import QuarryExerciser
import Testing

/// Processes that are killed at any moment. After each kill every commit that was acknowledged is there whole, at most
/// the one that was under way besides, and no other in part. `QUARRY_KILLS` asks for more kills of each engine than 100.
@Suite struct CrashTests {
  private static let kills = ProcessInfo.processInfo.environment["QUARRY_KILLS"].flatMap(Int.init) ?? 100
  /// Kills of one store, one after the other.
  private static let series = 10
  private static let seeds = Array(1...max(1, (kills + series - 1) / series))

  @Test(arguments: Engine.allCases, seeds)
  func commitsSurviveKills(_ engine: Engine, _ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let scratch = try Scratch()
    var last = 0
    for round in 0..<Self.series {
      let about = "\(engine.rawValue), seed \(seed), kill \(round)"
      // A few are killed while they open what the one before them left, some of these while they make the store.
      let isEarly = Int.random(in: 0..<4, using: &random) == 0
      let delay = UInt32.random(in: 0...(isEarly ? 30_000 : 20_000), using: &random)
      let acknowledged = try Self.runAndKill(engine, scratch.folder, isEarly: isEarly, after: delay) ?? last
      #expect(acknowledged >= last, "\(about)")
      let found = try Self.verify(engine, scratch.folder, about)
      #expect(found == acknowledged || found == acknowledged + 1, "\(about): acknowledged \(acknowledged)")
      last = found
    }
  }

  /// Each of several processes is killed while it recovers what the kill before left.
  @Test(arguments: Engine.allCases, 1...3)
  func recoverySurvivesKills(_ engine: Engine, _ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(1000 + seed))
    let scratch = try Scratch()
    var acknowledged = 0
    // More were begun than acknowledged: each process may have one commit under way when it is killed.
    var begun = 0
    for nested in 0..<5 {
      let delay = UInt32.random(in: 0...(nested == 0 ? 60_000 : 20_000), using: &random)
      let said = try Self.runAndKill(engine, scratch.folder, isEarly: nested > 0, after: delay)
      acknowledged = max(acknowledged, said ?? 0)
      begun += 1
    }
    let found = try Self.verify(engine, scratch.folder, "\(engine.rawValue), seed \(seed)")
    #expect(acknowledged...(acknowledged + begun) ~= found)
  }

  /// Killed while it makes a store, a process leaves one that opens, or nothing.
  @Test(arguments: Engine.allCases, 1...10)
  func creationSurvivesKills(_ engine: Engine, _ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(2000 + seed))
    let scratch = try Scratch()
    let delay = UInt32.random(in: 0...40_000, using: &random)
    let acknowledged = try Self.runAndKill(engine, scratch.folder, isEarly: true, after: delay) ?? 0
    let found = try Self.verify(engine, scratch.folder, "\(engine.rawValue), seed \(seed), \(delay) µs")
    #expect(found == acknowledged || found == acknowledged + 1)
  }

  /// Starts a loop of commits and kills it.
  ///
  /// - Parameters:
  ///   - isEarly: Whether the time begins at the start of the process, not when it has the store open.
  ///   - microseconds: How long it is let run.
  /// - Returns: The last commit that it acknowledged or found; nil when it was killed before it said anything.
  private static func runAndKill(
    _ engine: Engine, _ folder: URL, isEarly: Bool, after microseconds: UInt32
  ) throws -> Int? {
    let child = try Child(engine, folder, "commit")
    var lines: [String] = []
    if !isEarly, let first = try child.line() { lines.append(first) }
    usleep(microseconds)
    child.kill()
    lines += try child.lines()
    try #require(child.wait() == nil, "the process ended by itself: \(lines.last ?? "")")
    return lines.last.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) }
  }

  private static func verify(_ engine: Engine, _ folder: URL, _ about: String) throws -> Int {
    do {
      let store = try Store(models: BatchWorkload.models, in: engine.provider(in: folder.path))
      defer { try? store.close() }
      return try BatchWorkload.verify(store)
    } catch {
      Issue.record(error, "\(about)")
      throw error
    }
  }
}
