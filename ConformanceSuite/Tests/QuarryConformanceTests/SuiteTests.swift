import Foundation
import QuarryBackend
import QuarryHarnesses
import QuarryMemory
import Testing

@testable import QuarryConformance
@testable import QuarryConformanceKit

@Suite struct SuiteTests {
  /// The root of the package.
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test func idsAreUnique() {
    let ids = ConformanceSuite.cases.map(\.id)
    #expect(Set(ids).count == ids.count)
  }

  @Test func clausesAreThoseOfTheContract() throws {
    func page(_ page: String) throws -> [String] {
      let text = try String(contentsOf: Self.root.appending(path: page), encoding: .utf8)
      return text.split(separator: "\n").compactMap { line -> String? in
        guard line.hasPrefix("- **"), let end = line.dropFirst(4).firstIndex(of: "*") else { return nil }
        return String(line.dropFirst(4)[..<end])
      }
    }
    var clauses = try page("docs/contract.md")
    // The first clauses about searches stand on a page of their own.
    let searches = try #require(clauses.firstIndex { $0.hasPrefix("SEARCH-") })
    clauses.insert(contentsOf: try page("docs/text-search.md"), at: searches)
    // StudioTests covers sync over HTTP.
    let others = (Array(53...60) + [67, 68]).map { "SYNC-\($0)" }
    let expected = clauses.filter { !others.contains($0) }
    #expect(expected == ContractClauses.all)
  }

  @Test func everyCaseIsOfAnAreaThatHasCases() {
    #expect(Set(ConformanceSuite.cases.map(\.area)) == Set(ConformanceArea.all))
    #expect(Set(ConformanceArea.all.map(\.name)).count == ConformanceArea.all.count)
  }

  @Test func everyClauseHasACase() {
    #expect(ContractClauses.uncovered(by: ConformanceSuite.cases) == [])
  }

  @Test func everyCaseCitesClausesOfTheContract() {
    let known = Set(ContractClauses.all)
    for testCase in ConformanceSuite.cases {
      #expect(!testCase.clauses.isEmpty && known.isSuperset(of: testCase.clauses), "\(testCase.id)")
    }
  }

  @Test func everyCapabilityHasAProbe() {
    for capability in Capability.allCases where capability != .multipleProcesses {
      #expect(CapabilityProbe(capability).attempt != nil, "\(capability)")
    }
  }

  /// The model that answers are compared with is to be read as the specification.
  @Test func referenceIsAtMostAThousandLines() throws {
    var lines = 0
    let kit = Self.root.appending(path: "ConformanceSuite/Sources/QuarryConformanceKit")
    for folder in [kit, kit.appending(path: "ModelBased")] {
      for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      where file.lastPathComponent.hasPrefix("Reference") {
        lines += try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
          .count
      }
    }
    #expect(lines > 300 && lines <= 1000)
  }

  @Test func planIsTheSameForTheSameChoice() {
    let selection = ConformanceSelection()
    let plan = ConformancePlan(ConformanceSuite.cases, selection)
    #expect(plan.hash == ConformancePlan(ConformanceSuite.cases.reversed(), selection).hash)
    #expect(plan.hash != ConformancePlan(Array(ConformanceSuite.cases.dropLast()), selection).hash)
    #expect(plan.hash.utf8.count == 8)
  }

  @Test func quickPlanHasEveryCase() {
    var selection = ConformanceSelection()
    selection.isQuick = true
    selection.level = .hardened
    let plan = ConformancePlan(ConformanceSuite.cases, selection)
    let missing = Set(ConformanceSuite.cases.map(\.id)).subtracting(plan.runs.map(\.testCase.id))
    #expect(missing == [])
    // What is hardened is run where it is asked for.
    selection.level = .durable
    let durable = Set(ConformancePlan(ConformanceSuite.cases, selection).runs.map(\.testCase.id))
    #expect(durable == Set(ConformanceSuite.cases.filter { $0.level <= .durable }.map(\.id)))
    #expect(Set(plan.runs.map(\.variant)) == Set(ConformanceVariant.allCases))
  }
}

/// The bare engines of this package in the small suite.
@Suite struct KeyValueEngineTests {
  private struct Memory: KeyValueEngineHarness {
    func makeEngine() throws -> MemoryEngine { MemoryEngine() }
  }

  private static let suite = KeyValueEngineSuite(Memory())

  @Test(arguments: suite.cases)
  func memoryConforms(_ name: String) {
    let failure = Self.suite.failure(of: name)
    #expect(failure == nil, "\(String(describing: failure))")
  }
}
