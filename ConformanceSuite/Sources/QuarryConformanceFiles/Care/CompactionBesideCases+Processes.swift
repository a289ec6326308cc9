import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

extension CompactionBesideCases {
  // MARK: Processes

  /// Compacts, or finds the store in use where another process has it open and the engine cannot.
  private static func compactOrRefuse(_ store: Store) throws -> Bool {
    do {
      try store.compact()
      return true
    } catch let error as StorageError {
      try expectEqual(error.code, .inUse)
      return false
    }
  }

  static let processes: [ConformanceCase] = [
    .shared(
      "CARE.compact-beside-process", ["CARE-9", "MP-1"],
      "Where another process has the store open, compaction is done or inUse, and both go on.",
      needs: [.compact, .check]
    ) { scene in
      try scene.store.delete(Item.self, 2)
      let isDone = try compactOrRefuse(scene.store)
      try scene.child.expect("ids", "1 3")
      try scene.child.ask("insert 4")
      try expectEqual(try scene.ids(), [1, 3, 4])
      try scene.store.insert(Item(5))
      try scene.child.expect("ids", "1 3 4 5")
      try expectEqual(try compactOrRefuse(scene.store), isDone)
      try scene.child.ask("close")
      try scene.store.compact()
      try expectEqual(try scene.ids(), [1, 3, 4, 5])
      try expectEqual(try scene.store.check(), [])
    },
    .shared(
      "CARE.compact-by-process", ["CARE-9", "MP-1"],
      "Where another process compacts a store that is open here, that is done or inUse, and both go on.",
      needs: [.compact, .check]
    ) { scene in
      scene.child.tell("compact")
      let answer: String
      do { answer = try scene.child.answer() } catch let error as StorageError { answer = error.code.description }
      try expect(["compacted", "inUse"].contains(answer), answer)
      try scene.store.insert(Item(4))
      try scene.child.expect("ids", "1 2 3 4")
      try scene.store.close()
      try scene.child.ask("compact")
      try scene.child.ask("insert 5")
      try scene.child.ask("close")
      let store = try scene.kit.open([Item.self], at: scene.place)
      try expectEqual(try store.keys(Item.all), [1, 2, 3, 4, 5])
      try expectEqual(try store.check(), [])
    },
    .shared(
      "CARE.compact-beside-writer", ["CARE-9", "CARE-4"],
      "While another process writes, compaction is busy or inUse, and nothing happened.", needs: [.compact, .check]
    ) { scene in
      var options = OpenOptions()
      options.busyTimeout = 0.1
      let store = try scene.kit.open([Item.self], at: scene.place, options: options)
      try scene.child.ask("write")
      try scene.child.ask("insert 4")
      do {
        try store.compact()
        throw StorageError(.io, "a store was compacted while another process wrote to it")
      } catch let error as StorageError {
        try expect([.busy, .inUse].contains(error.code), error.description)
      }
      try expectEqual(try scene.ids(), [1, 2, 3])
      try scene.child.ask("commit")
      try expectEqual(try scene.ids(), [1, 2, 3, 4])
    },
    .shared(
      "CARE.compact-beside-snapshot", ["CARE-9", "CARE-4"],
      "A snapshot that another process holds sees what it saw after compactions here.", needs: [.compact, .snapshots]
    ) { scene in
      try scene.child.ask("freeze")
      try scene.store.delete(Item.self, 1)
      _ = try compactOrRefuse(scene.store)
      try scene.store.insert(Item(4))
      try scene.child.expect("ids", "1 2 3")
      try scene.child.ask("thaw")
      try scene.child.expect("ids", "2 3 4")
    },
    .processes(
      "CARE.compact-beside-reader", ["CARE-9", "OPEN-2"],
      "Who has the store open for reading in another process is in no danger from a compaction.",
      needs: [.compact, .openReadOnly]
    ) { kit in
      let place = try kit.makePlace()
      let first = try kit.open([Item.self], at: place)
      try first.insert(contentsOf: items)
      try first.close()
      let child = try kit.secondProcess(at: place, "open item readOnly", "rank 10")
      do {
        let store = try kit.open([Item.self], at: place)
        try store.delete(Item.where { $0.rank == 0 })
        _ = try compactOrRefuse(store)
        try expectEqual(try store.count(Item.all), items.filter { $0.rank != 0 }.count)
        try expectEqual(try store.check(), [])
      } catch let error as StorageError where error.code == .inUse && !isShared(kit) {}
      do { try child.expect("rank 10", "3") } catch let error as StorageError where error.code == .conflict {}
    },
    .processes(
      "CARE.compact-openings", ["CARE-9", "DUR-1"],
      "Processes that open the store beside compactions write to the store that is there afterwards.",
      needs: [.compact, .check, .multipleProcesses], within: .seconds(120)
    ) { kit in
      let place = try kit.makePlace()
      let store = try kit.open([Item.self], at: place)
      try store.insert(contentsOf: items.prefix(50))
      let child = try kit.secondProcess(at: place)
      let rounds = kit.kills * 4
      for round in 0..<rounds {
        child.tell("open item")
        child.tell("insert \(1_000 + round)")
        child.tell("close")
      }
      // Whenever the other process lets it, until that has done all.
      for number in 0..<3 * rounds {
        do {
          try store.compact()
        } catch let error as StorageError {
          try expect([.inUse, .busy].contains(error.code), error.description)
        }
        try child.answer(to: "command \(number)")
      }
      try store.compact()
      try expectEqual(try store.count(Item.where { $0.id >= 1_000 }), rounds)
      try expectEqual(try store.check(), [])
    },
    .processes(
      "CARE.compact-killed", ["CARE-9", "CARE-4"],
      "Processes that are killed while they compact leave the store, and nothing beside it that stays.",
      needs: [.compact, .check], within: .seconds(120)
    ) { kit in
      let place = try kit.makePlace()
      let first = try kit.open([Item.self], at: place)
      try first.insert(contentsOf: items)
      try first.close()
      let names = try neighbours(kit, place)
      var random = kit.random(41)
      for _ in 0..<kit.kills {
        let child = try kit.secondProcess(at: place, "open item", "delete 0", "insert 0")
        child.tell("compact")
        usleep(UInt32.random(in: 0...8_000, using: &random))
        child.kill()
        let store = try kit.open([Item.self], at: place)
        try expectEqual(try store.count(Item.all), 800)
        try expectEqual(try store.check(), [])
        try store.close()
        try expectEqual(try neighbours(kit, place), names)
      }
    },
  ]

  /// The names of what is in the folders of the store's files when it is closed.
  private static func neighbours(_ kit: ConformanceContext, _ place: any BackendProvider) throws -> [String] {
    let folders = Set(kit.files(at: place).map { URL(fileURLWithPath: $0).deletingLastPathComponent().path })
    return try folders.flatMap { try FileManager.default.contentsOfDirectory(atPath: $0) }.sorted()
  }
}
