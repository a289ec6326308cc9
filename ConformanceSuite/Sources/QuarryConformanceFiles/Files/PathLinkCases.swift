import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryEncryption

/// Stores whose path is a symbolic link.
enum PathLinkCases {
  private static let items = (0..<40).map { Item($0, rank: $0 % 3, name: "n\($0)") }

  /// A place with a store, and a link to it in a folder of its own.
  private static func linked(_ scene: FileScene) throws -> (place: any BackendProvider, link: String) {
    try scene.make(items)
    return try link(scene, to: scene.path)
  }

  private static func link(_ scene: FileScene, to target: String) throws -> (place: any BackendProvider, link: String) {
    let link = try scene.makeFolder("links") + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
    return (try scene.place(at: link), link)
  }

  /// Throws unless the link is as it was, and alone in its folder.
  private static func expectAlone(_ link: String, to target: String, _ about: String) throws {
    try expectEqual(try FileManager.default.destinationOfSymbolicLink(atPath: link), target, about)
    let folder = URL(fileURLWithPath: link).deletingLastPathComponent().path
    try expectEqual(try FileScene.names(folder), ["link"], about)
  }

  static let all: [ConformanceCase] = [
    .files(
      "link-opened", ["FILE-3"],
      "A store that is opened by a link is where that leads, with all its files, and is one with the store there.",
      needs: [.compact, .backup, .check]
    ) { scene in
      let (place, link) = try linked(scene)
      let store = try scene.open(place, creates: false)
      try expectEqual(try store.fetch(Item.all), items)
      try store.insert(Item(100))
      try expectAlone(link, to: scene.path, "while it is open")
      let other = try scene.open()
      try other.insert(Item(101))
      try expectEqual(try store.count(Item.all), items.count + 2)
      try other.close()
      try store.compact()
      try expectAlone(link, to: scene.path, "after a compaction")
      let copy = try scene.makeFolder("copies") + "/copy"
      try store.backup(to: copy)
      try expectEqual(try store.check(), [])
      try store.close()
      try expectAlone(link, to: scene.path, "after closing")
      try expectEqual(try scene.open(scene.place(at: copy)).count(Item.all), items.count + 2)
      let direct = try scene.open(creates: false)
      try expectEqual(try direct.fetch(Item.all), items + [Item(100), Item(101)])
      try expectEqual(try direct.check(), [])
    },
    .files(
      "link-killed", ["FILE-3", "DUR-1"],
      "What was committed by a link is there after the process was killed, by the link and by the path.",
      usesProcess: true
    ) { scene in
      let (place, link) = try linked(scene)
      let child = try scene.kit.secondProcess(at: place, "open item", "insert 100", "insert 101")
      child.kill()
      let reader = try scene.open(place)
      try expectEqual(try reader.count(Item.all), items.count + 2)
      try reader.close()
      let second = try scene.kit.secondProcess(at: scene.place, "open item", "insert 102")
      second.kill()
      try expectEqual(try scene.open(place).count(Item.all), items.count + 3)
      try expectAlone(link, to: scene.path, "afterwards")
    },
    .files(
      "link-sealed", ["FILE-3"], "A store is sealed, given another key and made plain again by a link.",
      needs: [.openEncryption]
    ) { scene in
      let (place, link) = try linked(scene)
      func decrypt(_ place: some BackendProvider) throws { try Store.decrypt(place, with: try ConformanceKey.key(1)) }
      try Store.encrypt(scene.kit.undecorated(place), with: try ConformanceKey.key())
      try expectAlone(link, to: scene.path, "after it was sealed")
      try expectError(.keyRequired) { try scene.open() }
      var options = OpenOptions()
      options.encryption = Encryption(try ConformanceKey.key())
      let store = try scene.kit.open([Item.self], at: place, options: options)
      try expectEqual(try store.fetch(Item.all), items)
      try store.rekey(to: try ConformanceKey.key(1))
      try store.close()
      try decrypt(scene.kit.undecorated(place))
      try expectAlone(link, to: scene.path, "after it was made plain")
      try expectEqual(try scene.open().fetch(Item.all), items)
    },
    .files(
      "link-destroyed", ["FILE-4"], "To destroy a store by a link removes all of the store, and leaves the link.",
      needs: [.destroy]
    ) { scene in
      let (place, link) = try linked(scene)
      let store = try scene.open(place)
      try store.insert(Item(100))
      try store.destroy()
      try expectAlone(link, to: scene.path, "afterwards")
      try expectEqual(FileScene.kind(scene.path), nil)
      try expectEqual(try FileScene.names(scene.folder), ["links"])
      try expectError(.notFound) { try scene.open(creates: false) }
    },
    .files(
      "link-quarantined", ["FILE-5"],
      "A store that is named by a link is not put aside: that is unsupported, and it stays as it is."
    ) { scene in
      let (place, link) = try linked(scene)
      let backend = try scene.kit.undecorated(place).open(OpenOptions())
      defer { try? backend.close() }
      guard let quarantining = backend as? any QuarantiningBackend else { return }
      try expectError(.unsupported) { try quarantining.quarantine() }
      try? backend.close()
      try expectAlone(link, to: scene.path, "afterwards")
      try expectEqual(try scene.open(place).fetch(Item.all), items)
      try expectEqual(try scene.open().fetch(Item.all), items)
    },
    .files(
      "link-to-nothing", ["FILE-6"], "A link that leads to nothing is notFound for everything, and nothing is made.",
      needs: [.backup, .openEncryption]
    ) { scene in
      let (place, link) = try link(scene, to: scene.folder + "/nothing")
      let other = try scene.makeFolder("other") + "/store"
      try scene.make(items, at: scene.place(at: other))
      let before = try FileScene.names(scene.folder)
      func expectNotFound(_ about: String, _ body: () throws -> Void) throws {
        try expectError(.notFound, about) { try body() }
        try expectAlone(link, to: scene.folder + "/nothing", about)
        try expectEqual(try FileScene.names(scene.folder), before, about)
      }
      try expectNotFound("made") { _ = try scene.open(place) }
      try expectNotFound("opened") { _ = try scene.open(place, creates: false) }
      try expectNotFound("read") { _ = try scene.open(place, isReadOnly: true) }
      let store = try scene.open(scene.place(at: other))
      try expectNotFound("backup") { try store.backup(to: link) }
      try expectNotFound("copy") { try store.copy(to: scene.kit.undecorated(place)) }
      try store.close()
      try expectNotFound("sealed") { try Store.encrypt(scene.kit.undecorated(place), with: try ConformanceKey.key()) }
      func restore(_ place: some BackendProvider, _ replacing: Bool) throws {
        try Store.restoreBackup(other, to: place, replacing: replacing)
      }
      try expectNotFound("restored") { try restore(scene.kit.undecorated(place), false) }
      try expectNotFound("replaced") { try restore(scene.kit.undecorated(place), true) }
    },
    .files(
      "link-destination", ["FILE-7"], "A backup is not put where a link leads to something: it is inUse.",
      needs: [.backup]
    ) { scene in
      try scene.make(items)
      let target = scene.folder + "/target"
      try Data("mine".utf8).write(to: URL(fileURLWithPath: target))
      let (_, link) = try link(scene, to: target)
      let store = try scene.open()
      try expectError(.inUse) { try store.backup(to: link) }
      try expectAlone(link, to: target, "afterwards")
      try expectEqual(try Data(contentsOf: URL(fileURLWithPath: target)), Data("mine".utf8))
      try store.close()
    },
  ]
}
