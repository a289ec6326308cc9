import Foundation
import QuarryConformance
import QuarryConformanceTesting
import Testing

@testable import QuarryConformanceFaults

/// The kit finds every planted fault, by a case that cites what the fault breaks.
@Suite(.serialized) struct FaultTests {
  /// What found the faults when the report was made: run first, so that most faults take one case.
  private static let killers = FaultReport.killers(
    inFileAt: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../docs/conformance/planted-faults.json").standardizedFileURL.path)

  /// One fault in four: `scripts/planted-faults` tries them all, and `committedReportIsOfTheseFaults` sees that it did.
  private static let sample = PlantedFaults.all.enumerated().filter { $0.offset % 4 == 0 }.map(\.element)

  private static let verdicts: [String: FaultTrial.Verdict] = Dictionary(
    uniqueKeysWithValues: FaultTrial().verdicts(on: sample, jobs: 2, hints: killers).map { ($0.fault.id, $0) })

  @Test(arguments: sample)
  func isFound(_ fault: PlantedFault) async throws {
    let verdict = try #require(await Workers.shared.run(isLong: true) { Self.verdicts[fault.id] })
    let killer = try #require(verdict.killer, "no case finds \(fault.id): \(fault.summary)")
    #expect(fault.clauses.isEmpty || !Set(killer.clauses).isDisjoint(with: fault.clauses))
  }

  /// What shows only between two operations on files is found by whoever ends processes there.
  @Test(arguments: ["key.plain-copy-meanwhile", "key.replaced-in-two-steps"])
  func isFoundAtAnOperation(_ id: String) async throws {
    let fault = try #require(PlantedFaults.all.first { $0.id == id })
    let hint = "ENC.encrypt-killed-at-operations"
    let verdict = await Workers.shared.run(isLong: true) { FaultTrial().verdict(on: fault, hint: hint) }
    #expect(verdict.killer?.caseID == hint)
  }

  @Test func waysOfPlantingAreSound() async {
    let failures = await Workers.shared.run(isLong: true) {
      let found = Set(Self.verdicts.values.compactMap(\.killer?.caseID))
      return FaultTrial().soundFailures(found, jobs: 4)
    }
    #expect(failures == [])
  }

  @Test func idsAreDifferent() {
    #expect(Set(PlantedFaults.all.map(\.id)).count == PlantedFaults.all.count)
    #expect(PlantedFaults.all.count >= 80)
  }

  @Test func clausesAreOfTheContract() {
    let known = Set(ConformanceSuite.cases.flatMap(\.clauses))
    for fault in PlantedFaults.all { #expect(known.isSuperset(of: fault.clauses), "\(fault)") }
  }

  @Test func faultWithoutClausesIsFoundByTheSuiteOfEngines() throws {
    let fault = try #require(PlantedFaults.all.first { $0.id == "engine.empty-value-missing" })
    let verdict = FaultTrial().verdict(on: fault)
    #expect(verdict.killer?.name == verdict.engineKiller && verdict.engineKiller != nil)
  }

  @Test func reportNamesWhatSurvives() throws {
    let fault = try #require(PlantedFaults.all.first)
    let verdict = FaultTrial.Verdict(fault: fault, killer: nil, engineKiller: nil, runs: 1, milliseconds: 1)
    let report = FaultReport([verdict])
    #expect(report.survivors.map(\.id) == [fault.id])
    #expect(report.markdown.contains("**nothing**"))
    #expect(report.summary == "1 planted faults, 0 found, 1 not found")
  }

  private static func verdicts(_ fault: String, _ cases: [String]) -> [CaseTrial.Verdict] {
    let trial = CaseTrial(
      PlantedFaults.all.filter { $0.id == fault }, ConformanceSuite.cases.filter { cases.contains($0.id) })
    return trial.verdicts(jobs: 1) { _ in }.sorted { $0.testCase.id < $1.testCase.id }
  }

  @Test func casesAreToldApartByWhatTheyFind() {
    // A commit that is lost breaks TXN-1 and CRUD-1, of which the second case cites neither.
    let verdicts = Self.verdicts(
      "transaction.commit-lost", ["CRUD.insert-get", "CRUD.update-closure", "PRED.no-parse"])
    #expect(verdicts.map(\.finding) == [.own, .other, .none])
    #expect(verdicts.map(\.fault) == ["transaction.commit-lost", "transaction.commit-lost", nil])
  }

  @Test func reportListsCasesThatFindNothing() throws {
    let findings = Self.verdicts("transaction.commit-lost", ["CRUD.insert-get", "PRED.no-parse"])
    let report = FaultReport([], findings)
    #expect(report.markdown.contains("| CRUD | 1 | 1 | 0 | 0 |"))
    #expect(report.markdown.contains("`PRED.no-parse`"))
    let json = try #require(try JSONSerialization.jsonObject(with: report.json()) as? [String: Any])
    #expect(json["casesWithoutFault"] as? [String] == ["PRED.no-parse"])
    #expect((json["cases"] as? [String: [String: Int]])?["CRUD"] == ["own": 1])
  }

  /// The report names what found each fault, and stays small enough to be read.
  @Test func committedReportIsOfTheseFaults() throws {
    #expect(Set(Self.killers.keys) == Set(PlantedFaults.all.map(\.id)))
    #expect(
      Self.killers.values.allSatisfy { id in
        id == "engine" || ConformanceSuite.cases.contains { $0.id == id }
      })
  }
}
