import Foundation

/// Which runs of the kit come to which mutants' places, and how long each takes: what a run of a plan without a live mutant
/// wrote down.
struct Coverage: Sendable {
  struct Run: Sendable {
    let testCase: String
    let variant: String
    let milliseconds: Double

    var area: String { String(testCase.prefix { $0 != "." }) }
    var isSealed: Bool { variant == "encrypted" }
  }

  private(set) var runs: [Run] = []
  /// Milliseconds of all plain runs of a case, and of its sealed ones.
  private var plainTimes: [String: Double] = [:]
  private var sealedTimes: [String: Double] = [:]
  /// The places in `runs` of those that reach a mutant.
  private var reaching: [Int: [Int]] = [:]
  /// Areas in whose process a mutant's place was reached outside of cases.
  private var outside: [Int: Set<String>] = [:]

  /// Takes in what the process of one area noted.
  ///
  /// - Parameters:
  ///   - cases: A line for each run: the case and its variant, milliseconds, the numbers of the mutants.
  ///   - rest: A byte for each mutant that is not zero when its place was reached after the last run.
  mutating func add(area: String, cases: String, rest: Data) {
    for line in cases.split(separator: "\n") {
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
      let words = parts.first?.split(separator: " ") ?? []
      guard parts.count == 3, words.count == 2 else { continue }
      for number in parts[2].split(separator: " ").compactMap({ Int($0) }) {
        reaching[number, default: []].append(runs.count)
      }
      let run = Run(testCase: String(words[0]), variant: String(words[1]), milliseconds: Double(parts[1]) ?? 0)
      runs.append(run)
      if run.isSealed {
        sealedTimes[run.testCase, default: 0] += run.milliseconds
      } else {
        plainTimes[run.testCase, default: 0] += run.milliseconds
      }
    }
    for (number, byte) in rest.enumerated() where byte != 0 { outside[number, default: []].insert(area) }
  }

  func reaches(_ number: Int) -> Bool { reaching[number] != nil || outside[number] != nil }

  /// The cases to try a mutant with.
  struct Chosen: Sendable {
    /// Cases of which a run comes to the mutant's place, the quickest first.
    var near: [String] = []
    /// The other cases of the areas in which it is reached: what was computed at the place may be kept in the process.
    var far: [String] = []
    /// Cases that come to the place only on a sealed store, though they are run on a plain one, too.
    var sealed: [String] = []
  }

  func chosen(_ number: Int) -> Chosen {
    let places = reaching[number] ?? []
    let areas = Set(places.map { runs[$0].area }).union(outside[number] ?? [])
    let plain = Set(places.lazy.map { runs[$0] }.filter { !$0.isSealed }.map(\.testCase))
    let sealed = Set(places.lazy.map { runs[$0] }.filter(\.isSealed).map(\.testCase)).subtracting(plain)
    let cost = plainTimes.filter { areas.contains(String($0.key.prefix { $0 != "." })) }
    let sorted = cost.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
    return Chosen(
      near: sorted.filter(plain.contains), far: sorted.filter { !plain.contains($0) }, sealed: sealed.sorted())
  }

  /// The cases that the plan also runs on sealed stores.
  var sealedCases: Set<String> { Set(sealedTimes.keys) }

  /// How long the cases take.
  func seconds(_ cases: some Collection<String>, isSealed: Bool) -> Double {
    let times = isSealed ? sealedTimes : plainTimes
    return Set(cases).reduce(0) { $0 + times[$1, default: 0] } / 1000
  }

  /// Those of the cases that take no longer than so many seconds together, the quickest first. A case of which nothing is known,
  /// because the plan does not run it, counts for two seconds.
  func quickest(_ cases: [String], within seconds: Double) -> [String] {
    let sorted = cases.map { ($0, plainTimes[$0] ?? 2000) }.sorted { ($0.1, $0.0) < ($1.1, $1.0) }
    var rest = seconds * 1000
    return sorted.prefix { _, milliseconds in
      rest -= milliseconds
      return rest >= 0
    }.map(\.0)
  }

  var areas: [String] { Set(runs.map(\.area)).sorted() }
}
