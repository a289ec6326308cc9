extension Workload {
  static let inserts: [Workload] = [
    Workload(
      "insert-bulk", "Bulk insert, one transaction", unit: "objects",
      "All objects in one transaction, ascending keys, with the index on age; durable at the end.", hasLatency: false
    ) { context in
      let people = context.dataset.people
      let expected = Digest.of(people)
      return Plan(
        operations: people.count,
        prepare: { try $0.recreate() },
        work: { store, _ in try store.insert(people) },
        check: { store, _ in try WrongAnswer.require(store.scan(), expected, "what was inserted") })
    },
    Workload(
      "insert-single", "Durable single commits", unit: "commits",
      "One object and one durable commit each, one writer.", isBoundByCommits: true
    ) { context in
      let people = context.dataset.newcomers(context.effort.commits)
      return Plan(
        operations: people.count,
        work: { store, latency in try store.insertSingly(people[...], latency) },
        check: { store, _ in try require(people, store) },
        restore: { try remove(people, $0) })
    },
    Workload(
      "insert-single-8", "Durable single commits, 8 writers", unit: "commits",
      "One object and one durable commit each, from eight threads at once.", isBoundByCommits: true
    ) { context in
      let share = max(1, context.effort.commits / 4)
      let people = context.dataset.newcomers(share * 8)
      return Plan(
        operations: people.count,
        work: { store, latency in
          let recorded = LatencyPool()
          let isOn = latency.isOn
          try Threads.run(8) { thread in
            let own = LatencyRecorder(isOn: isOn, capacity: share)
            try store.insertSingly(people[thread * share..<(thread + 1) * share], own)
            recorded.add(own)
          }
          latency.add(recorded.durations)
        },
        check: { store, _ in try require(people, store) },
        restore: { try remove(people, $0) })
    },
    Workload(
      "insert-single-64", "Durable single commits, 64 tasks", unit: "commits",
      "One object and one durable commit each, from 64 tasks at once, by the engine's asynchronous call if it has one.",
      isBoundByCommits: true, hasLatency: false
    ) { context in
      let share = max(1, context.effort.commits / 8)
      let people = context.dataset.newcomers(share * 64)
      return Plan(
        operations: people.count,
        work: { store, _ in
          try Tasks.run(64) { task in
            for person in people[task * share..<(task + 1) * share] { try await store.insertInTask(person) }
          }
        },
        check: { store, _ in try require(people, store) },
        restore: { try remove(people, $0) })
    },
  ]

  private static func require(_ people: [Person], _ store: any BenchmarkStore) throws {
    let found = try store.get(people.map(\.id), .off)
    try WrongAnswer.require(found, Digest.of(people), "what was committed")
  }

  private static func remove(_ people: [Person], _ store: any BenchmarkStore) throws {
    try WrongAnswer.require(store.delete(people.map(\.id), .off), people.count, "the number of deleted newcomers")
  }
}
