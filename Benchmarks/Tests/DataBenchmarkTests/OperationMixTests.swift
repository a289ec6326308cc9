import BenchmarkHarness
import Testing

@testable import DataBenchmark

@Suite struct OperationMixTests {
  @Test func sharesAreExact() throws {
    let mix = try OperationMix(parsing: "get=80, query=12,update=8")
    #expect(mix.counts(1000) == [.get: 800, .equal: 40, .range: 40, .sort: 40, .update: 80])
    #expect(!mix.has(.delete))
  }

  @Test(arguments: [1, 7, 99, 1001]) func roundedSharesAddUp(operations: Int) throws {
    let counts = try OperationMix(parsing: "get=33.3,query=33.3,insert=33.4").counts(operations)
    #expect(counts.values.reduce(0, +) == operations)
  }

  @Test func aQueryIsAddedToItsKinds() throws {
    let mix = try OperationMix(parsing: "query=30,equal=70")
    #expect(mix.counts(100) == [.equal: 80, .range: 10, .sort: 10])
  }

  @Test(arguments: [
    ("", "no share"), ("get", "no share"), ("get=50", "add up to 50"), ("get=120", "from 0 to 100"),
    ("get=110,update=-10", "from 0 to 100"), ("get=x", "from 0 to 100"), ("get=nan", "from 0 to 100"),
    ("fetch=100", "no operation is called fetch"), ("get=50,get=50", "stands twice"), ("get=50,,update=50", "no share"),
  ])
  func mistakesAreExplained(text: String, words: String) {
    let error = #expect(throws: BenchmarkError.self) { try OperationMix(parsing: text) }
    #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
  }
}
