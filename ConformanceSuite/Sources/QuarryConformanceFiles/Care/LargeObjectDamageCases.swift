import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Damage in stores with checksums where pages hold nothing but a part of a large value, or nothing at all, and damage of which
/// one part hides another.
enum LargeObjectDamageCases {
  private static let block = DamageCases.block

  private static func notes(_ kit: ConformanceContext) throws -> DamageScene? {
    try DamageScene(kit, models: BatchWorkload.models) { store in
      for note in DamageSamples.largeNotes { try store.insert(note) }
    }
  }

  private static func damage(
    _ name: String, _ summary: String, line: Int = #line,
    _ body: @escaping @Sendable (ConformanceContext) throws -> Void
  ) -> ConformanceCase {
    .processes(
      "CARE.\(name)", ["CARE-12", "ERR-3"], summary, needs: [.statistics], within: .seconds(120), line: line, body)
  }

  /// Throws unless the answer to the last command is that nothing differs, or there is an error.
  private static func expectSame(
    _ scene: DamageScene, _ command: String, _ about: String, models: String = "item"
  ) throws {
    let answer = try scene.answer("open \(models)", command, about: about)
    if answer != nil { _ = try scene.answer("close", about: about) }
    try expect(answer ?? "same" == "same", "\(about): other objects, and no error says so")
  }

  static let all: [ConformanceCase] = [
    damage("large-erased", "A part of a large value that was erased is an error, and not another value.") { kit in
      guard let scene = try DamageScene(kit, DamageSamples.largeItems) else { return }
      let (path, data) = try scene.largest
      for number in 0..<data.count / block {
        var changed = data
        changed.replaceSubrange(number * block..<(number + 1) * block, with: Data(count: block))
        try changed.write(to: URL(fileURLWithPath: path))
        try expectSame(scene, "same-large", "block \(number) of \(data.count / block) erased")
        try scene.restore()
      }
    },
    damage("damage-beside-damage", "Damage at the beginning of a file does not hide a changed value.") { kit in
      guard let scene = try DamageScene(kit) else { return }
      let (path, data) = try scene.largest
      let places = DamageCases.places(of: Array(DamageSamples.code.utf8), in: data)
      guard !places.isEmpty, data.count > block else { return }
      var other = data
      for place in places { other[place + 12] = UInt8(ascii: "7") }
      // The last bytes of a block are where its checksum may be.
      let ends = [4, 8, 16, 24, 32].map { block - $0..<block }
      // And the numbers at the beginning that say what the end means.
      for number in 16..<24 {
        var changed = other
        for place in block - 32..<block { changed[place] ^= 0xFF }
        changed[number] ^= 1
        try changed.write(to: URL(fileURLWithPath: path))
        try scene.expectFound("byte \(number) and the end of the first block beside a changed value")
        try scene.restore()
      }
      let bytes = (Array(stride(from: 0, to: 100, by: 4)) + Array(stride(from: block - 64, to: block, by: 3)))
        .map { $0..<$0 + 1 }
      for range in ends + bytes {
        for isErased in range.count > 1 ? [true, false] : [false] {
          var changed = other
          for place in range { changed[place] = isErased ? 0 : changed[place] ^ 0xFF }
          try changed.write(to: URL(fileURLWithPath: path))
          try scene.expectFound("the bytes \(range) \(isErased ? "erased" : "changed") beside a changed value")
          try scene.restore()
        }
      }
    },
    damage(
      "cut-beside-log",
      "After a process was killed, values of which the file lacks a part are errors or missing objects."
    ) { kit in
      guard let scene = try DamageScene(kit, DamageSamples.largeItems) else { return }
      try scene.leave("open item", "insert 1000")
      let (path, data) = try scene.largest
      let blocks = data.count / block
      for missing in Array(1...9) + [blocks / 2] where missing < blocks {
        try data.prefix((blocks - missing) * block).write(to: URL(fileURLWithPath: path))
        try expectSame(scene, "known-large", "the last \(missing) of \(blocks) blocks missing")
        try scene.restore()
      }
    },
    damage(
      "cut-beside-log-and-written", "What is missing of a file after a process was killed does not become other values."
    ) { kit in
      guard let scene = try DamageScene(kit, DamageSamples.largeItems) else { return }
      let whole = try scene.largest.data.count / block
      try scene.leave("open item", "insert-many 1000 3 14000")
      let (path, data) = try scene.largest
      for missing in 1...9 where missing < whole {
        let about = "the last \(missing) of \(whole) blocks missing"
        let left = max(0, data.count / block - missing)
        try data.prefix(left * block).write(to: URL(fileURLWithPath: path))
        _ = try scene.answer("open item", "insert 2000", "close", about: about)
        try expectSame(scene, "known-large", about)
        try scene.restore()
      }
    },
    damage("last-part-erased", "The last part of a large value that was erased is an error, and not another value.") {
      kit in
      guard let scene = try notes(kit) else { return }
      let (path, data) = try scene.largest
      for number in 0..<data.count / block {
        var changed = data
        changed.replaceSubrange(number * block..<(number + 1) * block, with: Data(count: block))
        try changed.write(to: URL(fileURLWithPath: path))
        try expectSame(scene, "same-notes", "block \(number) of \(data.count / block) erased", models: "batch")
        try scene.restore()
      }
    },
    damage(
      "last-part-cut-beside-log",
      "After a process was killed, a value of which the file lacks the last part is an error or a missing object."
    ) { kit in
      guard let scene = try notes(kit) else { return }
      try scene.leave("open batch", "insert-notes 1000 1 10")
      let (path, data) = try scene.largest
      let blocks = data.count / block
      for missing in 1...9 where missing < blocks {
        try data.prefix((blocks - missing) * block).write(to: URL(fileURLWithPath: path))
        try expectSame(scene, "known-notes", "the last \(missing) of \(blocks) blocks missing", models: "batch")
        try scene.restore()
      }
    },
    damage(
      "last-part-cut-and-written", "The last part of a value that is missing after a process was killed stays missing."
    ) { kit in
      guard let scene = try notes(kit) else { return }
      let whole = try scene.largest.data.count / block
      try scene.leave("open batch", "insert-notes 1000 3 14000")
      let (path, data) = try scene.largest
      for missing in 1...9 where missing < whole {
        let about = "the last \(missing) of \(whole) blocks missing"
        let left = max(0, min(whole, data.count / block) - missing)
        try data.prefix(left * block).write(to: URL(fileURLWithPath: path))
        _ = try scene.answer("open batch", "insert-notes 2000 1 10", "close", about: about)
        try expectSame(scene, "known-notes", about, models: "batch")
        try scene.restore()
      }
    },
    damage(
      "unused-damaged", "A changed bit where the file holds nothing is found, or never becomes a part of an object."
    ) {
      kit in
      guard let scene = try DamageScene(kit, DamageSamples.largeItems, { try $0.delete(Item.where { $0.id >= 2 }) })
      else { return }
      let (path, data) = try scene.largest
      for number in 0..<data.count / block {
        let used = (number * block..<(number + 1) * block).filter { data[$0] != 0 }
        guard !used.isEmpty else { continue }
        var changed = data
        changed[used[used.count / 2]] ^= 4
        try changed.write(to: URL(fileURLWithPath: path))
        let about = "a bit in block \(number) of \(data.count / block)"
        _ = try scene.answer("open item", "insert-many 1000 3 14000", "close", about: about)
        try expectSame(scene, "known-large", about)
        try scene.restore()
      }
    },
  ]
}
