import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Several processes that all work at one store at once.
enum SharedCrowdCases {
  static let all: [ConformanceCase] = [
    .processes(
      "MP.bank", ["MP-1", "ISO-1", "ISO-2"],
      "Three processes move money and two look: the sum is always right, and every transfer counts.",
      needs: [.multipleProcesses]
    ) { kit in
      let place = try kit.makePlace()
      let store = try kit.open(AccountWorkload.models, at: place)
      try AccountWorkload.prepare(store)
      let transfers = 10 * max(4, kit.kills)
      let writers = try (0..<2).map { _ in try kit.secondProcess(at: place, "open accounts") }
      let readers = try (0..<2).map { _ in try kit.secondProcess(at: place, "open accounts") }
      for (number, writer) in writers.enumerated() { writer.tell("transfer \(transfers) \(number + 1)") }
      for reader in readers { reader.tell("audit \(transfers)") }
      try AccountWorkload.transfer(store, transfers, seed: kit.seed)
      try AccountWorkload.audit(store, transfers)
      for child in writers + readers { try expectEqual(try child.answer(), "done") }
      try expectEqual(try AccountWorkload.verify(store), transfers * 3)
    },
    .processes(
      "MP.increments", ["MP-1", "ISO-1"], "No increment of three processes is lost.", needs: [.multipleProcesses]
    ) { kit in
      let place = try kit.makePlace()
      let store = try kit.open([Item.self], at: place)
      try store.insert(Item(1, rank: 0))
      let children = try (0..<3).map { _ in try kit.secondProcess(at: place, "open item") }
      let times = 5 * max(4, kit.kills)
      for child in children { child.tell("add-times 1 \(times)") }
      for child in children { try child.answer() }
      try expectEqual(try store.get(Item.self, 1)?.rank, times * 3)
    },
    .processes(
      "MP.whole-commits", ["MP-1", "ISO-2", "TXN-1"],
      "Beside a process that commits all the time, each read sees whole commits.", needs: [.multipleProcesses]
    ) { kit in
      let place = try kit.makePlace()
      let store = try kit.open(BatchWorkload.models, at: place)
      let child = try kit.secondProcess(at: place, "open batch")
      child.tell("batches")
      var last = 0
      for _ in 0..<max(5, kit.kills) {
        let acknowledged = try unwrap(Int(try child.answer()), "the number")
        let found = try store.read { try BatchWorkload.verify($0) }
        try expect(found >= max(acknowledged, last), "commit \(found) was seen after \(acknowledged) and \(last)")
        last = found
      }
      child.kill()
    },
    .processes(
      "MP.made-at-once", ["MP-1", "DUR-3"],
      "Processes that make one store at once have one store, with the models of all.", needs: [.multipleProcesses]
    ) { kit in
      for _ in 0..<3 {
        let place = try kit.makePlace()
        let children = try (0..<3).map { _ in try kit.startSecondProcess(at: place) }
        for child in children { try child.expectGreeting() }
        for (child, models) in zip(children, ["item", "accounts", "item+numbered"]) { child.tell("open \(models)") }
        for child in children { try child.answer(to: "open") }
        try children[0].ask("insert 1")
        try children[2].expect("ids", "1")
        let store = try kit.open([Item.self, Numbered.self, Counter.self], at: place)
        try expectEqual(try store.keys(Item.all), [1])
      }
    },
  ]
}
