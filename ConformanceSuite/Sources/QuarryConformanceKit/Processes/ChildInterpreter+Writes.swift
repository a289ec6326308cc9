import Foundation
import QuarryBackend
import QuarryCore

/// Commands that write objects and change the schema.
extension ChildInterpreter {
  static let writes: [String: Command] = [
    // insert ID [RANK] [NAME] [CODE]
    "insert": { child, words in
      let id = try number(words, 0)
      let rank = words.count > 1 ? Int(words[1]) : nil
      let name = words.count > 2 ? words[2] : ""
      let code = words.count > 3 ? words[3] : nil
      try child.write { try $0.insert(Item(id, code: code, rank: rank, name: name)) }
      return "inserted"
    },
    // insert-many FIRST COUNT BYTES
    "insert-many": { child, words in
      let (first, count, bytes) = (try number(words, 0), try number(words, 1), try number(words, 2))
      let note = String(repeating: "n", count: bytes)
      try child.write { try $0.insert(contentsOf: (first..<first + count).map { Item($0, rank: $0, note: note) }) }
      return "inserted"
    },
    // insert-notes FIRST COUNT BYTES
    "insert-notes": { child, words in
      let (first, count, bytes) = (try number(words, 0), try number(words, 1), try number(words, 2))
      try child.write { tx in
        try tx.insert(contentsOf: (first..<first + count).map { Note(filling: $0, byteCount: bytes) })
      }
      return "inserted"
    },
    // add ID NUMBER
    "add": { child, words in
      let (id, number) = (try number(words, 0), try number(words, 1))
      try child.write { tx in try tx.update(Item.self, id) { $0.rank = ($0.rank ?? 0) + number } }
      return "added"
    },
    // add-times ID TIMES: so many transactions that each read and write.
    "add-times": { child, words in
      let (id, times) = (try number(words, 0), try number(words, 1))
      for _ in 0..<times {
        try child.store().write(timeout: 60) { tx in
          let item = try unwrap(try tx.get(Item.self, id), "the item")
          try tx.update(Item(id, code: item.code, rank: (item.rank ?? 0) + 1))
        }
      }
      return "added"
    },
    // take-turns TIMES MILLISECONDS: writes that each take that long, one after the other. Says the most commits of others
    // that there were between a call and its turn.
    "take-turns": { child, words in
      let (times, milliseconds) = (try number(words, 0), try number(words, 1))
      let store = try child.store()
      var most: UInt64 = 0
      for round in 0..<times {
        let before = try store.read { try $0.version.rawValue }
        try store.write(timeout: 60) { tx in
          most = max(most, try tx.version.rawValue - before)
          try tx.upsert(Item(Int(getpid()), rank: round))
          usleep(UInt32(clamping: milliseconds * 1_000))
        }
      }
      return "\(most)"
    },
    "rename-all": { child, words in
      let name = words.first ?? ""
      try child.write { try $0.assign(Item.all) { $0.name = name } }
      return "renamed"
    },
    "delete": { child, words in
      let id = try number(words, 0)
      try child.write { try $0.delete(Item.self, id) }
      return "deleted"
    },
    "delete-all": { child, _ in
      try child.write { try $0.delete(Item.all) }
      return "deleted"
    },
    // In the open transaction: one savepoint that is kept, one that is undone.
    "savepoints": { child, words in
      let id = try number(words, 0)
      try child.write { tx in
        try tx.savepoint { try tx.insert(Item(id)) }
        do {
          try tx.savepoint {
            try tx.delete(Item.all)
            throw Undone()
          }
        } catch is Undone {}
      }
      return "done"
    },
    // get-or-insert FIRST COUNT NAME: how many of them this process stored.
    "get-or-insert": { child, words in
      let (first, count, name) = (try number(words, 0), try number(words, 1), words[2])
      var own = 0
      for id in first..<first + count {
        if try child.store().write(timeout: 60, { try $0.getOrInsert(Item(id, name: name)).name == name }) { own += 1 }
      }
      return "\(own)"
    },
    "create-model": { child, _ in
      try child.write { tx in
        try tx.apply(.createModel(ColumnTable.model(.string)))
        try tx.records.insert(into: ColumnTable.name, ColumnTable.rows([.string("x"), .string("y")]))
      }
      return "created"
    },
    "create-index": { child, _ in
      try child.write { tx in
        let index = IndexSchema(name: "score", columns: [.init(slot: 4)])
        try tx.apply(.createIndex(try tx.model(named: "Item").id, index))
      }
      return "created"
    },
    "drop-model": { child, _ in
      try child.write { tx in try tx.apply(.dropModel(try tx.model(named: "Item").id)) }
      return "dropped"
    },
  ]

  private struct Undone: Error {}
}
