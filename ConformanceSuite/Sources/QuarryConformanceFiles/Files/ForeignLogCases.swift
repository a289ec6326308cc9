import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Logs and stores that do not belong together: what somebody copies or removes by hand beside a killed store.
enum ForeignLogCases {
  private static let old = (0..<60).map { Item($0, rank: $0 % 5, name: "old \($0)") }
  /// What the killed process writes, so that rows of both states differ.
  private static let later = ["rename-all of-the-killed", "delete 3", "insert-many 1000 80 900", "insert 2000"]

  /// What a copy by hand is made from.
  private enum Source: String, CaseIterable {
    /// A backup of an earlier state.
    case backup
    /// The files of the closed store itself, in an earlier state.
    case files
    /// A store that has nothing to do with this one.
    case other
  }

  /// Makes a store with the old items, and a copy of it; then a process changes the store and is killed.
  private static func killed(_ scene: FileScene, _ source: Source) throws -> String {
    let copy = try scene.makeFolder("copies") + "/copy"
    try scene.make(old)
    switch source {
    case .backup:
      let store = try scene.open()
      try store.backup(to: copy)
      try store.close()
    case .files: try FileManager.default.copyItem(atPath: scene.path, toPath: copy)
    case .other: try scene.make(old, at: scene.place(at: copy))
    }
    try scene.kill(later)
    return copy
  }

  private static func expectSound(_ store: Store, _ about: String) throws {
    try expectEqual(try store.fetch(Item.all), old, about)
    try expectEqual(try store.fetch(Item.where { $0.rank == 2 }), old.filter { $0.rank == 2 }, about)
    try expectEqual(try store.check(), [], about)
  }

  /// The paths of the logs beside a store that have something in them.
  private static func logs(_ scene: FileScene) -> [String] {
    ["-wal", "-journal"].map { scene.path + $0 }.filter { path in
      ((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? NSNumber)?.intValue ?? 0 > 0
    }
  }

  static let all: [ConformanceCase] =
    Source.allCases.map { source in
      .files(
        "copied-over-\(source.rawValue)", ["FILE-13", "FILE-14"],
        "A store that was copied by hand over a killed one (\(source.rawValue)) is what was copied, and nothing of the other.",
        needs: [.backup, .check], usesProcess: true
      ) { scene in
        let copy = try killed(scene, source)
        let logs = logs(scene)
        try scene.overwrite(with: copy)
        let before = try logs.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        let reader = try scene.open(isReadOnly: true)
        try expectSound(reader, "read")
        try expectEqual(reader.openingReport.foreignLog?.path, logs.first, "the report of reading")
        try expectEqual(reader.openingReport.foreignLog?.movedTo, nil, "the report of reading")
        try reader.close()
        try expectEqual(
          try logs.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }, before, "the log after reading")
        let store = try scene.open()
        try expectSound(store, "opened")
        if let log = logs.first {
          let found = try unwrap(store.openingReport.foreignLog, "the report of a log of another store")
          try expectEqual(found.path, log)
          let moved = try unwrap(found.movedTo, "where the log is")
          try expectEqual(try Data(contentsOf: URL(fileURLWithPath: moved)), before[0], "the log that was put aside")
          try expect(store.openingReport.notes.contains { $0.contains(moved) }, "the notes name \(moved)")
        } else {
          try expectEqual(store.openingReport.foreignLog, nil)
        }
        try store.insert(Item(5_000))
        try store.close()
        let again = try scene.open()
        try expectEqual(again.openingReport.foreignLog, nil)
        try expectEqual(try again.fetch(Item.all), old + [Item(5_000)])
        try expectEqual(try again.check(), [])
      }
    } + [
      .files(
        "copied-over-many", ["FILE-13"],
        "Of several processes that open such a store at once, each finds what was copied.",
        needs: [.backup, .check, .multipleProcesses], usesProcess: true, within: .seconds(60)
      ) { scene in
        for round in 0..<4 {
          if round > 0 { try FileManager.default.removeItem(atPath: scene.folder + "/copies") }
          if round > 0 { try scene.open().destroy() }
          let copy = try killed(scene, .backup)
          try scene.overwrite(with: copy)
          let children = try (0..<3).map { _ in try scene.kit.secondProcess(at: scene.place) }
          for (number, child) in children.enumerated() {
            child.tell("open item")
            child.tell("insert \(7_000 + number)")
          }
          for child in children {
            try child.answer(to: "open")
            try child.answer(to: "insert")
            child.kill()
          }
          let store = try scene.open()
          try expectEqual(try store.fetch(Item.all), old + (7_000..<7_003).map { Item($0) })
          try expectEqual(try store.check(), [])
          try store.close()
        }
      },
      .files(
        "own-log", ["FILE-15", "DUR-1"],
        "The log of a killed process is the store's own, however often it was begun.", needs: [.check],
        usesProcess: true,
        within: .seconds(60)
      ) { scene in
        try scene.make(old)
        for round in 0..<6 {
          // Some megabytes, so that a log is begun several times.
          let first = 10_000 + round * 100
          let writes = (0..<(round * 2)).map { "insert-many \(first + $0) 1 800000" }
          try scene.kill(writes + ["insert \(first + 50)"])
          let count = round * 2 + 1
          let reader = try? scene.open(isReadOnly: true)
          try expectEqual(reader?.openingReport.foreignLog, nil)
          try reader?.close()
          let store = try scene.open()
          try expectEqual(store.openingReport.foreignLog, nil, "round \(round)")
          try expectEqual(try store.count(Item.where { $0.id >= first }), count, "round \(round)")
          try expectEqual(try store.check(), [])
          if round % 2 == 0 { try store.insert(Item(first + 99)) }
          try store.close()
        }
      },
      .files(
        "beside-abandoned-log", ["FILE-11"],
        "Where a log lies whose store was removed, a backup is inUse and makes nothing; elsewhere it is all that is there.",
        needs: [.backup, .check], usesProcess: true
      ) { scene in
        let copy = try killed(scene, .backup)
        try scene.removeData(asIn: copy)
        let left = try scene.contents()
        let source = try scene.open(scene.place(at: copy))
        func put(_ about: String, _ body: () throws -> Void) throws {
          let log = logs(scene).first
          do {
            try body()
          } catch let error as StorageError where error.code == .inUse {
            if let log { try expect(error.message.contains(log), "\(about): \(error)") }
            for (name, bytes) in left {
              let now = try? Data(contentsOf: URL(fileURLWithPath: scene.folder + "/" + name))
              try expect(now == bytes, "\(about): \(name) was changed")
            }
            return
          }
          try expectEqual(log, nil, "\(about): made beside a log")
          let store = try scene.open(creates: false)
          try expectSound(store, about)
          try store.close()
          try scene.removeData(asIn: copy)
        }
        try put("backup") { try source.backup(to: scene.path) }
        func restore(_ place: some BackendProvider) throws { try Store.restoreBackup(copy, to: place) }
        try source.close()
        try put("restored") { try restore(scene.kit.undecorated(scene.place)) }
        try put("seeded") {
          var options = OpenOptions()
          options.busyTimeout = 0.1
          let seed = try scene.kit.undecorated(scene.place(at: copy))
          let seeded = SeededProvider(scene.kit.undecorated(scene.place), from: seed, path: scene.path)
          try scene.kit.open([Item.self], at: seeded, options: options).close()
        }
      },
      .files(
        "made-over-abandoned-log", ["FILE-12"],
        "Who makes a store where the log of a removed one lies has that put aside.", needs: [.backup, .check],
        usesProcess: true
      ) { scene in
        let copy = try killed(scene, .backup)
        try scene.removeData(asIn: copy)
        let logs = logs(scene)
        let before = try logs.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        let store = try scene.open()
        try expectEqual(try store.fetch(Item.all), [])
        try store.insert(Item(1))
        try expectEqual(try store.check(), [])
        if let bytes = before.first {
          let moved = try unwrap(store.openingReport.foreignLog?.movedTo, "where the log is")
          try expectEqual(try Data(contentsOf: URL(fileURLWithPath: moved)), bytes)
        }
        try store.close()
        try expectEqual(try scene.open().fetch(Item.all), [Item(1)])
      },
    ]
}
