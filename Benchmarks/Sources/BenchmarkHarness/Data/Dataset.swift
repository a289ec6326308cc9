import Foundation

/// The people of a run. Each is a function of the seed and its key, so that any of them can be made again for a check.
public struct Dataset: Sendable {
  public let seed: UInt64
  /// The people with the keys 1 to `count`, in that order.
  public let people: [Person]
  /// The keys of each age, ascending.
  public let keysByAge: [[Int64]]

  public static let ages = 100

  public var count: Int { people.count }

  public init(seed: UInt64, count: Int) {
    self.seed = seed
    var people: [Person] = []
    people.reserveCapacity(count)
    var keysByAge = [[Int64]](repeating: [], count: Self.ages)
    for id in 0..<count {
      let person = Self.person(Int64(id + 1), seed: seed)
      keysByAge[person.age].append(person.id)
      people.append(person)
    }
    self.people = people
    self.keysByAge = keysByAge
  }

  /// The person with a key, whether it is among `people` or not.
  public func person(_ id: Int64) -> Person {
    id >= 1 && id <= people.count ? people[Int(id) - 1] : Self.person(id, seed: seed)
  }

  /// People that are not among `people`, with the keys that follow theirs.
  public func newcomers(_ count: Int, after skipped: Int = 0) -> [Person] {
    let first = self.count + skipped
    return (0..<count).map { Self.person(Int64(first + $0 + 1), seed: seed) }
  }

  /// Keys of `people` by chance; the same key may come more than once.
  public func randomKeys(_ count: Int, _ random: inout SplitMix64) -> [Int64] {
    (0..<count).map { _ in Int64(random.below(self.count) + 1) }
  }

  /// Different keys of `people` by chance, in an order by chance.
  public func distinctKeys(_ count: Int, _ random: inout SplitMix64) -> [Int64] {
    let count = min(count, self.count)
    if count * 4 > self.count {
      return Array((1...Int64(self.count)).shuffled(using: &random).prefix(count))
    }
    var seen: Set<Int64> = []
    var keys: [Int64] = []
    while keys.count < count {
      let key = Int64(random.below(self.count) + 1)
      if seen.insert(key).inserted { keys.append(key) }
    }
    return keys
  }

  /// A person as a function of seed and key.
  public static func person(_ id: Int64, seed: UInt64) -> Person {
    var random = SplitMix64(seed: seed &* 0xD6E8_FEB8_6659_FD93 &+ UInt64(bitPattern: id))
    let name = text(8...18, &random)
    let email = text(4...20, &random) + "@example.org"
    let age = random.below(ages)
    // Multiples of a power of two, so that adding and taking away gives back the same bits.
    let score = Double(random.below(1_024_000)) / 1024
    let created = Date(timeIntervalSinceReferenceDate: Double(random.below(800_000_000)) + 0.25)
    let active = random.next() & 1 == 0
    let notes = random.below(3) == 0 ? nil : text(5...75, &random)
    return Person(
      id: id, name: name, email: email, age: age, score: score, created: created, active: active, notes: notes)
  }

  private static func text(_ lengths: ClosedRange<Int>, _ random: inout SplitMix64) -> String {
    let count = lengths.lowerBound + random.below(lengths.count)
    return String(unsafeUninitializedCapacity: count) { buffer in
      for index in 0..<count { buffer[index] = UInt8(ascii: "a") + UInt8(random.below(26)) }
      return count
    }
  }
}
