import Foundation
import QuarryBackend
import QuarryCore

/// Closed stores with checksums of which whole pages are elsewhere than they were, or are missing: each page is right by
/// itself, and in the wrong place.
enum MisplacedPageCases {
  /// A closed store of items, a process that looks at it, and what the store's files had.
  private final class Scene {
    let kit: ConformanceContext
    let place: any BackendProvider
    let files: [String: Data]
    private var child: SecondProcess?

    /// Nil for a store without checksums.
    init?(_ kit: ConformanceContext) throws {
      self.kit = kit
      (place, files) = try DamageCases.closed(kit)
      let store = try kit.open([Item.self], at: place)
      let checksums = try store.statistics().details["checksums"] ?? "none"
      try store.close()
      if checksums == "none" { return nil }
    }

    var largest: (path: String, data: Data) {
      get throws {
        let found = try unwrap(files.max { $0.value.count < $1.value.count }, "a file")
        return (found.key, found.value)
      }
    }

    /// Has a process do the commands; what it answers to the last one, or nil for damage that it has told.
    func answer(_ commands: String..., about: String) throws -> String? {
      let child = try self.child ?? kit.secondProcess(at: place)
      self.child = child
      var last = ""
      do {
        for command in commands { last = try child.ask(command) }
      } catch let error as StorageError {
        ProvokedErrors.note(error.code)
        _ = try? child.ask("close")
        try expect(DamageCases.identityCodes.contains(error.code), "\(about): \(error)")
        return nil
      }
      return last
    }

    /// Throws unless the store has its items, or says that it is damaged.
    func expectFound(_ about: String, line: Int = #line) throws {
      let answer = try answer("open item", "same-items", about: about)
      if answer != nil { _ = try self.answer("close", about: about) }
      try expect(answer ?? "same" == "same", "\(about): other objects, and no error says so", line: line)
    }

    func restore() throws {
      for path in kit.files(at: place) where files[path] == nil { try FileManager.default.removeItem(atPath: path) }
      for (path, data) in files { try data.write(to: URL(fileURLWithPath: path)) }
    }
  }

  private static let block = DamageCases.block

  private static func page(_ data: Data, _ number: Int) -> Data {
    Data(data[data.startIndex + number * block..<data.startIndex + (number + 1) * block])
  }

  private static func misplaced(
    _ name: String, _ summary: String, needs: Set<Capability> = [],
    _ body: @escaping @Sendable (Scene) throws -> Void
  ) -> ConformanceCase {
    .processes(
      "CARE.pages-\(name)", ["CARE-12", "ERR-3"], summary, needs: needs.union([.statistics]), within: .seconds(120)
    ) { kit in
      guard let scene = try Scene(kit) else { return }
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
      for number in pages.shuffled(using: &random).prefix(scene.kit.kills < 10 ? 14 : pages.count) {
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
