import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Backups that are put in the place of a store.
enum RestoringCases {
  private static let old = (0..<50).map { Item($0, rank: $0 % 4, name: "old \($0)") }

  private static func restore(_ copy: String, _ scene: FileScene, replacing: Bool) throws -> RestoredBackup {
    func restore(_ place: some BackendProvider) throws -> RestoredBackup {
      try Store.restoreBackup(copy, to: place, replacing: replacing)
    }
    return try restore(scene.kit.undecorated(scene.place))
  }

  /// A store with the old items, closed, and a backup of it.
  private static func backedUp(_ scene: FileScene) throws -> String {
    let copy = try scene.makeFolder("copies") + "/copy"
    try scene.make(old)
    let store = try scene.open()
    try store.backup(to: copy)
    try store.close()
    return copy
  }

  private static func expectRestored(_ scene: FileScene, _ copy: String) throws {
    for place in [scene.place, try scene.place(at: copy)] {
      let store = try scene.open(place, creates: false)
      try expectEqual(store.openingReport.foreignLog, nil)
      try expectEqual(try store.fetch(Item.all), old)
      try expectEqual(try store.fetch(Item.where { $0.rank == 3 }), old.filter { $0.rank == 3 })
      try expectEqual(try store.check(), [])
      try store.insert(Item(9_000))
      try store.delete(Item.self, 9_000)
      try store.close()
    }
  }

  private static func restoring(
    _ name: String, _ clauses: [String], _ summary: String, usesProcess: Bool = false,
    within limit: Duration = .seconds(30), _ body: @escaping @Sendable (FileScene) throws -> Void
  ) -> ConformanceCase {
    .files(
      "restore-\(name)", clauses, summary, needs: [.backup, .check], usesProcess: usesProcess, within: limit, body)
  }

  static let all: [ConformanceCase] = [
    restoring("nothing", ["FILE-17"], "A backup is restored where there is nothing, and stays as it is.") { scene in
      let copy = try backedUp(scene)
      for replacing in [false, true] {
        try scene.open().destroy()
        try expectEqual(try restore(copy, scene, replacing: replacing).quarantine, nil)
        try expectRestored(scene, copy)
      }
    },
    restoring("occupied", ["FILE-17"], "Where there is a store, and it is not to be replaced, it is inUse.") { scene in
      let copy = try backedUp(scene)
      let store = try scene.open()
      try store.insert(Item(100))
      try store.close()
      try expectError(.inUse) { try restore(copy, scene, replacing: false) }
      try expectEqual(try scene.open().count(Item.all), old.count + 1)
    },
    restoring(
      "killed", ["FILE-17"], "A backup is restored over a killed store, which is put aside with all that it had.",
      usesProcess: true
    ) { scene in
      let copy = try backedUp(scene)
      try scene.kill(["rename-all of-the-killed", "insert-many 1000 80 900", "insert 2000"])
      let aside = try unwrap(try restore(copy, scene, replacing: true).quarantine, "where the old store is")
      try expectRestored(scene, copy)
      let store = try scene.open(scene.place(at: aside))
      try expectEqual(store.openingReport.foreignLog, nil)
      try expectEqual(try store.count(Item.where { $0.name == "of-the-killed" }), old.count)
      try expectEqual(try store.count(Item.all), old.count + 81)
      try expectEqual(try store.check(), [])
    },
    restoring("damaged", ["FILE-17"], "A store that cannot be opened any more is put aside, too.") { scene in
      let copy = try backedUp(scene)
      for file in scene.kit.files(at: scene.place) where FileScene.kind(file) == .typeRegular {
        let count = try Data(contentsOf: URL(fileURLWithPath: file)).count
        try Data(repeating: 0x5A, count: count).write(to: URL(fileURLWithPath: file))
      }
      let aside = try unwrap(try restore(copy, scene, replacing: true).quarantine, "where the old store is")
      try expectRestored(scene, copy)
      try expect(FileScene.kind(aside) != nil)
      try expectError(.corrupt) { try scene.open(scene.place(at: aside)).fetch(Item.all) }
    },
    restoring(
      "open", ["FILE-18"], "Over a store that is open it is inUse, here and in another process; nothing is changed.",
      usesProcess: true
    ) { scene in
      let copy = try backedUp(scene)
      let store = try scene.open()
      try store.insert(Item(100))
      let names = try FileScene.names(scene.folder)
      try expectError(.inUse) { try restore(copy, scene, replacing: true) }
      try expectEqual(try FileScene.names(scene.folder), names)
      try store.insert(Item(101))
      try store.close()
      let child = try scene.kit.secondProcess(at: scene.place, "open item", "insert 102")
      try expectError(.inUse) { try restore(copy, scene, replacing: true) }
      try child.ask("insert 103")
      try child.finish()
      let again = try scene.open()
      try expectEqual(try again.fetch(Item.all).map(\.id), old.map(\.id) + [100, 101, 102, 103])
      try expectEqual(try again.check(), [])
    },
    restoring("no-backup", ["FILE-18"], "What is no backup is an error, and the place stays as it is.") { scene in
      let copy = try backedUp(scene)
      let letter = scene.folder + "/copies/letter"
      try Data("This is a letter.\n".utf8).write(to: URL(fileURLWithPath: letter))
      let names = try FileScene.names(scene.folder)
      for replacing in [false, true] {
        try expectError(.corrupt) { try restore(letter, scene, replacing: replacing) }
        try expectError(.notFound) { try restore(copy + "-is-not-there", scene, replacing: replacing) }
      }
      try expectEqual(try FileScene.names(scene.folder), names)
      try expectEqual(try scene.open().fetch(Item.all), old)
    },
    restoring("link", ["FILE-3", "FILE-17"], "By a link a backup is restored where that leads.") { scene in
      let copy = try backedUp(scene)
      let link = try scene.makeFolder("links") + "/link"
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: scene.path)
      func restore(_ place: some BackendProvider) throws -> RestoredBackup {
        try Store.restoreBackup(copy, to: place, replacing: true)
      }
      let aside = try unwrap(try restore(scene.kit.undecorated(scene.place(at: link))).quarantine)
      try expectEqual(try FileScene.names(scene.folder + "/links"), ["link"])
      try expectEqual(URL(fileURLWithPath: aside).deletingLastPathComponent().path, scene.folder)
      try expectRestored(scene, copy)
    },
  ]
}
