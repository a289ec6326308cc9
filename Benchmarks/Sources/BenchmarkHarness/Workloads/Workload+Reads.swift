extension Workload {
  static let reads: [Workload] = [
    Workload(
      "get", "Point read, one transaction", unit: "objects",
      "Whole objects by random keys in one transaction. Raw SQLite reads every column; all others make structs."
    ) { context in
      let (keys, expected) = points(context)
      return Plan(
        operations: keys.count, isRepeatable: true, work: { store, latency in try store.get(keys, latency) },
        check: { _, digest in try WrongAnswer.require(digest, expected, "the digest of what was read") })
    },
    Workload(
      "get-single", "Point read, one-call get", unit: "objects",
      "Whole objects by random keys, a transaction each."
    ) { context in
      let (keys, expected) = points(context)
      return Plan(
        operations: keys.count, isRepeatable: true, work: { store, latency in try store.getSingly(keys, latency) },
        check: { _, digest in try WrongAnswer.require(digest, expected, "the digest of what was read") })
    },
    Workload(
      "get-frozen", "Point read, frozen", unit: "objects",
      "Objects by random keys in their stored form, outliving the transaction, of which four fields are read."
    ) { context in
      let (keys, _) = points(context)
      let expected = Digest.ofParts(keys.map { context.dataset.person($0) })
      return Plan(
        operations: keys.count, isRepeatable: true, work: { store, latency in try store.getFrozen(keys, latency) },
        check: { _, digest in try WrongAnswer.require(digest, expected, "the digest of what was read") })
    },
    Workload(
      "scan", "Scan to structs", unit: "objects",
      "Everyone into one array of structs, every field. Raw SQLite reads every column and makes no structs.",
      hasLatency: false
    ) { context in
      let expected = Digest.of(context.dataset.people)
      return Plan(
        operations: context.count, isRepeatable: true,
        work: { store, _ in try store.scan() },
        check: { _, digest in try WrongAnswer.require(digest, expected, "the digest of the scan") })
    },
    Workload(
      "scan-frozen", "Scan frozen", unit: "objects",
      "Everyone in stored form, outliving the transaction, of whom four fields are read.", hasLatency: false
    ) { context in
      let expected = Digest.ofParts(context.dataset.people)
      return Plan(
        operations: context.count, isRepeatable: true,
        work: { store, _ in try store.scanFrozen() },
        check: { _, digest in try WrongAnswer.require(digest, expected, "the digest of the scan") })
    },
    Workload(
      "open", "Open an existing store", unit: "openings",
      "Opens the store of all objects and reads one of them; after a clean close.", display: .milliseconds,
      hasLatency: false
    ) { context in
      var random = context.random(3)
      let keys = context.dataset.randomKeys(1, &random)
      let expected = Digest.of(keys.map { context.dataset.person($0) })
      return Plan { slot, _ in
        try slot.close()
        let start = Stopwatch.now()
        try slot.open()
        let digest = try slot.store.getSingly(keys, .off)
        let seconds = Stopwatch.seconds(since: start)
        try WrongAnswer.require(digest, expected, "the digest of what was read")
        return (seconds, 1)
      }
    },
  ]

  private static func points(_ context: PlanContext) -> (keys: [Int64], expected: Digest) {
    var random = context.random(1)
    let keys = context.dataset.randomKeys(context.effort.points, &random)
    return (keys, Digest.of(keys.lazy.map { context.dataset.person($0) }))
  }
}
