import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryEncryption

/// Sealed stores that a killed process left as they were, with logs and ends that are not brought in yet, and whose files
/// were changed then: what is read was once committed, or the damage is told.
enum HotSealCases {
  /// The commits of the workload.
  private static let commits = 14

  /// A store that a process left in the middle of its work.
  struct Left {
    let scene: SealedScene
    let files: [String: Data]
    let commits: Int

    init(_ scene: SealedScene, commits: Int = HotSealCases.commits) throws {
      self.scene = scene
      self.commits = commits
      let child = try scene.kit.secondProcess(at: scene.place, "sealed-batches 1")
      for _ in 0..<commits { try child.ask("commit-batch") }
      child.kill()
      files = try scene.everything()
    }

    func put(_ changed: [String: Data]) throws {
      for path in try scene.everything().keys where files[path] == nil {
        try? FileManager.default.removeItem(atPath: path)
      }
      for (path, data) in files.merging(changed, uniquingKeysWith: { $1 }) {
        try data.write(to: URL(fileURLWithPath: path))
      }
    }

    /// Opens what the files have become, in a process that damage may end.
    ///
    /// - Returns: The last of the batches that are there, all of them whole; nil for a store that is corrupt.
    func judge(_ changed: [String: Data], _ about: String) throws -> Int? {
      try put(changed)
      let child = try scene.kit.secondProcess(at: scene.place)
      defer { child.kill() }
      do {
        try child.ask("sealed-batches 1 existing")
        let last = try child.ask("sealed-verify")
        // What check tells of is no silent loss.
        return last == "defects" ? nil : try unwrap(Int(last), about)
      } catch let error as StorageError where [.corrupt, .wrongKey].contains(error.code) {
        ProvokedErrors.note(error.code)
        return nil
      } catch let error as StorageError where error.code == .notFound {
        // Nothing is left of a file that was cut to nothing.
        return nil
      }
    }

    func expectPrefix(_ changed: [String: Data], _ about: String) throws {
      guard let last = try judge(changed, about) else { return }
      try expect((0...HotSealCases.commits).contains(last), "\(about): batch \(last)")
    }
  }

  private static func hot(
    _ name: String, _ summary: String, file: String = #fileID, line: Int = #line,
    _ body: @escaping @Sendable (Left) throws -> Void
  ) -> ConformanceCase {
    .sealedProcesses("hot-\(name)", ["ENC-4", "ERR-1"], summary, within: .seconds(240), file: file, line: line) {
      scene in
      try body(Left(scene))
    }
  }

  private static func places(_ count: Int, _ kit: ConformanceContext, _ number: Int) -> [Int] {
    guard count > 0 else { return [] }
    var random = kit.random(80 + number)
    return (0..<(kit.triesFew ? 6 : 40)).map { _ in Int.random(in: 0..<count, using: &random) }
  }

  static let all: [ConformanceCase] =
    [
      hot("whole", "Everything that was committed is there when the process was killed.") { left in
        try expectEqual(try left.judge([:], "as it was left"), commits)
        try left.put([:])
        for (key, code): (UInt8?, StorageError.Code) in [(nil, .keyRequired), (2, .wrongKey)] {
          try expectError(code) { try left.scene.open(key, BatchWorkload.models) }
        }
        try expectEqual(try left.judge([:], "after wrong keys"), commits)
      }
    ]
    + (0..<6).map { number in
      hot(
        "flip-\(number)", "Of a store as a killed process left it, with a bit changed, only what was committed is read."
      ) {
        left in
        for (path, data) in left.files.sorted(by: { $0.key < $1.key }) {
          for place in places(data.count, left.scene.kit, number) {
            var changed = data
            changed[place] ^= 1 << UInt8((place + number) % 8)
            try left.expectPrefix([path: changed], "bit of byte \(place) of \((path as NSString).lastPathComponent)")
          }
        }
      }
    }
    + [512, 4_096].flatMap { size in
      ["cut", "zeroed", "exchanged", "twice"].enumerated().map { number, kind in
        hot(
          "\(kind)-\(size)",
          "Of a store as a killed process left it, with blocks of \(size) bytes \(kind), only what was committed is read."
        ) {
          left in
          for (path, data) in left.files.sorted(by: { $0.key < $1.key }) where data.count > size {
            let blocks = data.count / size
            for place in places(blocks, left.scene.kit, 10 + number) {
              var changed = data
              let range = place * size..<(place + 1) * size
              switch kind {
              case "cut": changed = data.prefix(place * size)
              case "zeroed": changed.replaceSubrange(range, with: Data(repeating: 0, count: size))
              default:
                let other = (place * 7 + 1) % blocks
                let otherRange = other * size..<(other + 1) * size
                changed.replaceSubrange(range, with: data[otherRange])
                if kind == "exchanged" { changed.replaceSubrange(otherRange, with: data[range]) }
              }
              try left.expectPrefix([path: changed], "block \(place) of \((path as NSString).lastPathComponent)")
            }
          }
        }
      }
    } + [
      hot(
        "log-of-before",
        "A file of before beside the others of later gives a state that was once committed, or is damage."
      ) { left in
        let before = left.files
        // The same store, some commits and a close later.
        let store = try left.scene.open(1, BatchWorkload.models)
        for number in HotSealCases.commits + 1...HotSealCases.commits + 6 { try BatchWorkload.commit(number, store) }
        let open = try left.scene.everything()
        try store.close()
        let closed = try left.scene.everything()
        for later in [open, closed] {
          for path in Set(before.keys).union(later.keys).sorted() where before[path] != nil {
            var mixed = later
            mixed[path] = before[path]
            // One file that has everything is an older store, whole.
            let name = (path as NSString).lastPathComponent
            guard let last = try left.judge(mixed, "\(name) of before") else { continue }
            try expect((0...HotSealCases.commits + 6).contains(last), "\(name) of before: batch \(last)")
          }
        }
      },
      .sealedProcesses(
        "full-insert", ["ENC-1", "ENC-4"], "A sealed store whose disk is full keeps what was committed."
      ) { scene in
        try scene.fill(1)
        let size = try scene.main().data.count
        let child = try scene.kit.secondProcess(at: scene.place, "sealed-open 1", "limit-files \(size + 20_000)")
        var inserted = 0
        do {
          while inserted < 5_000 {
            try child.ask("sealed-insert-large \(1_000 + inserted)")
            inserted += 1
          }
        } catch let error as StorageError {
          try expect([.full, .io].contains(error.code), "\(error)")
        }
        try expect(inserted < 5_000, "the disk was not full")
        child.kill()
        let store = try scene.open(1)
        try expectEqual(try store.check(), [])
        let kept = try store.count(Item.all) - SealedScene.items.count
        try expect(kept >= inserted, "\(kept) of \(inserted) that were committed")
        try store.delete(Item.where { $0.id >= 1_000 })
        try store.close()
        try scene.expectOnly(1, 2)
      },
    ]
    + ["encrypt 1", "decrypt 1", "rekey 1 2 full"].map { command in
      let name = command.split(separator: " ")[0]
      return .sealedProcesses(
        "full-\(name)", ["ENC-5", "ENC-6"], "On a full disk \(name) is refused, and the store is as it was."
      ) { scene in
        let old: UInt8? = name == "encrypt" ? nil : 1
        try scene.fill(old)
        let child = try scene.kit.secondProcess(at: scene.place, "limit-files 2000")
        do {
          try child.ask(command)
          throw ConformanceFailure(message: "the disk was not full", file: #fileID, line: #line)
        } catch let error as StorageError {
          try expect([.full, .io].contains(error.code), "\(error)")
          ProvokedErrors.note(error.code)
        }
        child.kill()
        try scene.expectItems(old, "after it was refused")
        let found = try scene.everything().keys.filter { $0.hasSuffix(".partial") }
        try expectEqual(found.sorted(), [])
      }
    }
}
