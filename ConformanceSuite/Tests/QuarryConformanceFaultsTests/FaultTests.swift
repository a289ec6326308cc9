import Testing

@testable import QuarryConformanceFaults

@Suite struct FaultTests {
  @Test func idsAreDifferent() {
    #expect(Set(PlantedFaults.all.map(\.id)).count == PlantedFaults.all.count)
  }
}
