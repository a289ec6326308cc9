import Foundation
import QuarryBackend
import QuarryCore
import QuarryQuery
import Synchronization

/// Commands that go on for a while or for ever, and say how far they are.
extension ChildInterpreter {
  static let workloads: [String: Command] = [
    // batches: commits for ever and says the number of each after it returned. The first line is what was there.
    "batches": { child, words in
      let store = try child.store()
      var number = try BatchWorkload.last(store)
      say("\(number)")
      let compacts = words.contains("compact")
      while true {
        number += 1
        try BatchWorkload.commit(number, store)
        say("\(number)")
        if compacts, number % 4 == 0 { try store.compact() }
      }
    },
    // crowd THREADS: as batches, from threads that share commits; one body in five is undone. The numbers rise.
    "crowd": { child, words in
      let (store, threads) = (try child.store(), try number(words, 0))
      let last = try BatchWorkload.last(store)
      say("\(last)")
      let said = Mutex(last)
      for thread in 0..<threads {
        Thread {
          for round in 0... {
            do {
              let number = try store.write(timeout: 60) { tx in
                let number = try BatchWorkload.last(tx) + 1
                try BatchWorkload.write(number, tx)
                if (round + thread) % 5 == 0 { throw Abandoned() }
                return number
              }
              said.withLock { last in
                guard number > last else { return }
                last = number
                say("\(number)")
              }
            } catch is Abandoned {
            } catch {
              return say("failed: \(error)")
            }
          }
        }.start()
      }
      while true { Thread.sleep(forTimeInterval: 1000) }
    },
    "commit-batch": { child, _ in
      let number = try BatchWorkload.last(child.store()) + 1
      try BatchWorkload.commit(number, child.store())
      return "\(number)"
    },
    // The next batch inside the open transaction.
    "write-batch": { child, words in
      let number = try number(words, 0)
      try child.write { try BatchWorkload.write(number, $0) }
      return "written"
    },
    // rewrite BYTES: changes all items for ever, each time to one name.
    "rewrite": { child, words in
      let (store, bytes) = (try child.store(), try number(words, 0))
      var round = 0
      while true {
        round += 1
        let (name, note) = ("r\(round)", String(repeating: "\(round % 10)", count: bytes))
        _ = try store.write { tx in
          try tx.update(Item.all) { item in
            item.name = name
            item.note = note
          }
        }
        say("\(round)")
      }
    },
    // indexes: makes an index and removes it again, for ever, beside writes.
    "indexes": { child, _ in
      let store = try child.store()
      var round = 0
      while true {
        round += 1
        try store.write { tx in
          let model = try tx.model(named: "Thing")
          if let index = model.indexes.first(where: { $0.name == "added" }) {
            try tx.apply(.dropIndex(model.id, index: index.id))
          } else {
            try tx.apply(.createIndex(model.id, IndexSchema(name: "added", columns: [.init(slot: 2)])))
          }
          let rank = Value.int(Int64(round))
          _ = try tx.records.assign(QueryTree(model: "Thing"), [AssignmentTree("rank", .set, rank)])
        }
        say("\(round)")
      }
    },
    "verify-batches": { child, _ in "\(try BatchWorkload.verify(child.store()))" },
    // transfer COUNT SEED
    "transfer": { child, words in
      let seed = UInt64(truncatingIfNeeded: try number(words, 1))
      try AccountWorkload.transfer(child.store(), try number(words, 0), seed: seed)
      return "done"
    },
    // audit COUNT
    "audit": { child, words in
      try AccountWorkload.audit(child.store(), try number(words, 0))
      return "done"
    },
  ]
}
