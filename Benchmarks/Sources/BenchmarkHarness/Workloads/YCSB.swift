/// One operation of the workloads A to F of the Yahoo! Cloud Serving Benchmark, on people.
enum YCSBOperation {
  case read(Int64)
  case update(KeyedScore)
  case insert(Int)
  case scan(Int64, Int)
  case readModifyWrite(Int64, Double)
}

/// A mix of operations, in parts of a hundred.
struct YCSBMix {
  var read = 0
  var update = 0
  var insert = 0
  var scan = 0
  var readModifyWrite = 0
  /// Whether reads prefer what was inserted last.
  var readsLatest = false
}

extension Workload {
  static let ycsb: [Workload] = [
    ycsb("a", "half reads, half updates", YCSBMix(read: 50, update: 50)),
    ycsb("b", "95 % reads, 5 % updates", YCSBMix(read: 95, update: 5)),
    ycsb("c", "reads only", YCSBMix(read: 100)),
    ycsb("d", "95 % reads of the latest, 5 % inserts", YCSBMix(read: 95, insert: 5, readsLatest: true)),
    ycsb("e", "95 % scans of up to 100 objects, 5 % inserts", YCSBMix(insert: 5, scan: 95)),
    ycsb("f", "half reads, half read-modify-writes", YCSBMix(read: 50, readModifyWrite: 50)),
  ]

  private static func ycsb(_ letter: String, _ words: String, _ mix: YCSBMix) -> Workload {
    let writes = mix.update + mix.insert + mix.readModifyWrite
    return Workload(
      "ycsb-\(letter)", "YCSB \(letter.uppercased())", unit: "operations",
      "\(words.prefix(1).uppercased() + words.dropFirst()); keys by a Zipf distribution; every operation in a "
        + "transaction of its own, every commit durable.", isBoundByCommits: writes > 0
    ) { context in
      let count = writes == 0 ? context.effort.points : max(20, context.effort.commits * 100 / max(writes, 25))
      return YCSBRun(mix, letter, count, context).plan()
    }
  }
}

/// The operations of a round, and what they must find, by playing them against the dataset.
private struct YCSBRun {
  var operations: [YCSBOperation] = []
  var newcomers: [Person] = []
  var expected = Digest()
  var changed: Set<Int64> = []
  let dataset: Dataset

  init(_ mix: YCSBMix, _ letter: String, _ count: Int, _ context: PlanContext) {
    dataset = context.dataset
    var random = context.random(100 + UInt64(letter.utf8.first ?? 0))
    let zipf = Zipfian(dataset.count)
    var scores: [Int64: Double] = [:]
    for _ in 0..<count {
      let last = Int64(dataset.count + newcomers.count)
      let key = mix.readsLatest ? last - Int64(zipf.rank(&random)) : Int64(zipf.scattered(&random) + 1)
      var draw = random.below(100)
      func current(_ key: Int64) -> Person {
        dataset.person(key, score: scores[key] ?? dataset.person(key).score)
      }
      func falls(_ share: Int) -> Bool {
        draw -= share
        return draw < 0
      }
      if falls(mix.read) {
        operations.append(.read(key))
        expected.add(current(key))
      } else if falls(mix.update) {
        let score = Double(random.below(1_024_000)) / 1024
        scores[key] = score
        operations.append(.update(KeyedScore(key, score)))
      } else if falls(mix.insert) {
        operations.append(.insert(newcomers.count))
        newcomers.append(Dataset.person(last + 1, seed: dataset.seed))
      } else if falls(mix.scan) {
        let length = random.below(100) + 1
        operations.append(.scan(key, length))
        for id in key..<min(last + 1, key + Int64(length)) { expected.add(current(id)) }
      } else {
        operations.append(.readModifyWrite(key, 0.5))
        expected.add(current(key))
        scores[key] = current(key).score + 0.5
      }
    }
    changed = Set(scores.keys)
  }

  func plan() -> Plan {
    let (operations, newcomers, expected, changed, dataset) = (operations, newcomers, expected, changed, dataset)
    return Plan(
      operations: operations.count, isRepeatable: changed.isEmpty && newcomers.isEmpty,
      work: { store, latency in
        var digest = Digest()
        let off = LatencyRecorder.off
        for operation in operations {
          let start = latency.start()
          let found = try perform(operation, newcomers, store, off)
          latency.stop(start)
          digest.count += found.count
          digest.sum &+= found.sum
        }
        return digest
      },
      check: { _, digest in try WrongAnswer.require(digest, expected, "the digest of all that was read") },
      restore: { store in
        if !changed.isEmpty { try Workload.restore(Array(changed), dataset, store) }
        if !newcomers.isEmpty { _ = try store.delete(newcomers.map(\.id), .off) }
      })
  }

  private func perform(
    _ operation: YCSBOperation, _ newcomers: [Person], _ store: any BenchmarkStore, _ off: LatencyRecorder
  ) throws -> Digest {
    switch operation {
    case .read(let key):
      return try store.getSingly([key], off)
    case .update(let change):
      try store.setScores([change], off)
    case .insert(let index):
      try store.insertSingly(newcomers[index...index], off)
    case .scan(let key, let count):
      return try store.scan(from: key, count: count)
    case .readModifyWrite(let key, let amount):
      return try store.readAndAddToScore(key, amount)
    }
    return Digest()
  }
}
