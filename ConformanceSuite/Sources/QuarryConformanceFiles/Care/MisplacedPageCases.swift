import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Closed stores with checksums of which whole pages are elsewhere than they were, or are missing: each page is right by
/// itself, and in the wrong place.
enum MisplacedPageCases {
  private static let block = DamageCases.block

  private static func page(_ data: Data, _ number: Int) -> Data {
    Data(data[data.startIndex + number * block..<data.startIndex + (number + 1) * block])
  }

  private static func misplaced(
    _ name: String, _ summary: String, needs: Set<Capability> = [],
    _ body: @escaping @Sendable (DamageScene) throws -> Void
  ) -> ConformanceCase {
    .processes(
      "CARE.pages-\(name)", ["CARE-12", "ERR-3"], summary, needs: needs.union([.statistics]), within: .seconds(120)
    ) { kit in
      guard let scene = try DamageScene(kit) else { return }
      try body(scene)
    }
  }

  static let all: [ConformanceCase] = [
    misplaced("in-place-of-others", "A page that is right, and stands in the place of another one, is found.") {
      scene in
      let (path, data) = try scene.largest
      let pages = Array(0..<data.count / block)
      var random = scene.kit.random(370)
      // Each page takes the place of its neighbour, and of others.
      for number in pages.shuffled(using: &random).prefix(scene.kit.triesFew ? 14 : pages.count) {
        for other in [number + 1, (number * 7 + 3) % pages.count] where other < pages.count && other != number {
          guard page(data, number) != page(data, other) else { continue }
          var changed = data
          changed.replaceSubrange(
            changed.startIndex + other * block..<changed.startIndex + (other + 1) * block, with: page(data, number))
          try changed.write(to: URL(fileURLWithPath: path))
          try scene.expectFound("page \(number) of \(pages.count) in the place of page \(other)")
          try scene.restore()
        }
      }
    },
    misplaced("cut-off", "Of a store of which pages are cut off at the end everything is read, or it is damaged.") {
      scene in
      let (path, data) = try scene.largest
      let pages = data.count / block
      for left in Set([1, 2, 3, pages / 2, pages - 3, pages - 2, pages - 1]).sorted() where (1..<pages).contains(left) {
        try data.prefix(left * block).write(to: URL(fileURLWithPath: path))
        try scene.expectFound("\(left) of \(pages) pages")
        try scene.restore()
      }
    },
    misplaced(
      "cut-off-and-written", "What was cut off does not come back as something else when the store is written to."
    ) { scene in
      let (path, data) = try scene.largest
      let pages = data.count / block
      for left in Set([2, pages / 2, pages - 2, pages - 1]).sorted() where (1..<pages).contains(left) {
        let about = "\(left) of \(pages) pages"
        try data.prefix(left * block).write(to: URL(fileURLWithPath: path))
        // Whatever comes of it, twice: the file grows over what is missing.
        for round in 1...2 {
          _ = try scene.answer("open item", "insert-many \(round)0000 200 300", "close", about: about)
        }
        let found = try scene.answer("open item", "first-items", about: about)
        if found != nil { _ = try scene.answer("close", about: about) }
        try expect(found ?? "same" == "same", "\(about): other objects, and no error says so")
        try scene.restore()
      }
    },
  ]
}
