import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

extension StartingOverCases {
  // MARK: Where it is not done

  static let notDone: [ConformanceCase] = [
    starting("same-models", "A store of the program's models is opened.") { kit in
      let stage = try stage(kit)
      let store = try stage.open([old], startOver)
      try expectEqual(store.openingReport.quarantine, nil)
      try expectEqual(store.openingReport.notes, [])
      try expectEqual(try records(store), rows)
      try store.close()
      try expectUntouched(stage)
    },
    starting(
      "automatic", clauses: ["MIG-11", "MIG-2"],
      "A store that the automatic rules can change is changed, and not put aside."
    ) { kit in
      let stage = try stage(kit)
      let program = ModelSchema.migrating(
        "Book", .string("title"), .int("year", isOptional: true), .string("note", isOptional: true),
        indexes: [IndexSchema(name: "year", columns: [.init(slot: 2)])])
      let store = try stage.open([program], startOver)
      try expectEqual(store.openingReport.quarantine, nil)
      try expectEqual(try records(store).map { $0["title"] }, rows.map { $0["title"] })
      try expect(!store.openingReport.schemaChanges.isEmpty, "nothing was changed")
      try expectEqual(try quarantines(stage), [])
    },
    starting("new", "Where there is no store, one is made.") { kit in
      let stage = try MigratingStore(kit)
      let store = try stage.open([new], startOver)
      try expectEqual(store.openingReport.quarantine, nil)
      try expectEqual(store.openingReport.notes, [])
      try expectEqual(try records(store), [])
      try expectEqual(try quarantines(stage), [])
    },
    starting("not-found", clauses: ["MIG-11", "OPEN-1"], "Where none is and none is to be made, it is notFound.") {
      kit in
      let stage = try MigratingStore(kit)
      var options = OpenOptions()
      options.createsIfMissing = false
      try expectError(.notFound) {
        try kit.open(program: [new], at: stage.place, options: options, migration: startOver)
      }
      try expectEqual(try quarantines(stage), [])
    },
    starting("not-made", "A store that is there is put aside also by who would not make one where there is nothing.") {
      kit in
      let stage = try stage(kit)
      var options = OpenOptions()
      options.createsIfMissing = false
      let store = try kit.open(program: [new], at: stage.place, options: options, migration: startOver)
      try expectKept(try unwrap(store.openingReport.quarantine, "where the old store is"), rows, kit)
    },
    starting(
      "read-only", clauses: ["MIG-11", "OPEN-2"], "An opening for reading is schemaMismatch.",
      needs: [.openReadOnly]
    ) {
      kit in
      let stage = try stage(kit)
      var options = OpenOptions()
      options.isReadOnly = true
      try expectError(.schemaMismatch) {
        try kit.open(program: [new], at: stage.place, options: options, migration: startOver)
      }
      try expectUntouched(stage)
    },
    starting("unique", clauses: ["MIG-11", "SCH-5"], "Objects in the way of a unique index stay uniqueViolation.") {
      kit in
      let clash = rows + [Record(["id": .int(100), "title": .string("t1"), "year": .null])]
      let stage = try MigratingStore(kit, [old], ["Book": clash])
      var program = old
      program.indexes = [IndexSchema(name: "title", columns: [.init(slot: 1)], isUnique: true)]
      try stage.expectRefusal(.uniqueViolation, [program], startOver)
      try expectEqual(try quarantines(stage), [])
    },
    starting(
      "corrupt", clauses: ["MIG-11", "ERR-3"], "A damaged store stays corrupt, and its files as they are.",
      without: ConformanceVariant.allButFresh
    ) { kit in
      let stage = try stage(kit)
      let files = kit.files(at: stage.place)
      guard let path = files.first else { return }
      var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      bytes.replaceSubrange(0..<min(bytes.count, 4_096), with: Data(repeating: 0xA5, count: min(bytes.count, 4_096)))
      if bytes.count > 8_192 { bytes.replaceSubrange(4_096..<8_192, with: Data(repeating: 0xA5, count: 4_096)) }
      try bytes.write(to: URL(fileURLWithPath: path))
      try expectError(.corrupt) { try stage.open([new], startOver) }
      try expectEqual(try quarantines(stage), [])
      try expectEqual(try Data(contentsOf: URL(fileURLWithPath: path)), bytes, "the file")
    },
    starting(
      "not-asked", clauses: ["MIG-11", "MIG-3"], "Without a word of the program's it is schemaMismatch, as always."
    ) { kit in
      let stage = try stage(kit)
      try expectError(.schemaMismatch) { try stage.open([new]) }
      try expectError(.schemaMismatch) { try stage.open([new], .dropping("Book.year")) }
      try expectUntouched(stage)
    },
  ]

  // MARK: Somebody else

  static let inUse: [ConformanceCase] = [
    starting("open-here", "A store that is open in this process is inUse, and both go on.") { kit in
      let stage = try stage(kit)
      let other = try stage.open([old])
      try expectError(.inUse) {
        try kit.open(program: [new], at: stage.place, options: options(waiting: 0.1), migration: startOver)
      }
      try expectEqual(try records(other), rows)
      try other.write { tx in
        try tx.records.insert(into: "Book", [Record(["id": .int(900), "title": .string("n"), "year": .null])])
      }
      try expectEqual(try records(other).count, 41)
      try expectEqual(try other.check(), [])
      try other.close()
      let store = try stage.open([new], startOver)
      try expect(store.openingReport.quarantine != nil, "the store was not put aside when it was free")
    },
    starting(
      "frozen-here", clauses: ["MIG-11", "SNAP-1"],
      "A store with a held snapshot is inUse, and the snapshot still reads everything.",
      needs: [.snapshots]
    ) { kit in
      let stage = try stage(kit)
      let other = try stage.open([old])
      let frozen = try other.freeze()
      try expectError(.inUse) {
        try kit.open(program: [new], at: stage.place, options: options(waiting: 0.05), migration: startOver)
      }
      try expectEqual(try frozen.read { try $0.records.fetch(QueryTree(model: "Book")) }, rows)
      frozen.close()
      try other.close()
      try expectUntouched(stage)
    },
    starting("writing-here", "One that is written to in this process is inUse, and the write is there.") { kit in
      let stage = try stage(kit)
      let other = try stage.open([old])
      let place = stage.place
      try other.write { tx in
        try tx.records.insert(into: "Book", [Record(["id": .int(900), "title": .string("n"), "year": .null])])
        try onAnotherThread {
          try expectError(.inUse) {
            try Store(program: [new], in: place, options: options(waiting: 0.05), migration: startOver)
          }
        }
      }
      try expectEqual(try records(other).count, 41)
      try other.close()
      try expectEqual(try quarantines(stage), [])
    },
    starting("waits", "It waits for who has the store open, for as long as the options say.") { kit in
      let stage = try stage(kit)
      let other = try stage.open([old])
      let closing = Thread {
        Thread.sleep(forTimeInterval: 0.15)
        try? other.close()
      }
      closing.start()
      let store = try kit.open(
        program: [new], at: stage.place, options: options(waiting: 10), migration: startOver)
      try expectKept(try unwrap(store.openingReport.quarantine, "where the old store is"), rows, kit)
    },
    starting(
      "at-once", "Of several at once one puts the store aside, and the others open the new one.",
      without: ConformanceVariant.allButFresh, within: .seconds(60)
    ) { kit in
      let stage = try stage(kit)
      let place = stage.place
      let reports = try await withThrowingTaskGroup(of: String?.self) { group in
        for number in 0..<4 {
          group.addTask {
            try await Task.ofCase {
              let store = try Store(
                program: [new], in: place, options: options(waiting: 20), migration: startOver)
              defer { try? store.close() }
              try store.write { tx in
                try tx.records.insert(into: "Book", [Record(["id": .int(Int64(number)), "title": .int(1)])])
              }
              return store.openingReport.quarantine
            }.value
          }
        }
        return try await group.reduce(into: [String?]()) { $0.append($1) }
      }
      let paths = reports.compactMap { $0 }
      try expectEqual(paths.count, 1, "how many of four have put it aside")
      if kit.harness.secondProcess != nil { try expectEqual(try quarantines(stage).count, 1) }
      try expectKept(paths[0], rows, kit)
      // A store in memory goes with the last that has it open, which may be between two of them.
      if kit.harness.secondProcess != nil {
        try expectEqual(try records(try stage.open([new])).map { $0["id"] }, (0..<4).map { Value.int(Int64($0)) })
      }
    },
    .processes(
      "MIG.start-over-open-elsewhere", ["MIG-11", "MP-2"],
      "A store that another process has open is inUse, and the other process continues."
    ) { kit in
      guard try canPutAside(kit) else { return }
      let place = try kit.makePlace()
      let child = try kit.secondProcess(at: place, "open item", "insert 1")
      let program = ModelSchema.migrating("Item", .string("code"))
      try expectError(.inUse) {
        try kit.open(program: [program], at: place, options: options(waiting: 0.1), migration: startOver)
      }
      try child.ask("insert 2")
      try child.expect("ids", "1 2")
      try child.expect("defects", "sound")
      try child.ask("close")
      let store = try kit.open(program: [program], at: place, migration: startOver)
      try expect(store.openingReport.quarantine != nil, "the store was not put aside when it was free")
    },
    .processes(
      "MIG.start-over-elsewhere", ["MIG-11"],
      "A store that another process created after putting the old one aside is opened."
    ) { kit in
      guard try canPutAside(kit) else { return }
      let place = try kit.makePlace()
      let first = try kit.open([SecondVersion.self], at: place)
      try first.close()
      let child = try kit.secondProcess(at: place)
      let path = try child.ask("start-over first")
      try expect(path.contains(".quarantine-"), path)
      try child.ask("close")
      let store = try kit.open(program: [], at: place)
      try expectEqual(try store.models().map(\.name), ["Versioned"])
      try expectEqual(try store.models().first?.liveSlots.count, 2)
      try store.close()
      try expectEqual(try child.ask("start-over first"), "none")
    },
    .processes(
      "MIG.start-over-processes", ["MIG-11", "MP-1"],
      "Of two processes at once one puts the store aside, and the other opens the new one or finds it in use.",
      within: .seconds(120)
    ) { kit in
      guard try canPutAside(kit) else { return }
      for _ in 0..<kit.kills {
        let stage = try MigratingStore(kit)
        let first = try kit.open([SecondVersion.self], at: stage.place)
        try first.insert(SecondVersion(id: 1, title: "a"))
        try first.close()
        let children = try (0..<2).map { _ in try kit.secondProcess(at: stage.place) }
        for child in children {
          child.tell("start-over first")
          child.tell("close")
        }
        var paths: [String] = []
        for child in children {
          do {
            paths.append(try child.answer())
            try child.answer()
          } catch let error as StorageError where error.code == .inUse && kit.manifest.sharing == .oneProcess {
            // It has no store that it could close.
            _ = try? child.answer()
          }
          try child.finish()
        }
        let aside = paths.filter { $0 != "none" }
        try expectEqual(aside.count, 1, "\(paths)")
        try expectEqual(try quarantines(stage).count, 1)
        let kept = try Store(models: [SecondVersion.self], in: try unwrap(try Self.place(aside[0], kit), "its place"))
        defer { try? kept.close() }
        try expectEqual(try kept.count(SecondVersion.all), 1)
        try expectEqual(try kept.check(), [])
        try expectEqual(try kit.open([FirstVersion.self], at: stage.place).count(FirstVersion.all), 0)
      }
    },
  ]
}
