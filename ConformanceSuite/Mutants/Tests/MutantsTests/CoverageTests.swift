import Foundation
import Testing

@testable import mutants

@Suite struct CoverageTests {
  private static let coverage: Coverage = {
    var coverage = Coverage()
    let lines = [
      "A.slow fresh\t50.0\t1 2 ", "A.quick fresh\t1.0\t1 ", "A.other fresh\t2.0\t", "A.other encrypted\t9.0\t3 ",
      "A.slow encrypted\t9.0\t1 ",
    ]
    coverage.add(area: "A", cases: lines.joined(separator: "\n") + "\n", rest: Data([0, 0, 0, 0, 1]))
    coverage.add(area: "B", cases: "B.one fresh\t1.0\t2 \nB.cut fre", rest: Data())
    return coverage
  }()

  @Test func casesThatReachAMutantComeFirstAndQuickOnesBeforeSlowOnes() {
    let chosen = Self.coverage.chosen(1)
    #expect(chosen.near == ["A.quick", "A.slow"])
    #expect(chosen.far == ["A.other"])
    #expect(chosen.sealed.isEmpty)
  }

  @Test func everyAreaThatReachesAMutantIsTried() {
    let chosen = Self.coverage.chosen(2)
    #expect(chosen.near == ["B.one", "A.slow"])
    #expect(chosen.far == ["A.quick", "A.other"])
  }

  @Test func sealedStoresAreTriedWhereOnlyTheyReachAMutant() {
    #expect(Self.coverage.chosen(3).sealed == ["A.other"])
    #expect(Self.coverage.sealedCases == ["A.other", "A.slow"])
  }

  @Test func aPlaceThatIsReachedOutsideOfCasesHasItsArea() {
    #expect(Self.coverage.reaches(4))
    #expect(Self.coverage.chosen(4).far == ["A.quick", "A.other", "A.slow"])
    #expect(!Self.coverage.reaches(5))
  }
}
