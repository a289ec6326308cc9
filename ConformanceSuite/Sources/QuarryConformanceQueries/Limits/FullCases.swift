import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// A system that gives no more space, or no more files: a process of its own meets it, so that no other does.
enum FullCases {
  private static func full(_ bytes: Int) -> ConformanceCase {
    .processes(
      "LIM.full-\(bytes)", ["LIM-2", "LIM-3", "ERR-1"],
      "Where objects of \(bytes) bytes find no more space it is full, nothing is lost, and the store goes on afterwards."
    ) { kit in
      let place = try kit.makePlace()
      let child = try kit.secondProcess(at: place, "open batch", "limit-files \(1 << 20)")
      let words = try child.ask("fill \(bytes)").split(separator: " ").map(String.init)
      try expectEqual(words.last, "\(StorageError.Code.full)", "the error of an object that finds no space")
      let count = try unwrap(words.first, "the number of objects")
      try expect(Int(count) ?? 0 > 0, "no object was stored")
      try child.expect("verify-filling \(bytes)", count)
      // More at once is refused again, and leaves nothing.
      try expectError(.full) { try child.ask("fill-more \(bytes) \(1 << 20 / bytes)") }
      try child.expect("verify-filling \(bytes)", count)
      try child.ask("unlimit-files")
      let more = try unwrap(Int(count)) + 3
      try child.expect("fill-more \(bytes) 3", "\(more)")
      try child.expect("verify-filling \(bytes)", "\(more)")
      try child.ask("close")
      let store = try kit.open(BatchWorkload.models, at: place)
      try expectEqual(try store.count(Note.all), more)
      if store.manifest.capabilities[.check]?.isSupported == true { try expectEqual(try store.check(), []) }
    }
  }

  static let all: [ConformanceCase] = [
    full(4_000).ofFiles(), full(60_000).ofFiles(),
    .processes(
      "LIM.full-while-made", ["LIM-2"],
      "A store for which there is no room while it is made is full, and is made when there is room.",
      within: .seconds(60)
    ) { kit in
      for bytes in [0, 100, 2_000, 4_096, 9_000, 20_000] {
        let about = "with files of \(bytes) bytes"
        let place = try kit.makePlace()
        let child = try kit.secondProcess(at: place, "limit-files \(bytes)")
        var isFull = false
        do {
          try child.ask("open item")
        } catch let error as StorageError {
          try expectEqual(error.code, .full, about)
          isFull = true
        }
        if bytes == 0 { try expect(isFull, "a store without a byte was opened") }
        try child.ask("unlimit-files")
        if isFull { try child.ask("open item") }
        try child.ask("insert 1")
        try child.expect("ids", "1")
        try child.ask("close")
        try child.finish()
        let store = try kit.open([Item.self], at: place)
        try expectEqual(try store.keys(Item.all), [1], about)
        if store.manifest.capabilities[.check]?.isSupported == true { try expectEqual(try store.check(), [], about) }
        try store.close()
      }
    }.ofFiles(),
    .processes(
      "ERR.io", ["ERR-1"], "Where the system opens no more files it is io, and the store opens afterwards."
    ) { kit in
      let place = try kit.makePlace()
      let child = try kit.secondProcess(at: place, "open item", "insert 1", "close", "limit-descriptors")
      // A server is not reached without a connection, which is a file to the system.
      try expectError(kit.harness.storage == .server ? .unavailable : .io) { try child.ask("open item") }
      try child.ask("unlimit-descriptors")
      try child.ask("open item")
      try child.expect("ids", "1")
    },
  ]
}
