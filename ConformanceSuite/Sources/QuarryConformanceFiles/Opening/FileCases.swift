import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// What is in the files of a store, for engines that have any; a store without files has none to be damaged.
enum FileCases {
  /// A store with objects, closed, and its files.
  private static func closed(_ kit: ConformanceContext) throws -> (place: any BackendProvider, files: [String]) {
    let place = try kit.makePlace()
    let store = try kit.open([Item.self], at: place)
    try store.insert(contentsOf: (0..<500).map { Item($0, name: "n\($0)") })
    try store.close()
    return (place, kit.files(at: place))
  }

  private static func contents(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

  static let all: [ConformanceCase] = [
    ConformanceCase(
      "OPEN.no-store", ["OPEN-1", "ERR-1"], "A file of another kind is an error, and left as it is.",
      requiresPersistence: true, without: [.reopened]
    ) { kit in
      let (place, files) = try closed(kit)
      let junk = Data("This is a letter and no store of anything.\n".utf8)
      let filled = try files.filter { try !contents($0).isEmpty }
      for file in filled { try junk.write(to: URL(fileURLWithPath: file)) }
      guard !filled.isEmpty else { return }
      do {
        try kit.open([Item.self], at: place).close()
        throw ConformanceFailure(message: "a letter was opened as a store", file: #fileID, line: #line)
      } catch is StorageError {}
      // A lock may be written to; whatever else is there is not Quarry's.
      let unchanged = try filled.filter { try contents($0) == junk }
      try expect(!unchanged.isEmpty, "the letter was changed")
    },
    ConformanceCase(
      "OPEN.empty-files", ["OPEN-1", "OPEN-2"],
      "Where files are empty, nothing is: it is notFound to who makes no store, and a store is made there.",
      requiresPersistence: true, without: [.reopened]
    ) { kit in
      let (place, files) = try closed(kit)
      guard !files.isEmpty else { return }
      for file in files { try Data().write(to: URL(fileURLWithPath: file)) }
      var options = OpenOptions()
      options.createsIfMissing = false
      try expectError(.notFound) { try kit.open([Item.self], at: place, options: options) }
      options.isReadOnly = true
      try expectError(.notFound) { try kit.open([Item.self], at: place, options: options) }
      for file in files where FileManager.default.fileExists(atPath: file) {
        try expectEqual(try contents(file).count, 0, file)
      }
      let store = try kit.open([Item.self], at: place)
      try expectEqual(try store.fetch(Item.all), [])
      try store.insert(Item(1))
      try store.close()
      try expectEqual(try kit.open([Item.self], at: place).fetch(Item.all), [Item(1)])
    },
    ConformanceCase(
      "ERR.damaged-file", ["ERR-3", "ERR-1"],
      "A store whose file was overwritten is corrupt when it is opened or read.",
      requiresPersistence: true, without: [.reopened]
    ) { kit in
      let (place, files) = try closed(kit)
      guard let largest = try files.max(by: { try contents($0).count < contents($1).count }) else { return }
      let count = try contents(largest).count
      try Data(repeating: 0x5A, count: count).write(to: URL(fileURLWithPath: largest))
      try expectError(.corrupt) { try kit.open([Item.self], at: place).fetch(Item.all) }
    },
    ConformanceCase(
      "OPEN.modes", ["OPEN-4"], "New files can be read and written by their owner alone.", requiresPersistence: true
    ) { kit in
      let place = try kit.makePlace()
      let store = try kit.open([Item.self], at: place)
      try store.insert(Item(1))
      for file in kit.files(at: place) {
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
        try expectEqual(mode & 0o777, 0o600, String(file.split(separator: "/").last ?? ""))
      }
    },
  ]
}
