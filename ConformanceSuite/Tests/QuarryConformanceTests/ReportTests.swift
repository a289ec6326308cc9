import Testing

@testable import QuarryConformance

@Suite struct PlanTests {
  @Test func idsAreUnique() {
    #expect(Set(ConformanceSuite.cases.map(\.id)).count == ConformanceSuite.cases.count)
  }
}
