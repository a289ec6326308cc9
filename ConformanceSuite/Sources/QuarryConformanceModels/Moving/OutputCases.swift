import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryDump
import QuarryEncryption

/// What a dump, a backup or a key may take the place of.
enum OutputCases {
  private static func output(
    _ name: String, _ summary: String, needs: Set<Capability> = [],
    _ body: @escaping @Sendable (ConformanceContext) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "MOVE.output-\(name)", ["MOVE-11"], summary, needs: needs, requiresPersistence: true,
      without: ConformanceVariant.allButFresh
    ) { kit in try body(kit) }
  }

  /// Throws unless the call is refused, whether or not it may replace, and the file stays byte for byte.
  private static func expectKept(_ path: String, _ store: Store, _ about: String) throws {
    let before = FileManager.default.contents(atPath: path)
    for replacing in [false, true] {
      try expectError(.inUse, "\(about), replacing: \(replacing)") { try store.dump(to: path, replacing: replacing) }
    }
    try expectEqual(FileManager.default.contents(atPath: path), before, about)
  }

  static let all: [ConformanceCase] = [
    output("store", "A dump never takes the place of its store's files, by whatever name or link.") { kit in
      let place = try kit.makePlace()
      let store = try kit.open([Item.self], at: place)
      try store.insert(contentsOf: (0..<20).map { Item($0) })
      let files = kit.files(at: place)
      try CopyScene.inFolder { path in
        for (number, file) in files.enumerated() {
          try expectKept(file, store, "the file \(file)")
          let link = "\(path)-link-\(number)"
          try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
          try expectKept(link, store, "a link to \(file)")
          let name = "\(path)-name-\(number)"
          guard (try? FileManager.default.linkItem(atPath: file, toPath: name)) != nil else { continue }
          try expectKept(name, store, "another name of \(file)")
          try FileManager.default.removeItem(atPath: name)
        }
      }
      try expectEqual(try store.count(Item.all), 20)
      try store.close()
      try expectEqual(try kit.open([Item.self], at: place).count(Item.all), 20)
    },
    output("file", "A dump takes the place of another file only where the caller says so.") { kit in
      let store = try kit.store(Item.self)
      try store.insert(Item(1))
      try CopyScene.inFolder { path in
        let url = URL(fileURLWithPath: path)
        try Data("old".utf8).write(to: url)
        try expectError(.inUse) { try store.dump(to: path) }
        try expectEqual(try Data(contentsOf: url), Data("old".utf8))
        try store.dump(to: path, replacing: true)
        try expect(try Data(contentsOf: url).count > 100)
        // A link stays a link.
        let link = path + "-link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        try Data("old".utf8).write(to: url)
        try expectError(.inUse) { try store.dump(to: link) }
        try store.dump(to: link, replacing: true)
        try expectEqual(try FileManager.default.destinationOfSymbolicLink(atPath: link), path)
        try expect(try Data(contentsOf: url).count > 100)
        let dangling = path + "-dangling"
        try FileManager.default.createSymbolicLink(atPath: dangling, withDestinationPath: path + "-nowhere")
        try expectError(.notFound) { try store.dump(to: dangling) }
        try expectEqual(
          try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path).sorted(),
          ["copy", "copy-dangling", "copy-link"])
      }
    },
    output("key", "A dump never takes the place of a key, nor a key that of a file.") { kit in
      let store = try kit.store(Item.self)
      try CopyScene.inFolder { path in
        try KeyFile.write(try EncryptionKey.random(), to: path)
        try expectKept(path, store, "a key")
        try expectError(.duplicateKey) { try KeyFile.write(try EncryptionKey.random(), to: path) }
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path + "-mine"))
        try expectError(.duplicateKey) { try KeyFile.write(try EncryptionKey.random(), to: path + "-mine") }
      }
    },
    output("backup", "A backup replaces nothing, and takes no name that is Quarry's own.", needs: [.backup]) { kit in
      let store = try kit.store(Item.self)
      try CopyScene.inFolder { path in
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path + ".partial"))
        try store.backup(to: path)
        // What only looks like a file of Quarry's is the user's.
        try expectEqual(FileManager.default.contents(atPath: path + ".partial"), Data("mine".utf8))
        try expectError(.inUse) { try store.backup(to: path) }
        try expectError(.invalidValue) { try store.backup(to: path + "._quarry.partial") }
        try expectError(.invalidValue) { try store.dump(to: path + "._quarry.partial") }
      }
    },
  ]
}
