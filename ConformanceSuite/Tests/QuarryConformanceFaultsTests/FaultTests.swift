import Foundation
import QuarryConformance
import Testing

@testable import QuarryConformanceFaults

/// The kit finds every planted fault, by a case that cites what the fault breaks.
@Suite(.serialized) struct FaultTests {
  /// What found the faults when the report was made: run first, so that most faults take one case.
  private static let killers = FaultReport.killers(
    inFileAt: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../docs/conformance/planted-faults.json").standardizedFileURL.path)

  private static let verdicts: [String: FaultTrial.Verdict] = Dictionary(
    uniqueKeysWithValues: FaultTrial().verdicts(jobs: 2, hints: killers).map { ($0.fault.id, $0) })

  @Test(arguments: PlantedFaults.all)
  func isFound(_ fault: PlantedFault) throws {
    let verdict = try #require(Self.verdicts[fault.id])
    let killer = try #require(verdict.killer, "no case finds \(fault.id): \(fault.summary)")
    #expect(fault.clauses.isEmpty || !Set(killer.clauses).isDisjoint(with: fault.clauses))
  }

  @Test(arguments: PlantedFaults.sound.map(\.name))
  func wayOfPlantingIsSound(_ name: String) {
    let found = Set(Self.verdicts.values.compactMap(\.killer?.caseID))
    let harnesses = PlantedFaults.sound.filter { $0.name == name }
    #expect(FaultTrial().soundFailures(found, on: harnesses) == [])
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
}
