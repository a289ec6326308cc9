extension Workload {
  static let changes: [Workload] = [
    Workload(
      "update-key", "Update one field by key", unit: "objects",
      "Sets the score of objects with random keys, all in one transaction."
    ) { context in
      var random = context.random(6)
      let dataset = context.dataset
      let keys = dataset.distinctKeys(context.effort.points, &random)
      let scores = keys.map { KeyedScore($0, Double(random.below(1_024_000)) / 1024) }
      let expected = Digest.of(scores.lazy.map { dataset.person($0.key, score: $0.score) })
      return Plan(
        operations: keys.count, work: { store, latency in try store.setScores(scores, latency) },
        check: { store, _ in try WrongAnswer.require(store.get(keys, .off), expected, "what was updated") },
        restore: { try restore(keys, dataset, $0) })
    },
    Workload(
      "update-where", "Update where", unit: "objects",
      "Adds 1 to the score of everyone of an age (a hundredth of the store), one transaction each.",
      isBoundByCommits: true, hasLatency: false
    ) { context in
      let ages = distinctAges(context, 5)
      let dataset = context.dataset
      let keys = ages.flatMap { dataset.keysByAge[$0] }
      let expected = Digest.of(keys.lazy.map { dataset.person($0, score: dataset.person($0).score + 1) })
      return Plan(
        operations: keys.count,
        work: { store, _ in try ages.reduce(0) { try $0 + store.addToScores(age: $1, 1) } },
        check: { store, count in
          try WrongAnswer.require(count, keys.count, "the number of updated objects")
          try WrongAnswer.require(store.get(keys, .off), expected, "what was updated")
        },
        restore: { store in for age in ages { _ = try store.addToScores(age: age, -1) } })
    },
    Workload(
      "delete-key", "Delete by key", unit: "objects",
      "Deletes a tenth of the objects by random keys, with their index entries, in one transaction."
    ) { context in
      var random = context.random(8)
      let dataset = context.dataset
      let keys = dataset.distinctKeys(max(1, min(context.effort.points, dataset.count / 10)), &random)
      return Plan(
        operations: keys.count, work: { store, latency in try store.delete(keys, latency) },
        check: { store, count in
          try WrongAnswer.require(count, keys.count, "the number of deleted objects")
          try WrongAnswer.require(store.people(Array(keys.prefix(100))).compactMap(\.self).count, 0, "what is left")
        },
        restore: { try $0.insert(keys.map { dataset.person($0) }) })
    },
    Workload(
      "delete-where", "Delete where", unit: "objects",
      "Deletes everyone of an age (a hundredth of the store), one transaction each.", isBoundByCommits: true,
      hasLatency: false
    ) { context in
      let ages = distinctAges(context, 5)
      let dataset = context.dataset
      let keys = ages.flatMap { dataset.keysByAge[$0] }
      return Plan(
        operations: keys.count,
        work: { store, _ in try ages.reduce(0) { try $0 + store.delete(age: $1) } },
        check: { store, count in
          try WrongAnswer.require(count, keys.count, "the number of deleted objects")
          try WrongAnswer.require(store.count(ages: ages, .off), 0, "what the index still counts")
        },
        restore: { try $0.insert(keys.map { dataset.person($0) }) })
    },
  ]

  static func restore(_ keys: [Int64], _ dataset: Dataset, _ store: any BenchmarkStore) throws {
    try store.setScores(keys.map { KeyedScore($0, dataset.person($0).score) }, .off)
  }

  private static func distinctAges(_ context: PlanContext, _ count: Int) -> [Int] {
    var random = context.random(7)
    return Array((0..<Dataset.ages).shuffled(using: &random).prefix(count))
  }
}

extension Dataset {
  /// The person with another score.
  func person(_ key: Int64, score: Double) -> Person {
    var person = person(key)
    person.score = score
    return person
  }
}
