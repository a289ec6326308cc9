import Synchronization

extension Workload {
  static let concurrent: [Workload] = [
    Workload(
      "read-while-writing", "Snapshot reads during writes", unit: "reads",
      "Transactions that read two objects each, while another thread changes both of a pair in durable commits without "
        + "pause. A pair that differs would be half a commit."
    ) { context in
      var random = context.random(9)
      let dataset = context.dataset
      let keys = dataset.distinctKeys(128, &random)
      let pairs = (0..<keys.count / 2).map { (keys[$0 * 2], keys[$0 * 2 + 1]) }
      let order = (0..<max(1, context.effort.points / 5)).map { _ in random.below(max(1, pairs.count)) }
      return Plan { slot, latency in
        let store = try slot.store
        guard !pairs.isEmpty else { throw BenchmarkError("a store of one object has no pairs") }
        try store.setScores(pairs.flatMap { [KeyedScore($0, 1), KeyedScore($1, 1)] }, .off)
        let state = Shared()
        let writer = Threads.start {
          var turn = 0
          while !state.isDone.load(ordering: .relaxed) {
            let (first, second) = pairs[turn % pairs.count]
            let score = Double(turn + 2)
            try store.setScores([KeyedScore(first, score), KeyedScore(second, score)], .off)
            state.commits.store(turn + 1, ordering: .relaxed)
            turn += 1
          }
        }
        // Reads begin once the writer is at it, and go on until it has committed a few times more.
        while state.commits.load(ordering: .relaxed) == 0, writer.isRunning {}
        let start = Stopwatch.now()
        var reads = 0
        var torn = 0
        let failure: (any Error)?
        do {
          while reads < order.count || (state.commits.load(ordering: .relaxed) < 5 && writer.isRunning) {
            let (first, second) = pairs[order[reads % order.count]]
            let began = latency.start()
            let scores = try store.scores(first, second)
            latency.stop(began)
            if scores.0 != scores.1 { torn += 1 }
            reads += 1
          }
          failure = nil
        } catch {
          failure = error
        }
        let seconds = Stopwatch.seconds(since: start)
        state.isDone.store(true, ordering: .relaxed)
        try writer.wait()
        if let failure { throw failure }
        try WrongAnswer.require(torn, 0, "the number of pairs read in the middle of a commit")
        try restore(keys, dataset, store)
        return (seconds, reads)
      }
    }
  ]
}

/// What a reading and a writing thread tell each other.
private final class Shared: Sendable {
  let isDone = Atomic(false)
  let commits = Atomic(0)
}
