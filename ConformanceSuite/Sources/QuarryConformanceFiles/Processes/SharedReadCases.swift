import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// What a read sees while another process has the store open, too: what that has committed, and nothing else.
enum SharedReadCases {
  static let all: [ConformanceCase] = [
    .shared("MP.commit-seen", ["MP-1", "ISO-3"], "What another process has committed is seen by the next read.") {
      scene in
      try scene.child.ask("insert 4 40 new")
      try expectEqual(try scene.ids(), [1, 2, 3, 4])
      try expectEqual(try scene.store.get(Item.self, 4), Item(4, rank: 40, name: "new"))
      try expectEqual(try scene.store.keys(Item.where { $0.rank == 40 }), [4])
      try expectEqual(try scene.store.keys(Item.where { $0.code == "c4" }), [4])
      try expectEqual(try scene.store.count(Item.all), 4)
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
      try scene.store.delete(Item.all)
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
      let items = try scene.store.fetch(Item.all)
      try scene.store.read { tx in
        let version = try tx.version
        try expectEqual(try tx.fetch(Item.all), items)
        try scene.child.ask("insert 4 40 new")
        try scene.child.ask("rename-all new")
        try scene.child.ask("delete 1")
        try expectEqual(try tx.fetch(Item.all), items)
        try expectEqual(try tx.keys(Item.where { $0.name == "old" }), [1, 2, 3])
        try expectEqual(try tx.count(Item.all), 3)
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
      let items = try scene.store.fetch(Item.all)
      let frozen = try scene.store.freeze()
      defer { frozen.close() }
      for round in 0..<20 { try scene.child.ask("rename-all r\(round)") }
      try scene.child.ask("delete 2")
      try expectEqual(try frozen.fetch(Item.all), items)
      try expectEqual(try frozen.keys(Item.where { $0.name == "old" }), [1, 2, 3])
      try expectEqual(try scene.ids(), [1, 3])
    },
    .shared(
      "MP.frozen-elsewhere", ["MP-1", "SNAP-1"], "A store that another process has frozen keeps its state there.",
      needs: [.snapshots]
    ) { scene in
      try scene.child.ask("freeze")
      try scene.store.assign(Item.all) { $0.name = "new" }
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
        try scene.store.assign(Item.all) { $0.name = "s\(round)" }
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
}
