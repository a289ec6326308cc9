import Testing

@testable import BenchmarkHarness

@Suite struct DatasetTests {
  @Test func theSameSeedGivesTheSamePeople() {
    #expect(Dataset(seed: 1, count: 100).people == Dataset(seed: 1, count: 100).people)
    #expect(Dataset(seed: 1, count: 100).people != Dataset(seed: 2, count: 100).people)
  }

  @Test func aPersonCanBeMadeAgain() {
    let dataset = Dataset(seed: 3, count: 50)
    #expect(dataset.people.allSatisfy { $0 == Dataset.person($0.id, seed: 3) })
    #expect(dataset.newcomers(2).map(\.id) == [51, 52])
  }

  @Test func theRecordIsTheStandardOne() {
    let people = Dataset(seed: 5, count: 10_000).people
    func mean(_ length: (Person) -> Int) -> Double { Double(people.reduce(0) { $0 + length($1) }) / 10_000 }
    #expect(abs(mean { $0.name.utf8.count } - 13) < 0.2)
    #expect(abs(mean { $0.email.utf8.count } - 24) < 0.2)
    #expect(Set(people.map(\.age)) == Set(0..<100))
    #expect((3000..<3700).contains(people.count { $0.notes == nil }))
    #expect(Set(people.map(\.email.utf8.count)).count > 10)
  }

  @Test func keysByAgeAreThoseOfTheAge() {
    let dataset = Dataset(seed: 5, count: 1000)
    #expect(dataset.keysByAge.reduce(0) { $0 + $1.count } == 1000)
    #expect(dataset.keysByAge[7] == dataset.people.filter { $0.age == 7 }.map(\.id))
  }

  @Test(arguments: [(10, 10), (1000, 10), (5, 20)])
  func distinctKeysAreDistinct(count: Int, wanted: Int) {
    var random = SplitMix64(seed: 9)
    let keys = Dataset(seed: 1, count: count).distinctKeys(wanted, &random)
    #expect(keys.count == min(count, wanted))
    #expect(Set(keys).count == keys.count)
    #expect(keys.allSatisfy { (1...Int64(count)).contains($0) })
  }

  @Test func fewKeysOfZipfsDistributionComeOften() {
    let zipf = Zipfian(1000)
    var random = SplitMix64(seed: 1)
    var counts = [Int](repeating: 0, count: 1000)
    for _ in 0..<100_000 { counts[zipf.rank(&random)] += 1 }
    // The first rank has 1/ζ of all, which is 0.129 for a thousand.
    #expect(abs(Double(counts[0]) / 100_000 - 0.129) < 0.01)
    #expect(counts[0] > counts[1] && counts[1] > counts[10] && counts[10] > counts[500])
  }

  @Test func zipfOfOneIsNoTrap() {
    var random = SplitMix64(seed: 1)
    #expect(Zipfian(1).rank(&random) == 0)
    #expect(Zipfian(1).scattered(&random) == 0)
  }
}
