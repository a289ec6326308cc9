import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// How long the path of a store may be.
enum PathLimitCases {
  /// A path of so many bytes in folders that are made.
  private static func path(_ scene: FileScene, bytes: Int, name: String = "store") throws -> String {
    var path = try scene.makeFolder("deep")
    while path.utf8.count + name.utf8.count + 1 < bytes {
      let left = bytes - path.utf8.count - name.utf8.count - 2
      // No folder has a name of nothing.
      let part = left > 200 ? 100 : left
      path += "/" + String(repeating: "d", count: max(1, part))
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    return path + "/" + name
  }

  private static func expectUsable(_ scene: FileScene, _ path: String) throws {
    let place = try scene.place(at: path)
    let store = try scene.open(place)
    try store.insert(Item(1))
    try store.compact()
    try expectEqual(try store.check(), [])
    try store.close()
    let reader = try scene.open(place, isReadOnly: true)
    try expectEqual(try reader.fetch(Item.all), [Item(1)])
    try reader.close()
    let again = try scene.open(place, creates: false)
    try again.destroy()
  }

  static let all: [ConformanceCase] = [
    .files(
      "path-longest", ["FILE-19", "LIM-1"],
      "A store may have a path as long as the manifest says; one byte more is limitExceeded with both numbers.",
      needs: [.compact, .check, .destroy, .backup]
    ) { scene in
      let limit = try unwrap(scene.kit.manifest.limits.pathBytes, "the limit of paths in the manifest")
      let longest = try path(scene, bytes: limit)
      try expectEqual(longest.utf8.count, limit)
      try expectUsable(scene, longest)
      let tooLong = longest + "s"
      let place = try scene.place(at: tooLong)
      let folder = URL(fileURLWithPath: longest).deletingLastPathComponent().path
      try scene.make([Item(1)])
      let store = try scene.open()
      let calls: [(String, () throws -> Void)] = [
        ("made", { _ = try scene.open(place) }), ("opened", { _ = try scene.open(place, creates: false) }),
        ("read", { _ = try scene.open(place, isReadOnly: true) }),
        ("copied", { try store.copy(to: scene.kit.undecorated(place)) }),
        ("restored", { try Store.restoreBackup(scene.path, to: scene.kit.undecorated(place)) }),
      ]
      for (name, call) in calls {
        do {
          try call()
          throw ConformanceFailure(message: "\(name): a path of \(limit + 1) bytes", file: #fileID, line: #line)
        } catch let error as StorageError {
          try expectEqual(error.code, .limitExceeded, name)
          for number in [limit, limit + 1] {
            try expect(error.message.contains(String(number)), "\(name) does not say \(number): \(error.message)")
          }
        }
        try expectEqual(try FileScene.names(folder), [], name)
      }
      try expectError(.limitExceeded) { try store.backup(to: tooLong) }
      try expectEqual(try FileScene.names(folder), [])
    },
    .files(
      "name-longest", ["FILE-19"], "The name of a store may have 239 bytes; one more is limitExceeded.",
      needs: [.compact, .check, .destroy, .backup]
    ) { scene in
      let name = String(repeating: "n", count: 239)
      try expectUsable(scene, scene.folder + "/" + name)
      let place = try scene.place(at: scene.folder + "/" + name + "n")
      try expectError(.limitExceeded) { try scene.open(place) }
      try expectError(.limitExceeded) { try scene.open(place, isReadOnly: true) }
      try scene.make([Item(1)])
      try expectError(.limitExceeded) { try scene.open().backup(to: scene.folder + "/" + name + "n") }
      try expectEqual(try FileScene.names(scene.folder).filter { $0.hasPrefix("nn") }, [])
    },
  ]
}
