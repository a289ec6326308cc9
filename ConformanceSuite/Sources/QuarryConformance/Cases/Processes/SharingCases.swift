import Foundation
import QuarryBackend
import QuarryCore

/// Two processes at one store, of engines that declare it: what one commits the other sees, and nothing else.
enum SharingCases {
  static let all: [ConformanceCase] = reading + writing + schema + crowds

  private static let reading: [ConformanceCase] = [
    .shared("MP.commit-seen", ["MP-1", "ISO-3"], "What another process has committed is seen by the next read.") {
      scene in
      try scene.child.ask("insert 4 40 new")
      try expectEqual(try scene.ids(), [1, 2, 3, 4])
      try expectEqual(try scene.store.get(Item.self, 4), Item(4, rank: 40, name: "new"))
      try expectEqual(try scene.store.keys(Item.where { $0.rank == 40 }), [4])
      try expectEqual(try scene.store.keys(Item.where { $0.code == "c4" }), [4])
      try expectEqual(try scene.store.count(Item.self), 4)
      try scene.child.ask("delete 2")
      try expect(try scene.store.get(Item.self, 2) == nil)
      try expectEqual(try scene.store.count(Item.where { $0.name == "old" }), 2)
    },
    .shared("MP.commit-shown", ["MP-1", "ISO-3"], "What this process has committed is seen by another's next read.") {
      scene in
      try scene.child.expect("ids", "1 2 3")
      try scene.store.insert(Item(4, rank: 4, name: "new"))
      try scene.child.expect("ids", "1 2 3 4")
      try scene.store.update(Item.self, 1) { $0.rank = 70 }
      try scene.child.expect("rank 1", "70")
      try scene.store.deleteAll(Item.self)
      try scene.child.expect("ids", "")
    },
    .shared("MP.uncommitted-unseen", ["MP-1", "ISO-2"], "What another process has not committed is not seen.") {
      scene in
      try scene.child.ask("write")
      try scene.child.ask("insert 4 40 new")
      try scene.child.ask("rename-all new")
      try scene.child.expect("named new", "4")
      try expectEqual(try scene.ids(), [1, 2, 3])
      try expectEqual(try scene.store.count(Item.where { $0.name == "new" }), 0)
      try expectEqual(try scene.store.get(Item.self, 1)?.name, "old")
      try scene.child.ask("commit")
      try expectEqual(try scene.store.count(Item.where { $0.name == "new" }), 4)
    },
    .shared("MP.rolled-back-unseen", ["MP-1", "TXN-1"], "What another process has rolled back is never seen.") {
      scene in
      try scene.child.ask("write")
      try scene.child.ask("insert-many 10 500 200")
      try scene.child.ask("delete 1")
      try scene.child.ask("rollback")
      try expectEqual(try scene.ids(), [1, 2, 3])
      try scene.child.expect("ids", "1 2 3")
    },
    .shared("MP.read-keeps-state", ["MP-1", "ISO-2"], "A read sees one state, whatever another process commits.") {
      scene in
      let items = try scene.store.fetch(Item.self)
      try scene.store.read { tx in
        let version = try tx.version
        try expectEqual(try tx.fetch(Item.self), items)
        try scene.child.ask("insert 4 40 new")
        try scene.child.ask("rename-all new")
        try scene.child.ask("delete 1")
        try expectEqual(try tx.fetch(Item.self), items)
        try expectEqual(try tx.keys(Item.where { $0.name == "old" }), [1, 2, 3])
        try expectEqual(try tx.count(Item.self), 3)
        try expectEqual(try tx.version, version)
      }
      try expectEqual(try scene.ids(), [2, 3, 4])
    },
    .shared(
      "MP.cursor-keeps-state", ["MP-1", "ISO-2"], "A cursor goes through one state, whatever another process commits."
    ) { scene in
      try scene.child.ask("insert-many 100 300 10")
      try scene.store.read { tx in
        let cursor = try tx.cursor(Item.where { $0.id >= 100 })
        var found: [Int] = []
        for _ in 0..<10 { try found.append(unwrap(try cursor.next(), "a row").id) }
        try scene.child.ask("delete-all")
        while let item = try cursor.next() { found.append(item.id) }
        try expectEqual(found, Array(100..<400))
      }
      try expectEqual(try scene.ids(), [])
    },
    .shared(
      "MP.frozen-keeps-state", ["MP-1", "SNAP-1"], "A frozen store keeps its state, whatever another process commits.",
      needs: [.snapshots]
    ) { scene in
      let items = try scene.store.fetch(Item.self)
      let frozen = try scene.store.freeze()
      defer { frozen.close() }
      for round in 0..<20 { try scene.child.ask("rename-all r\(round)") }
      try scene.child.ask("delete 2")
      try expectEqual(try frozen.fetch(Item.self), items)
      try expectEqual(try frozen.keys(Item.where { $0.name == "old" }), [1, 2, 3])
      try expectEqual(try scene.ids(), [1, 3])
    },
    .shared(
      "MP.frozen-elsewhere", ["MP-1", "SNAP-1"], "A store that another process has frozen keeps its state there.",
      needs: [.snapshots]
    ) { scene in
      try scene.child.ask("freeze")
      try scene.store.update(Item.all, set: { $0.name = "new" })
      try scene.store.delete(Item.self, 3)
      try scene.child.expect("named old", "3")
      try scene.child.ask("thaw")
      try scene.child.expect("named old", "0")
      try scene.child.expect("ids", "1 2")
    },
    .shared("MP.versions", ["MP-1", "ISO-3"], "The states of all processes are in one order of versions.") { scene in
      var last = try scene.store.read { try $0.version.rawValue }
      for round in 0..<5 {
        try scene.child.ask("rename-all r\(round)")
        let theirs = try unwrap(UInt64(try scene.child.ask("version")), "the version")
        try expect(theirs > last, "version \(theirs) of another process after \(last)")
        try scene.store.update(Item.all, set: { $0.name = "s\(round)" })
        last = try scene.store.read { try $0.version.rawValue }
        try expect(last > theirs, "version \(last) after \(theirs) of another process")
      }
    },
    .shared(
      "MP.pages", ["MP-1", "PAGE-2"], "Pages are not disturbed by what another process commits between them.",
      needs: [.queryPaging]
    ) { scene in
      try scene.child.ask("insert-many 10 30 10")
      let query = Item.where { $0.id >= 10 && $0.id < 40 }
      var page = try scene.store.page(query, size: 7)
      var found = page.elements.map(\.id)
      try scene.child.ask("delete 10")
      try scene.child.ask("insert 5")
      try scene.child.ask("insert-many 100 20 10")
      while let next = page.next {
        page = try scene.store.page(query.after(next), size: 7)
        found += page.elements.map(\.id)
      }
      try expectEqual(found, Array(10..<40))
    },
  ]

  private static let writing: [ConformanceCase] = [
    .shared("MP.duplicate-key", ["MP-1", "CRUD-2"], "A key that another process has stored is taken.", without: []) {
      scene in
      try scene.child.ask("insert 4 40 theirs")
      try expectError(.duplicateKey) { try scene.store.insert(Item(4, name: "ours")) }
      try expectEqual(try scene.store.get(Item.self, 4)?.name, "theirs")
      try scene.store.insert(Item(5))
      try expectError(.duplicateKey) { try scene.child.ask("insert 5") }
    },
    .shared("MP.unique", ["MP-1", "IDX-1"], "A unique value that another process has stored is taken.", without: []) {
      scene in
      try scene.child.ask("insert 4 40 theirs x")
      try expectError(.uniqueViolation) { try scene.store.insert(Item(5, code: "x")) }
      try scene.store.insert(Item(6, code: "y"))
      try expectError(.uniqueViolation) { try scene.child.ask("insert 7 0 n y") }
      try scene.child.ask("delete 4")
      try scene.store.insert(Item(5, code: "x"))
    },
    .shared(
      "MP.conflict", ["MP-1", "CRUD-9"], "An update of what another process has changed is a conflict.",
      needs: [.compareAndUpdate]
    ) { scene in
      let old = try unwrap(try scene.store.get(Item.self, 1))
      try scene.child.ask("add 1 10")
      var new = old
      new.name = "new"
      try expectError(.conflict) { try scene.store.update(new, ifUnchangedFrom: old) }
      try expectEqual(try scene.store.get(Item.self, 1)?.rank, 11)
    },
    .shared(
      "MP.get-or-insert", ["MP-1", "CRUD-10"], "Of two processes that store what is missing one does, for each object.",
      without: ConformanceVariant.allButFresh
    ) { scene in
      scene.child.tell("get-or-insert 10 100 theirs")
      var own = 0
      for id in 10..<110
      where try scene.store.write(timeout: 60, { try $0.getOrInsert(Item(id, name: "ours")).name }) == "ours" {
        own += 1
      }
      let theirs = try unwrap(Int(try scene.child.answer(to: "get-or-insert")), "the number")
      try expectEqual(own + theirs, 100)
      try expectEqual(try scene.store.count(Item.where { $0.name == "ours" }), own)
      try expectEqual(try scene.store.count(Item.where { $0.name == "theirs" }), theirs)
    },
    .shared(
      "MP.busy", ["MP-1", "ISO-1"], "While another process writes, a write waits and then is busy; reads do not wait."
    ) { scene in
      try scene.child.ask("write")
      try scene.child.ask("insert 4")
      try expectError(.busy) { try scene.store.write(timeout: 0.1) { try $0.insert(Item(5)) } }
      try expectError(.busy) { try scene.store.write(timeout: 0) { try $0.insert(Item(5)) } }
      try expectEqual(try scene.ids(), [1, 2, 3])
      try scene.child.ask("commit")
      try scene.store.write(timeout: 5) { try $0.insert(Item(5)) }
      try expectEqual(try scene.ids(), [1, 2, 3, 4, 5])
    },
    .shared(
      "MP.busy-elsewhere", ["MP-1", "ISO-1"], "While this process writes, another's write is busy after its timeout."
    ) { scene in
      try scene.store.write { tx in
        try tx.insert(Item(4))
        try expectError(.busy) { try scene.child.ask("write 0.1") }
        try scene.child.expect("ids", "1 2 3")
      }
      try scene.child.ask("write 5")
      try scene.child.ask("insert 5")
      try scene.child.ask("commit")
      try expectEqual(try scene.ids(), [1, 2, 3, 4, 5])
    },
    .shared(
      "MP.writer-waits", ["MP-1", "ISO-1"], "A write that waits for another process goes on when that has ended."
    ) { scene in
      try scene.child.ask("write")
      try scene.child.ask("add 1 10")
      let waiting = FirstError()
      let ended = DispatchSemaphore(value: 0)
      let thread = Thread {
        waiting.note {
          try scene.store.write(timeout: 60) { tx in _ = try tx.update(Item.self, 1) { $0.rank = ($0.rank ?? 0) * 2 } }
        }
        ended.signal()
      }
      thread.start()
      Thread.sleep(forTimeInterval: 0.05)
      try scene.child.ask("commit")
      ended.wait()
      try waiting.rethrow()
      try expectEqual(try scene.store.get(Item.self, 1)?.rank, 22)
    },
    .shared("MP.reader-holds-nobody", ["MP-1", "ISO-2"], "A read of another process keeps no writer waiting.") {
      scene in
      try scene.child.ask("read")
      try scene.child.expect("named old", "3")
      for round in 0..<20 {
        _ = try scene.store.write(timeout: 1) { try $0.update(Item.all, set: { $0.name = "r\(round)" }) }
      }
      try scene.child.expect("named old", "3")
      try scene.child.ask("rollback")
      try scene.child.expect("named r19", "3")
    },
    .shared("MP.close-elsewhere", ["MP-3", "OPEN-3"], "When another process closes the store, this one goes on.") {
      scene in
      try scene.child.ask("insert 4")
      try scene.child.ask("close")
      try scene.store.insert(Item(5))
      try expectEqual(try scene.ids(), [1, 2, 3, 4, 5])
      try scene.child.ask("open item")
      try scene.child.expect("ids", "1 2 3 4 5")
    },
    .shared("MP.close-here", ["MP-3", "OPEN-3"], "When this process closes the store, another goes on.") { scene in
      try scene.store.insert(Item(4))
      try scene.store.close()
      try scene.child.ask("insert 5")
      try scene.child.expect("ids", "1 2 3 4 5")
      try scene.child.ask("close")
      try expectEqual(try scene.kit.open([Item.self], at: scene.place).keys(Item.all), [1, 2, 3, 4, 5])
    },
    .shared(
      "MP.large-commit", ["MP-1", "CRUD-1"], "A large commit of another process is seen whole, and the next ones.",
      without: ConformanceVariant.allButFresh
    ) { scene in
      try scene.child.ask("insert-many 1000 3000 1500")
      try expectEqual(try scene.store.count(Item.self), 3003)
      try expectEqual(try scene.store.get(Item.self, 3999)?.note?.utf8.count, 1500)
      try scene.store.insert(contentsOf: (5000..<7000).map { Item($0, note: String(repeating: "m", count: 1500)) })
      try scene.child.ask("add 1 1")
      try scene.child.ask("delete-all")
      try expectEqual(try scene.store.count(Item.self), 0)
    },
  ]

  private static let schema: [ConformanceCase] = [
    .shared("MP.model-added", ["MP-4", "SCH-1"], "A model that another process adds is there at the next transaction.")
    { scene in
      try expectEqual(try scene.store.models().map(\.name), ["Item"])
      try scene.child.ask("create-model")
      try expectEqual(Set(try scene.store.models().map(\.name)), ["Item", ColumnTable.name])
      try expectEqual(
        try scene.store.read { try $0.countRows(QueryTree(model: ColumnTable.name)) },
        ColumnTable.rows([.string("x"), .string("y")]).count)
      try scene.store.insert(Item(4))
      try expectEqual(try scene.ids(), [1, 2, 3, 4])
    },
    .shared(
      "MP.index-added", ["MP-4", "IDX-4"],
      "An index that another process adds is kept up by all, and changes no answer.", needs: [.schemaCreateIndex]
    ) { scene in
      let store = try scene.kit.open([], at: scene.place)
      let before = try store.read { try $0.model(named: "Item").indexes.count }
      try scene.child.ask("create-index")
      try expectEqual(try store.read { try $0.model(named: "Item").indexes.count }, before + 1)
      try store.write { tx in
        try tx.insertRows(
          into: "Item", [Record(["id": .int(4), "code": .string("c4"), "name": .string(""), "score": .double(4.5)])])
      }
      let query = QueryTree(model: "Item", predicate: .compare(.named("score"), .equal, .value(.double(4.5))))
      try scene.child.ask("close")
      try expectEqual(try store.read { try $0.rows(query) }.map { $0["id"] }, [.int(4)])
      if scene.kit.manifest.capabilities[.check]?.isSupported == true { try expectEqual(try store.check(), []) }
    },
    .shared(
      "MP.model-changed", ["MP-4"],
      "A model that another process has changed is a mismatch, until the store is opened anew.",
      needs: [.schemaDropModel]
    ) { scene in
      try scene.child.ask("drop-model")
      try expectError(.schemaMismatch) { try scene.store.count(Item.self) }
      try expectError(.schemaMismatch) { try scene.store.insert(Item(9)) }
      try expectEqual(try scene.kit.open([Item.self], at: scene.place).count(Item.self), 0)
    },
    .shared(
      "MP.change-rolled-back", ["MP-4", "TXN-1"], "A schema change that another process rolls back is never seen."
    ) { scene in
      try scene.child.ask("write")
      try scene.child.ask("create-model")
      try expectEqual(try scene.store.models().map(\.name), ["Item"])
      try scene.child.ask("rollback")
      try expectEqual(try scene.store.models().map(\.name), ["Item"])
      try expectEqual(try scene.ids(), [1, 2, 3])
    },
    .processes(
      "MP.versions-of-a-program", ["MP-4", "SCH-1"],
      "A program that knows more properties adds them beside one that does not.",
      needs: [.multipleProcesses, .schemaAddProperty]
    ) { kit in
      let place = try kit.makePlace()
      let first = try kit.open([FirstVersion.self], at: place)
      try first.insert(FirstVersion(id: 1, title: "a"))
      let child = try kit.secondProcess(at: place, "open second")
      try expectError(.schemaMismatch) { try first.count(FirstVersion.self) }
      let second = try kit.open([SecondVersion.self], at: place)
      try expectEqual(try second.fetch(SecondVersion.self), [SecondVersion(id: 1, title: "a")])
      try child.ask("close")
    },
  ]

  private static let crowds: [ConformanceCase] = [
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
