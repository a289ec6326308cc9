import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Files of a store with odd times, other things under the names of a store's own files, and files with holes.
enum OwnFileCases {
  private static let items = (0..<40).map { Item($0, name: "n\($0)") }

  /// Something that is put under the name of an own file.
  private struct Thing: Sendable {
    let name: String
    let clause: String
    let put: @Sendable (_ path: String, _ victim: String) throws -> Void
  }

  private static let things: [Thing] = [
    Thing(name: "link", clause: "FILE-8") { path, victim in
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: victim)
    },
    Thing(name: "link-to-nothing", clause: "FILE-8") { path, victim in
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: victim + "-is-not-there")
    },
    Thing(name: "pipe", clause: "FILE-9") { path, _ in
      guard mkfifo(path, 0o600) == 0 else { throw StorageError(.io, "\(path): \(errno)") }
    },
    Thing(name: "folder", clause: "FILE-9") { path, _ in
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    },
  ]

  /// Does what is done with stores, and gives what it has met: the engine may need the file or not.
  private static func use(_ scene: FileScene, _ about: String) throws {
    for isReadOnly in [true, false] {
      do {
        let store = try scene.open(isReadOnly: isReadOnly, creates: false)
        defer { try? store.close() }
        try expectEqual(try store.fetch(Item.all), items, about)
        try expectEqual(try store.check().filter { !$0.contains("no file of a store") }, [], about)
        if !isReadOnly {
          try store.insert(Item(1_000))
          try store.delete(Item.self, 1_000)
          try? store.compact()
        }
      } catch let error as StorageError {
        try expect([.corrupt, .io].contains(error.code), "\(about): \(error)")
      }
    }
  }

  static let all: [ConformanceCase] =
    things.map { thing in
      .files(
        "own-\(thing.name)", [thing.clause, "ERR-1"],
        "A \(thing.name) under the name of an own file is not followed and not waited for: corrupt, or not needed.",
        needs: [.check]
      ) { scene in
        try scene.make(items)
        let victim = try scene.makeFolder("others") + "/letter"
        let letter = Data(repeating: 7, count: 70_000)
        try letter.write(to: URL(fileURLWithPath: victim))
        for path in try scene.ownPaths() {
          let kept = FileScene.kind(path) == nil ? nil : try Data(contentsOf: URL(fileURLWithPath: path))
          if kept != nil { try FileManager.default.removeItem(atPath: path) }
          try thing.put(path, victim)
          let about = "\(thing.name) at \(path)"
          try use(scene, about)
          try expectEqual(try Data(contentsOf: URL(fileURLWithPath: victim)) == letter, true, about)
          try expectEqual(try FileScene.names(scene.folder + "/others"), ["letter"], about)
          if FileScene.kind(path) != nil { try FileManager.default.removeItem(atPath: path) }
          if let kept { try kept.write(to: URL(fileURLWithPath: path)) }
          let store = try scene.open(creates: false)
          try expectEqual(try store.fetch(Item.all), items, "\(about), which was taken away")
          try store.close()
        }
      }
    } + [
      .files(
        "any-time", ["ERR-10"], "No time that a file can have ends a call or a process.",
        needs: [.check, .openReadOnly],
        usesProcess: true
      ) { scene in
        try scene.make(items)
        let files = scene.kit.files(at: scene.place)
        // A file system takes the nearest one that it can keep.
        for seconds in [Int.min, -20_000_000_000, 0, 20_000_000_000, Int.max] {
          var times = [timespec(), timespec()]
          for index in times.indices { times[index].tv_sec = seconds }
          // Those of a file system that refuses it stay.
          for path in files { _ = utimensat(AT_FDCWD, path, times, 0) }
          let child = try scene.kit.secondProcess(at: scene.place)
          for opening in ["open item readOnly", "open item"] {
            try child.expect(opening, "open")
            try child.expect("named n7", "1")
            try child.expect("defects", "sound")
            if opening == "open item" {
              try child.ask("insert 1000")
              try child.ask("delete 1000")
            }
            try child.expect("close", "closed")
          }
          try child.finish()
        }
      },
      .files(
        "pipe-while-open", ["FILE-9"],
        "What comes to be under the name of a log while a store is open keeps no call waiting."
      ) { scene in
        try scene.make(items)
        let store = try scene.open(creates: false)
        try expectEqual(try store.fetch(Item.all), items)
        // Names that nothing has while the store is open.
        let paths = ["-journal", "._quarry.partial"].map { scene.path + $0 }.filter { FileScene.kind($0) == nil }
        for path in paths {
          guard mkfifo(path, 0o600) == 0 else { throw StorageError(.io, "\(path): \(errno)") }
          let waiter = PipeWaiter(path)
          do {
            // Each needs another look at the files.
            let frozen = try (0..<3).map { _ in try store.freeze() }
            for store in frozen { try expectEqual(try store.fetch(Item.all), items) }
            for store in frozen { store.close() }
            try store.insert(Item(1_000))
            try store.delete(Item.self, 1_000)
          } catch let error as StorageError {
            try expect([.corrupt, .io].contains(error.code), "\(path): \(error)")
          }
          try expect(!waiter.end(), "\(path) was opened, and waited for")
          try FileManager.default.removeItem(atPath: path)
        }
        try store.close()
        try expectEqual(try scene.open(creates: false).fetch(Item.all), items)
      },
      .files(
        "holes", ["FILE-10", "ERR-1"],
        "A store whose file was made very long by a hole gives an answer or an error, and not after reading all of it.",
        needs: [.check, .backup], usesProcess: true
      ) { scene in
        for isClosed in [true, false] {
          let place = scene.folder + (isClosed ? "/closed" : "/killed")
          let provider = try scene.place(at: place)
          try scene.make(items, at: provider)
          if !isClosed {
            let child = try scene.kit.secondProcess(at: provider, "open item", "insert 500", "delete 500")
            child.kill()
          }
          let data = FileScene.kind(place) == .typeDirectory ? place + "/data.mdb" : place
          // As much as the file system lets a file have.
          let sizes = [100_000_000_000_000, 10_000_000_000_000, 1_000_000_000_000]
          guard let size = sizes.first(where: { truncate(data, off_t($0)) == 0 }) else { return }
          for isReadOnly in [true, false] {
            do {
              let store = try scene.open(provider, isReadOnly: isReadOnly, creates: false)
              defer { try? store.close() }
              // No commit is so long that its beginning could be this.
              if size > 1 << 40 { try expect(store.openingReport.tail == nil, "the hole is taken for a torn commit") }
              try expectEqual(try store.fetch(Item.all), items)
              _ = try store.check()
              let copy = try scene.makeFolder("copies") + "/\(isClosed)-\(isReadOnly)"
              try store.backup(to: copy)
              try expectEqual(try scene.open(scene.place(at: copy)).fetch(Item.all), items)
            } catch let error as StorageError {
              // A file that is read for writing by whoever may bring it in order first says so.
              try expect([.corrupt, .io].contains(error.code), "\(error)")
            }
          }
        }
      },
    ]
}
