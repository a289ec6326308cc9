import Foundation
import MutantPlanting
import Testing

@testable import mutants

/// What stays of results when the sources are changed: where to begin, and no result.
@Suite struct RunStateTests {
  private static let sources = ["Sources/A.swift": "let a = 1", "ConformanceSuite/Sources/B.swift": "let b = 1"]

  private static func mutant(_ id: String) throws -> Mutant {
    let entry = """
      fault: \(id)
      file: Sources/A.swift
      breaks: REL-1 A rule.
      text: let a = 1
      with: let a = PLANTED ? 2 : 1
      """
    let fault = try #require(SemanticFault.read(entry, area: "x").first)
    return try #require(fault.mutant(in: "let a = 1"))
  }

  private static func result(_ id: String, _ end: Trial.End, tried: Set<String> = ["quick"]) throws -> MutantResult {
    var result = MutantResult(try mutant(id))
    result.tried = tried
    result.trials = [
      Trial(
        engine: "sqlite", plan: "quick", part: .near, end: end, failed: end == .failed ? "A.case fresh" : nil,
        isRepeated: true, seconds: 90)
    ]
    return result
  }

  /// The state that a run reads which finds these results of a run with other sources.
  private static func state(
    _ results: [MutantResult], changing path: String, _ change: (inout Data) throws -> Void = { _ in }
  ) throws -> RunState {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    var state = RunState.read(file, sources: sources, Arguments())
    state.tools = ["1": "tool"]
    for result in results { state.results[result.id] = result }
    try state.write(file)
    var data = try Data(contentsOf: file)
    try change(&data)
    try data.write(to: file)
    var changed = sources
    changed[path, default: ""] += "\n"
    return RunState.read(file, sources: changed, Arguments())
  }

  @Test func ofOtherSourcesOnlyTheFinderStays() throws {
    let results = try [Self.result("a", .failed), Self.result("b", .passed), Self.result("c", .passed, tried: [])]
    let state = try Self.state(results, changing: "Sources/A.swift")
    let mutant = try Self.mutant("a")
    #expect(state.results.isEmpty)
    #expect(state.result(mutant).trials.isEmpty)
    #expect(state.result(mutant).tried.isEmpty)
    #expect(try state.earlierFinding(of: Self.mutant("a"))?.failedRun?.testCase == "A.case")
    #expect(try state.earlierFinding(of: Self.mutant("a"))?.engine == "sqlite")
    #expect(try state.earlierFinding(of: Self.mutant("b")) == nil)
    let survivors = try ["a", "b", "c", "d"].filter { state.survivedEarlier(try Self.mutant($0)) }
    #expect(survivors == ["b"])
    #expect(state.tools == ["1": "tool"])
  }

  @Test func aFindingStaysWhenOnlyTheKitIsAnother() throws {
    let results = try [Self.result("a", .failed), Self.result("b", .passed)]
    let state = try Self.state(results, changing: "ConformanceSuite/Sources/B.swift")
    #expect(state.results.keys.sorted() == ["a"])
    #expect(try state.survivedEarlier(Self.mutant("b")))
  }

  @Test func whatAnInterruptedRunDidNotTryKeepsItsFinder() throws {
    let results = try [Self.result("a", .failed), Self.result("b", .failed)]
    var state = try Self.state(results, changing: "Sources/A.swift")
    state.results["b"] = try Self.result("b", .passed)
    state.results["a"] = try Self.result("a", .passed, tried: [])
    state.forget { _ in true }
    #expect(try state.earlierFinding(of: Self.mutant("a")) != nil)
    #expect(try state.earlierFinding(of: Self.mutant("b")) == nil)
    #expect(try state.survivedEarlier(Self.mutant("b")))
  }

  @Test func aFileWithoutEarlierResultsIsRead() throws {
    let state = try Self.state([Self.result("a", .failed)], changing: "Sources/A.swift") { data in
      #expect(!String(decoding: data, as: UTF8.self).contains("earlier"))
    }
    #expect(try state.earlierFinding(of: Self.mutant("a")) != nil)
  }

  @Test func whatSurvivedComesLast() throws {
    let results = try [Self.result("a", .passed), Self.result("c", .failed)]
    let state = try Self.state(results, changing: "Sources/A.swift")
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    let progress = Progress(state: state, stateFile: file, total: 3)
    let mutants = try ["a", "b", "c"].enumerated().map { ($0.offset, try Self.mutant($0.element)) }
    #expect(progress.ordered(mutants).map(\.1.id) == ["b", "c", "a"])
    #expect(try progress.earlierFinding(of: Self.mutant("c"))?.plan == "quick")
  }
}
