import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Paths that are no store's: one code on all engines with files.
enum PathCases {
  /// A path that cannot be opened.
  private struct Situation: Sendable {
    let name: String
    let code: StorageError.Code
    /// The path, of a folder in which it may make things, and of the path of a store that could be.
    let make: @Sendable (_ folder: String, _ store: String) throws -> String
    /// What must stay as it is in the folder.
    var leaves: [String] = []
  }

  private static let situations: [Situation] = [
    Situation(name: "empty", code: .invalidValue) { _, _ in "" },
    Situation(name: "nul", code: .invalidValue) { _, store in "\(store)\0more" },
    Situation(name: "long-name", code: .limitExceeded) { folder, _ in "\(folder)/\(String(repeating: "n", count: 256))"
    },
    Situation(name: "long", code: .limitExceeded) { folder, _ in
      "\(folder)/\(String(repeating: "folder/", count: 1000))store"
    },
    Situation(name: "no-folder", code: .notFound) { folder, _ in "\(folder)/none/store" },
    Situation(
      name: "through-file", code: .notFound,
      make: { folder, _ in
        try Data("a file".utf8).write(to: URL(fileURLWithPath: "\(folder)/file"))
        return "\(folder)/file/store"
      }, leaves: ["file"]),
    Situation(
      name: "through-file-deep", code: .notFound,
      make: { folder, _ in
        try Data("a file".utf8).write(to: URL(fileURLWithPath: "\(folder)/file"))
        return "\(folder)/file/folder/store"
      }, leaves: ["file"]),
    Situation(
      name: "folder", code: .corrupt,
      make: { folder, _ in
        let path = "\(folder)/taken"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try Data("a letter".utf8).write(to: URL(fileURLWithPath: "\(path)/letter"))
        return path
      }, leaves: ["taken"]),
    Situation(name: "device", code: .corrupt) { _, _ in "/dev/null" },
  ]

  static let all: [ConformanceCase] = situations.map { situation in
    ConformanceCase(
      "OPEN.path.\(situation.name)", ["ERR-6", "OPEN-1", "ERR-1"],
      "A path that cannot be a store's (\(situation.name)) is \(situation.code), and nothing is made.",
      requiresPersistence: true, without: ConformanceVariant.allButFresh
    ) { kit in
      let place = try kit.makePlace()
      // Stores that are not found by a path have none to be wrong.
      guard let program = kit.harness.secondProcess, let store = program.address(place) else { return }
      let folder = URL(fileURLWithPath: store).deletingLastPathComponent().path + "/paths"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let path = try situation.make(folder, store)
      for isReadOnly in [false, true] {
        var options = OpenOptions()
        options.isReadOnly = isReadOnly
        try expectError(situation.code, isReadOnly ? "for reading" : "for writing") {
          try kit.open([Item.self], at: try program.place(path), options: options)
        }
      }
      try expectEqual(try FileManager.default.contentsOfDirectory(atPath: folder), situation.leaves)
    }.ofFiles()
  }
}
