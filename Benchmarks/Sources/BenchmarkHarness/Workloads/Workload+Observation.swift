extension Workload {
  /// Commits of their own that somebody observes, or nobody. Every round has a store of its own with 1,000 objects.
  static let observation: [Workload] = [
    observed(
      "commit-unobserved", "Commits without observers", "Changes an object, a commit each time, without observers."
    ) {
      ObservedWork(observers: .none, waits: .no)
    },
    observed(
      "commit-observed-list", "Commits under an observed list",
      "The same, while somebody observes all objects as a list."
    ) { ObservedWork(observers: .list, waits: .no) },
    observed(
      "commit-observed", "Commits under an observed object", "The same, while somebody observes the object."
    ) { ObservedWork(observers: .objects(1), waits: .no) },
    observed(
      "commit-observed-1000", "Commits under 1,000 observers",
      "The same, while 1,000 objects are observed, of which the one is changed."
    ) { ObservedWork(observers: .objects(1_000), waits: .no) },
    observed(
      "delivery", "From commit to observer",
      "Changes an object and waits until its observer was told: the time from before the commit to the call of the closure."
    ) { ObservedWork(observers: .objects(1), waits: .here) },
    observed(
      "delivery-other", "From commit to another observer",
      "The same, where another opening of the store commits, as another process does: by the notification of the file system."
    ) { ObservedWork(observers: .objects(1), waits: .elsewhere) },
  ]

  private static func observed(
    _ id: String, _ title: String, _ explanation: String, _ makeWork: @escaping @Sendable () -> ObservedWork
  ) -> Workload {
    Workload(
      id, title, unit: "commits", explanation, isBoundByCommits: true, subject: .observation
    ) { context in
      let work = makeWork()
      return Plan { slot, latency in
        let store = try slot.openObserved()
        defer { try? store.close() }
        try store.insert(counters: 1_000)
        switch work.observers {
        case .none: break
        case .list: try store.observeList()
        case .objects(let count): try store.observeCounters(below: count)
        }
        // A commit that is not durable takes microseconds.
        let commits = Int64(context.effort.commits * (slot.engine.durability == .none && work.waits == .no ? 20 : 1))
        let start = Stopwatch.now()
        switch work.waits {
        case .no: try store.count(0, to: 1...commits, latency)
        case .here, .elsewhere:
          try store.countAndWait(0, to: 1...commits, elsewhere: work.waits == .elsewhere, latency)
        }
        let seconds = Stopwatch.seconds(since: start)
        try WrongAnswer.require(store.sumStored(), commits, "the sum that is stored")
        if work.observers != .none {
          try WrongAnswer.require(store.sumTold(awaiting: commits), commits, "the sum that was told")
        }
        return (seconds, Int(commits))
      }
    }
  }
}

/// What is observed, and for what a commit waits.
private struct ObservedWork {
  enum Observers: Equatable { case none, list, objects(Int64) }
  enum Waits { case no, here, elsewhere }

  var observers: Observers
  var waits: Waits
}
