#if PostgreSQL
  import QuarryConformance
  import QuarryConformanceTesting
  import QuarryHarnesses
  import Testing

  private let one = StorageConformance(PostgreSQLHarness()) { sample(of: $0, each: 24) }
  private let many = StorageConformance(PostgreSQLHarness(.many)) { sample(of: $0, each: 72) }

  /// One run in so many of each area, and at least one: what CI has time for. scripts/test-postgres runs more of the kit.
  private func sample(of runs: [ConformanceRun], each: Int) -> [ConformanceRun] {
    Dictionary(grouping: runs, by: \.testCase.area.name).values.flatMap { area in
      area.indices.filter { $0 % each == area.count / 2 % each }.map { area[$0] }
    }
  }

  /// A sample of the kit with one writer, and a smaller one with many.
  @Suite struct KitSampleTests {
    @Test func everyAreaHasASample() {
      #expect(Set(one.areas.map(\.name)) == Set(ConformanceSuite.cases.map(\.area.name)))
      #expect(one.areas.map(\.name) == many.areas.map(\.name))
    }

    @Test func harnesses() {
      one.checkHarness()
      many.checkHarness()
    }

    @Test(arguments: one.areas)
    func conforms(_ area: ConformanceAreaRuns) async { await one.check(area) }

    @Test(arguments: many.areas)
    func conformsWithManyWriters(_ area: ConformanceAreaRuns) async { await many.check(area) }
  }
#endif
