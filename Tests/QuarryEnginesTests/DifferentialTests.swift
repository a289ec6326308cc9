import Foundation
import QuarryConformance
import Testing

/// Random commands on all engines and the reference at once. `QUARRY_DIFFERENTIAL_RUNS` asks for more runs than the 500
/// of every test run, `QUARRY_DIFFERENTIAL_SEED` for one alone.
@Suite struct DifferentialTests {
  /// Ten of these make one part; parts run beside each other.
  static let seeds: [UInt64] = {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["QUARRY_DIFFERENTIAL_SEED"].flatMap(UInt64.init) { return [seed] }
    let runs = environment["QUARRY_DIFFERENTIAL_RUNS"].flatMap(UInt64.init) ?? 500
    return Array(1...max(1, runs))
  }()

  static let parts = stride(from: 0, to: seeds.count, by: 10).map { $0..<min($0 + 10, seeds.count) }

  @Test(arguments: parts)
  func enginesAgree(_ part: Range<Int>) throws {
    for seed in Self.seeds[part] { try DifferentialTest(Harnesses.all).run(seed: seed) }
  }

  /// The random commands find something to work on, and provoke the errors that commands can.
  @Test(arguments: [
    "insert: something", "insert: duplicateKey", "insert: uniqueViolation", "insertRecords: something",
    "upsert: something", "upsert: nothing", "upsert: uniqueViolation", "upsertRecords: something", "merge: something",
    "merge: nothing", "getOrInsert: something", "change: something", "change: notFound", "change: invalidValue",
    "replace: something", "compareAndUpdate: something", "compareAndUpdate: conflict", "updateIfStored: something",
    "updateIfStored: conflict", "changeEach: something", "changeEach: uniqueViolation", "assign: something",
    "assign: uniqueViolation", "assign: invalidValue", "assign: invalidQuery", "delete: something",
    "deleteQuery: something", "deleteAll: something", "insertWhileIterating: iterationActive", "insert: reentrant",
    "freeze: reentrant", "fetch: something", "fetch: invalidQuery", "get: something", "getMany: something",
    "row: something", "first: something", "any: something", "count: something", "keys: something", "rows: something",
    "select: something", "grouped: something", "pages: something", "nextPage: something", "savepoint: undone",
    "write: undone", "frozen: something", "reopen: something", "check: something",
  ])
  func commandsMeetWhatTheyShould(_ outcome: String) {
    #expect(Self.outcomes[outcome, default: 0] > 0)
  }

  private static let outcomes = (1...60).reduce(into: [String: Int]()) { sum, seed in
    sum.merge(DifferentialTest.outcomes(seed: UInt64(seed))) { $0 + $1 }
  }
}
