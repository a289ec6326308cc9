import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Parts of a sealed store that are put together from several of its states, each authentic by itself.
enum MixedSealCases {
  /// A new place whose store has these bytes in its file.
  private static func place(_ kit: ConformanceContext, with bytes: Data) throws -> SealedScene {
    let scene = try SealedScene(kit)
    try scene.open(1).close()
    try bytes.write(to: URL(fileURLWithPath: scene.main().path))
    return scene
  }

  /// Whether the engine appends commits to one file, and says of it whether it was closed.
  private static func isLog(_ scene: SealedScene) throws -> Bool {
    let store = try scene.open(1)
    defer { try? store.close() }
    return store.openingReport.wasClosed == true
  }

  private static let reading: @Sendable (inout OpenOptions) -> Void = {
    $0.isReadOnly = true
    $0.createsIfMissing = false
  }

  static let all: [ConformanceCase] = [
    .sealed(
      "ends-of-two-histories", ["ENC-4", "DUR-5"],
      "Commits of one history do not follow those of another one, though both are of the same store and key.",
      needs: [.openReadOnly]
    ) { scene in
      try scene.fill(1)
      guard try isLog(scene) else { return }
      let bytes = try scene.main().data
      /// What a process leaves that has committed twice and is killed then, and where its first commit ends.
      func continued(_ note: String) throws -> (bytes: Data, end: Int) {
        let scene = try place(scene.kit, with: bytes)
        let store = try scene.open(1)
        try store.insert(Item(1_000, note: note))
        defer { try? store.close() }
        let one = try scene.main()
        try store.insert(Item(1_001, note: note))
        let both = try scene.main()
        return (both.data, one.data.count)
      }
      let (one, two) = (try continued("one"), try continued("two"))
      try expectEqual(one.end, two.end, "where the first commit ends")
      let mixed = try place(scene.kit, with: one.bytes.prefix(one.end) + two.bytes.suffix(from: two.end))
      let before = SealedScene.items + [Item(1_000, note: "one")]
      for isReadOnly in [true, false] {
        do {
          let store = try mixed.open(1) { $0.isReadOnly = isReadOnly }
          try expectEqual(try store.fetch(Item.all), before)
          try store.close()
        } catch let error as StorageError where error.code == .corrupt {
          ProvokedErrors.note(error.code)
        }
      }
    },
    .sealed(
      "beginning-of-two-states", ["ENC-4", "DUR-4"],
      "A closed store that was cut to an older state, with sectors of its beginning from two older ones, is corrupt.",
      needs: [.openReadOnly]
    ) { scene in
      try scene.fill(1)
      guard try isLog(scene) else { return }
      var states = [try scene.main().data]
      for number in 1...2 {
        let store = try scene.open(1)
        try store.insert(Item(1_000 + number))
        try store.close()
        states.append(try scene.main().data)
      }
      let sector = 512
      let path = try scene.main().path
      for start in stride(from: 0, to: 4_096, by: sector) {
        let range = start..<start + sector
        guard states[0][range] != states[1][range] else { continue }
        var mixed = states[1]
        mixed.replaceSubrange(range, with: states[0][range])
        try mixed.write(to: URL(fileURLWithPath: path))
        try scene.expectUntouched(.corrupt, "the sector at \(start)") { try scene.open(1, [Item.self], reading) }
        try scene.expectUntouched(.corrupt, "the sector at \(start)") { try scene.open(1) }
      }
    },
    .sealed(
      "older-page", ["ENC-4", "ERR-3"],
      "A sealed page of an older state in the place where it was is found, or changes nothing.", needs: [.openReadOnly],
      within: .seconds(60)
    ) { scene in
      var item = Item(1, note: "an older note")
      let first = try scene.open(1)
      try first.insert(item)
      try first.close()
      let before = try scene.main().data.blocks(of: 4_096)
      let store = try scene.open(1)
      item.note = "a newer note"
      try store.upsert(item)
      // Of the other engines SQLite says that it takes an older page, and the flat file has none.
      let hasPages = try store.statistics().details["sealed trees"] != nil
      try store.close()
      guard hasPages else { return }
      let (path, data) = try scene.main()
      // A page is behind a head of 16 bytes of the engine below, which says where it is.
      let head = 16
      func isPage(_ block: Data) -> Bool { block[10] & 4 != 0 }
      let old = Set(before.filter(isPage))
      var places = 0
      for (number, block) in data.blocks(of: 4_096).enumerated() where isPage(block) && !old.contains(block) {
        places += 1
        for page in old {
          var changed = data
          changed.replaceSubrange(number * 4_096 + head..<(number + 1) * 4_096, with: page.dropFirst(head))
          try changed.write(to: URL(fileURLWithPath: path))
          do {
            let store = try scene.open(1, [Item.self], reading)
            defer { try? store.close() }
            try expectEqual(try store.fetch(Item.all), [item], "an older page as block \(number)")
          } catch let error as StorageError where error.code == .corrupt {
            ProvokedErrors.note(error.code)
          }
        }
      }
      try expect(places > 0 && !old.isEmpty, "no page was changed")
    },
    .sealed(
      "rekey-full-leaves-nothing", ["ENC-5"],
      "A full change of the key leaves nothing of what was sealed with the old one in the files, at once."
    ) { scene in
      try scene.fill(1)
      let zeros = Data(repeating: 0, count: 64)
      let old = try Set(scene.main().data.dropFirst(4_096).blocks(of: 64)).subtracting([zeros])
      let store = try scene.open(1)
      try store.rekey(to: ConformanceKey.key(2), .full)
      for round in ["open", "closed"] {
        let blocks = try scene.everything().values.flatMap { $0.dropFirst(4_096).blocks(of: 64) }
        let kept = blocks.count { old.contains($0) }
        try expect(kept * 20 <= old.count, "\(round): \(kept) of \(old.count) blocks are as they were")
        try store.close()
      }
      try scene.expectOnly(2, 1)
    },
    .sealed(
      "made-and-open", ["ENC-2"],
      "A store that was only made, and is open, is what it was made as to each who opens it."
    ) { scene in
      let sealed = try SealedScene(scene.kit)
      let first = try scene.open(nil, [])
      try expectError(.notEncrypted) { try scene.open(1, []) }
      let second = try sealed.open(1, [])
      try expectError(.keyRequired) { try sealed.open(nil, []) }
      try expectError(.wrongKey) { try sealed.open(2, []) }
      try first.close()
      try second.close()
      try scene.fill(nil)
      try scene.expectItems(nil)
      try sealed.fill(1)
      try sealed.expectOnly(1, 2)
    },
  ]
}
