import BenchmarkHarness
import QuarryBackend
import QuarryCore

/// A store of Quarry's under measurement. It does what a program would do: nothing here knows the engine.
final class QuarryStore: BenchmarkStore {
  private let store: Store

  init(_ provider: some BackendProvider, encryption: Encryption? = nil) throws {
    store = try Store(for: Person.self, in: provider, encryption: encryption)
  }

  func close() throws { try store.close() }

  func insert(_ people: [Person]) throws {
    try store.insert(contentsOf: people)
  }

  func insertSingly(_ people: ArraySlice<Person>, _ latency: LatencyRecorder) throws {
    for person in people {
      let start = latency.start()
      try store.insert(person)
      latency.stop(start)
    }
  }

  func insertInTask(_ person: Person) async throws { try await store.insert(person) }

  func get(_ keys: [Int64], _ latency: LatencyRecorder) throws -> Digest {
    try store.read { transaction in
      var digest = Digest()
      for key in keys {
        let start = latency.start()
        if let person = try transaction.get(Person.self, key) { digest.add(person) }
        latency.stop(start)
      }
      return digest
    }
  }

  func getSingly(_ keys: [Int64], _ latency: LatencyRecorder) throws -> Digest {
    var digest = Digest()
    for key in keys {
      let start = latency.start()
      if let person = try store.get(Person.self, key) { digest.add(person) }
      latency.stop(start)
    }
    return digest
  }

  func getFrozen(_ keys: [Int64], _ latency: LatencyRecorder) throws -> Digest {
    try store.read { transaction in
      var digest = Digest()
      for key in keys {
        let start = latency.start()
        if let person = try transaction.frozen(Person.self, key) {
          digest.add(id: person.id, age: person.age, score: person.score, active: person.active)
        }
        latency.stop(start)
      }
      return digest
    }
  }

  func people(_ keys: [Int64]) throws -> [Person?] {
    try store.get(Person.self, keys: keys)
  }

  func scan() throws -> Digest {
    Digest.of(try store.fetch(Person.all))
  }

  func scanFrozen() throws -> Digest {
    var digest = Digest()
    for person in try store.frozen(Person.all) {
      digest.add(id: person.id, age: person.age, score: person.score, active: person.active)
    }
    return digest
  }

  func scan(from key: Int64, count: Int) throws -> Digest {
    Digest.of(try store.fetch(Person.where { $0.id >= key }.limit(count)))
  }

  func fetch(ages: [Int], _ latency: LatencyRecorder) throws -> Digest {
    var digest = Digest()
    for age in ages {
      let start = latency.start()
      for person in try store.fetch(Person.where { $0.age == age }) { digest.add(person) }
      latency.stop(start)
    }
    return digest
  }

  func count(ages: [Int], _ latency: LatencyRecorder) throws -> Int {
    var total = 0
    for age in ages {
      let start = latency.start()
      total += try store.count(Person.where { $0.age == age })
      latency.stop(start)
    }
    return total
  }

  func count(scoreAbove score: Double, emailContaining text: String) throws -> Int {
    try store.count(Person.where { $0.score > score && $0.email.contains(text) })
  }

  func firstByEmail(_ limit: Int) throws -> [Int64] {
    try store.fetch(Person.all.sorted(by: \.email).limit(limit)).map(\.id)
  }

  func setScores(_ scores: [KeyedScore], _ latency: LatencyRecorder) throws {
    try store.write { transaction in
      for change in scores {
        let start = latency.start()
        try transaction.assign(Person.self, change.key) { $0.score = change.score }
        latency.stop(start)
      }
    }
  }

  func addToScores(age: Int, _ amount: Double) throws -> Int {
    try store.assign(Person.where { $0.age == age }) { $0.score += amount }
  }

  func delete(_ keys: [Int64], _ latency: LatencyRecorder) throws -> Int {
    try store.write { transaction in
      var count = 0
      for key in keys {
        let start = latency.start()
        if try transaction.delete(Person.self, key) { count += 1 }
        latency.stop(start)
      }
      return count
    }
  }

  func delete(age: Int) throws -> Int {
    try store.delete(Person.where { $0.age == age })
  }

  func readAndAddToScore(_ key: Int64, _ amount: Double) throws -> Digest {
    try store.write { transaction in
      var digest = Digest()
      try transaction.update(Person.self, key) { person in
        digest.add(person)
        person.score += amount
      }
      return digest
    }
  }

  func scores(_ first: Int64, _ second: Int64) throws -> (Double, Double) {
    try store.read { transaction in
      guard let one = try transaction.get(Person.self, first), let other = try transaction.get(Person.self, second)
      else { throw BenchmarkError("a person is missing") }
      return (one.score, other.score)
    }
  }
}
