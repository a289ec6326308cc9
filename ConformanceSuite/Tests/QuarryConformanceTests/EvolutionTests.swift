import QuarryHarnesses
import Testing

@testable import QuarryConformance
@testable import QuarryConformanceKit

/// Random changes of a schema prove something where they meet data, names that are taken, nil and duplicates.
@Suite struct EvolutionTests {
  private static let outcomes = Result {
    try (1...40).reduce(into: [String: Int]()) { sum, seed in
      sum.merge(try EvolutionRun.run(seed: UInt64(seed), steps: 200, MemoryHarness())) { $0 + $1 }
    }
  }

  @Test(arguments: [
    "createModel: done", "createModel: the error schemaMismatch", "drop: done", "rename: done",
    "rename: the error schemaMismatch", "setVersion: done", "setVersion: the error invalidValue", "addProperty: done",
    "addProperty: the error schemaMismatch", "dropProperty: done", "dropProperty: the error schemaMismatch",
    "renameProperty: done", "renameProperty: the error schemaMismatch", "changeOptionality: done",
    "changeOptionality: the error missingValue", "changeOptionality: the error schemaMismatch", "createIndex: done",
    "createIndex: the error schemaMismatch", "createIndex: the error uniqueViolation", "dropIndex: done",
    "renameIndex: done", "renameIndex: the error schemaMismatch", "insert: done", "insert: the error duplicateKey",
    "insert: the error missingValue", "insert: the error uniqueViolation", "upsert: done",
    "upsert: the error uniqueViolation", "assign: done", "assign: the error uniqueViolation", "delete: done",
    "ask: done",
  ])
  func stepsMeetWhatTheyShould(_ outcome: String) throws {
    #expect(try Self.outcomes.get()[outcome, default: 0] > 0)
  }
}
