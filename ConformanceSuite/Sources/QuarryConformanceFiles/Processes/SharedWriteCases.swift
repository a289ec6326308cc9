import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// What a write meets while another process has the store open, too.
enum SharedWriteCases {
  static let all: [ConformanceCase] = [
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
    }.only(.one),
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
    }.only(.one),
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
        _ = try scene.store.write(timeout: 1) { try $0.assign(Item.all) { $0.name = "r\(round)" } }
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
      try expectEqual(try scene.store.count(Item.all), 3003)
      try expectEqual(try scene.store.get(Item.self, 3999)?.note?.utf8.count, 1500)
      try scene.store.insert(contentsOf: (5000..<7000).map { Item($0, note: String(repeating: "m", count: 1500)) })
      try scene.child.ask("add 1 1")
      try scene.child.ask("delete-all")
      try expectEqual(try scene.store.count(Item.all), 0)
    },
  ]
}
