import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Who may have a store open beside whom, and what the end of a process gives back.
enum HolderCases {
  static let all: [ConformanceCase] = holding + killed

  private static func isShared(_ kit: ConformanceContext) -> Bool { kit.manifest.sharing == .manyProcesses }

  private static let holding: [ConformanceCase] = [
    .processes(
      "MP.open-elsewhere", ["MP-1", "MP-2"],
      "A store that another process has open is opened, too, or is in use, as declared."
    ) { kit in
      guard isShared(kit) else { return try ExclusiveUse.expectRefusedHere(kit) }
      let place = try kit.makePlace()
      let child = try kit.secondProcess(at: place, "open item", "insert 1")
      let store = try kit.open([Item.self], at: place)
      try expectEqual(try store.keys(Item.all), [1])
      try store.insert(Item(2))
      try child.expect("ids", "1 2")
    },
    .processes(
      "MP.open-here", ["MP-1", "MP-2"],
      "A store that this process has open another opens, too, or finds in use, as declared."
    ) { kit in
      guard isShared(kit) else { return try ExclusiveUse.expectRefusedThere(kit) }
      let place = try kit.makePlace()
      let store = try kit.open([Item.self], at: place)
      try store.insert(Item(1))
      let child = try kit.secondProcess(at: place, "open item", "insert 2")
      try expectEqual(try store.keys(Item.all), [1, 2])
      try child.finish()
      try expectEqual(try store.keys(Item.all), [1, 2])
    },
    .processes(
      "MP.one-after-another", ["MP-2", "MP-3", "CRUD-1"], "Processes that have a store one after the other add to it."
    ) { kit in
      let place = try kit.makePlace()
      for id in stride(from: 1, to: 7, by: 2) {
        let child = try kit.secondProcess(at: place, "open item", "insert \(id)", "close")
        let store = try kit.open([Item.self], at: place)
        try store.insert(Item(id + 1))
        try expectEqual(try store.keys(Item.all), Array(1...id + 1))
        try store.close()
        try child.finish()
      }
    },
    .processes(
      "MP.reader-beside-writer", ["MP-2", "OPEN-2", "ISO-2"],
      "Who opens for reading beside a writer of another process sees whole commits, or is told that it is in use.",
      needs: [.openReadOnly]
    ) { kit in
      let place = try kit.makePlace()
      let child = try kit.secondProcess(at: place, "open batch")
      child.tell("batches")
      var options = OpenOptions()
      options.isReadOnly = true
      for _ in 0..<5 { try child.answer() }
      var last = 4
      for _ in 0..<5 {
        do {
          let store = try kit.open(BatchWorkload.models, at: place, options: options)
          let found = try store.read { try BatchWorkload.verify($0) }
          try expect(found >= last, "commit \(found) was seen after \(last)")
          last = found
          try expectError(.readOnly) { try store.delete(Note.all) }
          try store.close()
        } catch let error as StorageError where error.code == .inUse && !isShared(kit) {}
      }
      child.kill()
    },
    .processes(
      "MP.writer-beside-reader", ["MP-2", "OPEN-2", "ISO-2"],
      "Who has a store open for reading reads one state while another process writes, or a conflict; or is in its way.",
      needs: [.openReadOnly]
    ) { kit in
      let place = try kit.makePlace()
      let first = try kit.open([Item.self], at: place)
      try first.insert(contentsOf: (1...3).map { Item($0, name: "old") })
      try first.close()
      var options = OpenOptions()
      options.isReadOnly = true
      let reader = try kit.open([Item.self], at: place, options: options)
      let child = try kit.secondProcess(at: place)
      try reader.read { tx in
        try expectEqual(try tx.keys(Item.all), [1, 2, 3])
        do {
          try child.ask("open item")
          try child.ask("insert 4")
          try child.ask("rename-all new")
        } catch let error as StorageError where error.code == .inUse && !isShared(kit) {}
        do {
          try expectEqual(try tx.keys(Item.where { $0.name == "old" }), [1, 2, 3])
          try expectEqual(try tx.keys(Item.all), [1, 2, 3])
        } catch let error as StorageError where error.code == .conflict {}
      }
      if isShared(kit) { try expectEqual(try reader.keys(Item.where { $0.name == "new" }), [1, 2, 3, 4]) }
    },
    .processes(
      "MP.destroy", ["MP-2", "MP-3"], "A store that another process has open is destroyed for all or is in use.",
      needs: [.destroy]
    ) { kit in
      let place = try kit.makePlace()
      let store = try kit.open([Item.self], at: place)
      try store.insert(Item(1))
      guard isShared(kit) else {
        try store.close()
        let child = try kit.secondProcess(at: place, "open item")
        try expectError(.inUse) { try kit.open([Item.self], at: place).destroy() }
        return try child.expect("ids", "1")
      }
      let child = try kit.secondProcess(at: place, "open item")
      try expectError(.inUse) { try store.destroy() }
      try expectEqual(try store.keys(Item.all), [1])
      try child.expect("ids", "1")
      try child.ask("insert 2")
      try expectEqual(try store.keys(Item.all), [1, 2])
      try child.ask("close")
      try store.destroy()
      try expectEqual(try kit.open([Item.self], at: place).count(Item.all), 0)
    },
  ]

  private static let killed: [ConformanceCase] = [
    .processes(
      "MP.killed-holder", ["MP-3", "DUR-1"],
      "A store whose process was killed is free at once, with what was committed."
    ) { kit in
      let place = try kit.makePlace()
      for id in 1...3 {
        let child = try kit.secondProcess(at: place, "open item", "insert \(id)")
        child.kill()
        let store = try kit.open([Item.self], at: place)
        try expectEqual(try store.keys(Item.all), Array(1...id))
        try store.close()
      }
    },
    .processes(
      "MP.ended-holder", ["MP-3", "DUR-1"], "A process that ends without closing its store gives it back."
    ) { kit in
      let place = try kit.makePlace()
      let child = try kit.secondProcess(at: place, "open item", "insert 1", "write", "insert 2")
      child.tell("exit")
      try child.finish()
      let store = try kit.open([Item.self], at: place)
      try expectEqual(try store.keys(Item.all), [1])
      try store.insert(Item(2))
    },
    .shared(
      "MP.killed-writer", ["MP-3", "TXN-1"],
      "Of a writer that was killed nothing is seen, and the next write need not wait."
    ) { scene in
      try scene.child.ask("write")
      try scene.child.ask("insert 4")
      try scene.child.ask("rename-all new")
      try scene.child.ask("insert-many 100 2000 500")
      scene.child.kill()
      try scene.store.write(timeout: 5) { try $0.insert(Item(5, name: "old")) }
      try expectEqual(try scene.ids(), [1, 2, 3, 5])
      try expectEqual(try scene.store.count(Item.where { $0.name == "old" }), 4)
      let next = try scene.kit.secondProcess(at: scene.place, "open item", "insert 4")
      try expectEqual(try scene.ids(), [1, 2, 3, 4, 5])
      try next.ask("close")
    },
    .shared(
      "MP.killed-while-waiting", ["MP-3", "ISO-1"], "A process that is killed while it waits to write leaves no trace.",
      without: ConformanceVariant.allButFresh
    ) { scene in
      try scene.store.write { tx in
        try tx.insert(Item(4))
        scene.child.tell("write 60")
        Thread.sleep(forTimeInterval: 0.05)
        scene.child.kill()
        try tx.insert(Item(5))
      }
      let next = try scene.kit.secondProcess(at: scene.place, "open item", "write 5", "insert 6", "commit")
      try next.expect("ids", "1 2 3 4 5 6")
      try scene.store.insert(Item(7))
    },
    .processes(
      "MP.killed-committer", ["MP-3", "DUR-1", "DUR-2", "ISO-3"],
      "While a process that commits is killed again and again, the store stays open here, whole and writable.",
      needs: [.multipleProcesses]
    ) { kit in
      let place = try kit.makePlace()
      let store = try kit.open(BatchWorkload.models, at: place)
      var random = kit.random(31)
      for _ in 0..<kit.kills {
        let child = try kit.secondProcess(at: place, "open batch")
        child.tell("batches")
        let first = try unwrap(Int(try child.answer()), "the number")
        usleep(UInt32.random(in: 0...12_000, using: &random))
        child.kill()
        let acknowledged = try child.remainingLines().last.flatMap { Int($0) } ?? first
        let seen = try BatchWorkload.verify(store)
        try expect([acknowledged, acknowledged + 1].contains(seen), "found \(seen), acknowledged \(acknowledged)")
        // The commit that was under way may come to light as late as in the next write.
        let found = try store.write(timeout: 5) { tx in
          let found = try BatchWorkload.verify(tx)
          try BatchWorkload.write(found + 1, tx)
          return found
        }
        try expect(
          [seen, acknowledged + 1].contains(found),
          "a write found \(found), a read \(seen), acknowledged \(acknowledged)")
        try expectEqual(try BatchWorkload.verify(store), found + 1)
      }
    },
    .processes(
      "MP.killed-reader", ["MP-3", "ISO-2"],
      "What a reader that was killed had open holds up no writer, and does not make the store grow without end.",
      needs: [.multipleProcesses, .snapshots]
    ) { kit in
      let place = try kit.makePlace()
      let store = try kit.open(BatchWorkload.models, at: place)
      func bytes() -> Int {
        kit.files(at: place).reduce(0) { sum, path in
          var status = stat()
          return stat(path, &status) == 0 ? sum + Int(status.st_blocks) * 512 : sum
        }
      }
      var number = 0
      func commit(_ count: Int) throws {
        for _ in 0..<count {
          number += 1
          try BatchWorkload.commit(number, store)
        }
      }
      try commit(100)
      let before = bytes()
      for _ in 0..<3 {
        let child = try kit.secondProcess(at: place, "open batch", "freeze", "version", "read")
        child.kill()
        try commit(150)
      }
      try expectEqual(try BatchWorkload.verify(store), number)
      // Each commit writes some ten kilobytes anew; 450 of them that were all kept would be many times as much.
      try expect(bytes() < before * 2 + 2 << 20, "\(before) bytes have become \(bytes())")
    },
  ]
}
