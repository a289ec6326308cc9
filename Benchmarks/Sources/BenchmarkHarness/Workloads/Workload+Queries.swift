extension Workload {
  static let queries: [Workload] = [
    Workload(
      "index-fetch", "Index equality, fetch", unit: "objects",
      "All objects of one age (a hundredth of the store) to structs by the index, a transaction each."
    ) { context in
      let ages = ages(context, max(1, min(context.effort.queries, context.effort.rows * 100 / context.count)))
      let dataset = context.dataset
      let expected = Digest.of(ages.lazy.flatMap { dataset.keysByAge[$0].lazy.map { dataset.person($0) } })
      return Plan(
        operations: expected.count, isRepeatable: true,
        work: { store, latency in try store.fetch(ages: ages, latency) },
        check: { _, digest in try WrongAnswer.require(digest, expected, "the digest of the fetched") })
    },
    Workload(
      "index-count", "Index equality, count", unit: "queries",
      "How many have one age (a hundredth of the store), by the index, a transaction each."
    ) { context in
      let ages = ages(context, context.effort.queries)
      let expected = ages.reduce(0) { $0 + context.dataset.keysByAge[$1].count }
      return Plan(
        operations: ages.count, isRepeatable: true, work: { store, latency in try store.count(ages: ages, latency) },
        check: { _, count in try WrongAnswer.require(count, expected, "the sum of the counts") })
    },
    Workload(
      "filter", "Unindexed filter", unit: "rows",
      "Counts score > 990 and email contains two letters, over rows without a fitting index.", hasLatency: false
    ) { context in
      var random = context.random(5)
      let letters = [UInt8](repeating: 0, count: 2).map { _ in UInt8(ascii: "a") + UInt8(random.below(26)) }
      let text = String(decoding: letters, as: UTF8.self)
      let expected = context.dataset.people.count { $0.score > 990 && Self.contains($0.email, letters) }
      return Plan(
        operations: context.count, isRepeatable: true,
        work: { store, _ in try store.count(scoreAbove: 990, emailContaining: text) },
        check: { _, count in try WrongAnswer.require(count, expected, "the number of matches") })
    },
    Workload(
      "sort-limit", "Sort by string, first 50", unit: "queries",
      "The first 50 in the order of email, which has no index, to structs.", display: .milliseconds,
      hasLatency: false
    ) { context in
      let expected = Array(firstByEmail(context.dataset, 50).map(\.id))
      return Plan(
        operations: 1, isRepeatable: true,
        work: { store, _ in try store.firstByEmail(50) },
        check: { _, keys in try WrongAnswer.require(keys, expected, "the list of the first keys") })
    },
  ]

  private static func ages(_ context: PlanContext, _ count: Int) -> [Int] {
    var random = context.random(4)
    return (0..<count).map { _ in random.below(Dataset.ages) }
  }

  private static func contains(_ text: String, _ needle: [UInt8]) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count >= needle.count else { return false }
    return (0...bytes.count - needle.count).contains { bytes[$0..<$0 + needle.count].elementsEqual(needle) }
  }

  /// The first people in the order of the bytes of their emails, ties by key.
  private static func firstByEmail(_ dataset: Dataset, _ limit: Int) -> ArraySlice<Person> {
    var best: [Person] = []
    func precedes(_ left: Person, _ right: Person) -> Bool {
      if left.email.utf8.elementsEqual(right.email.utf8) { return left.id < right.id }
      return left.email.utf8.lexicographicallyPrecedes(right.email.utf8)
    }
    for person in dataset.people {
      if best.count >= limit * 8 {
        best = Array(best.sorted(by: precedes).prefix(limit))
      }
      if best.count < limit || best.count > limit || precedes(person, best[limit - 1]) { best.append(person) }
    }
    return best.sorted(by: precedes).prefix(limit)
  }
}
