import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Files in the format of LMDB whose pages are each right by themselves, and do not fit together. LMDB trusts them: it may end
/// the process, or write over what is in use.
enum PageStructureCases {
  /// A change of a file; it returns nil where the file has no place for it.
  private struct Change {
    let name: String
    let make: @Sendable (inout LMDBImage) throws -> Void?
  }

  /// A tree of two levels, its root and its leaves.
  private static func tree(
    _ image: LMDBImage
  ) -> (record: LMDBImage.Record, root: LMDBImage.Page, leaves: [LMDBImage.Page])? {
    guard let record = image.trees.first(where: { $0.depth == 2 }) else { return nil }
    let leaves = image.leaves(of: record)
    return leaves.count > 3 ? (record, image.page(record.root), leaves) : nil
  }

  /// Writes the counts of the leaves of a tree whose root is a branch, where no value has pages of its own.
  private static func count(_ leaves: [LMDBImage.Page], in record: LMDBImage.Record, _ image: inout LMDBImage) {
    let counts = [1, leaves.count, 0, leaves.reduce(0) { $0 + $1.nodes.count }]
    for (place, count) in zip(LMDBImage.countPlaces, counts) { image.set(record.place + place, 8, to: count) }
  }

  private static let changes: [Change] = [
    Change(name: "a branch with one child") { image in
      guard let (record, root, leaves) = tree(image) else { return nil }
      image.keepFirstChild(of: root)
      count([leaves[0]], in: record, &image)
      return ()
    },
    Change(name: "a page that is in use in a list of free pages") { image in
      guard let (_, _, leaves) = tree(image) else { return nil }
      for list in image.freeLists {
        let count = image.number(list, 8)
        for index in 0..<count {
          let before = index == 0 ? Int.max : image.number(list + 8 * index, 8)
          let after = index + 1 < count ? image.number(list + 8 * index + 16, 8) : 1
          // The list stays in its order.
          guard let page = leaves.first(where: { (after + 1..<before).contains($0.number) }) else { continue }
          image.set(list + 8 * index + 8, 8, to: page.number)
          return ()
        }
      }
      return nil
    },
    Change(name: "a list of free pages that is out of order") { image in
      guard let list = image.freeLists.first(where: { image.number($0, 8) > 1 }) else { return nil }
      let numbers = [8, 16].map { image.number(list + $0, 8) }
      for (place, number) in zip([16, 8], numbers) { image.set(list + place, 8, to: number) }
      return ()
    },
    Change(name: "a first key that is before the one that the branch has for its page") { image in
      guard let (_, root, leaves) = tree(image) else { return nil }
      image.setKey(root.nodes[2], to: leaves[2].nodes[1])
      return ()
    },
    Change(name: "a last key that belongs into the next page") { image in
      guard let (_, root, leaves) = tree(image), let last = leaves[1].nodes.last else { return nil }
      image.setKey(root.nodes[2], to: last)
      return ()
    },
    Change(name: "nodes that do not lie side by side") { image in
      guard let leaf = image.trees.last.flatMap({ image.leaves(of: $0).last }) else { return nil }
      let place = image.start(leaf) + 14
      image.set(place, 2, to: image.number(place, 2) - 2)
      return ()
    },
    Change(name: "a wrong number of pages of large values") { image in
      guard let record = image.trees.last else { return nil }
      image.set(record.place + 24, 8, to: image.number(record.place + 24, 8) + 1)
      return ()
    },
    Change(name: "a wrong number of leaves") { image in
      guard let record = image.trees.last else { return nil }
      image.set(record.place + 16, 8, to: image.number(record.place + 16, 8) + 1)
      return ()
    },
    Change(name: "a wrong number of entries") { image in
      guard let record = image.trees.last else { return nil }
      image.set(record.place + 32, 8, to: image.number(record.place + 32, 8) + 1)
      return ()
    },
    Change(name: "a page that two branches have") { image in
      guard let (_, root, leaves) = tree(image) else { return nil }
      image.set(root.nodes[2], 4, to: leaves[1].number)
      return ()
    },
  ]

  static let all: [ConformanceCase] = [
    .processes(
      "CARE.pages-of-lmdb", ["CARE-13"],
      "Where the structure of a store in LMDB's format is looked at, pages that do not fit together make it corrupt.",
      needs: [.statistics]
    ) { kit in
      // Some leaves even where pages are of 16 kilobytes.
      let items = (0..<1_200).map { Item($0, rank: $0, name: String(repeating: "name", count: 20)) }
      let (place, files) = try DamageCases.closed(kit, items) { store in
        // Pages that are free, by several commits.
        for id in stride(from: 0, to: 400, by: 50) { try store.delete(Item.self, keys: id..<id + 50) }
        try store.insert(contentsOf: items.prefix(400))
      }
      guard let (path, data) = files.first, let image = LMDBImage(data) else { return }
      // With checksums, the pages of the trees are values of LMDB's tree.
      let store = try kit.open([Item.self], at: place)
      let checksums = try store.statistics().details["checksums"] ?? "none"
      try store.close()
      guard checksums == "none" else { return }
      let child = try kit.secondProcess(at: place, "open item checksStructure")
      try child.expect("defects", "sound")
      try child.ask("close")
      let sound = try Data(contentsOf: URL(fileURLWithPath: path))
      for change in changes {
        var changed = image
        try unwrap(try change.make(&changed), "the file has no place for \(change.name)")
        try changed.data.write(to: URL(fileURLWithPath: path))
        try expectError(.corrupt, change.name) { try child.ask("open item checksStructure") }
        try sound.write(to: URL(fileURLWithPath: path))
      }
      try child.ask("open item checksStructure")
      try child.expect("defects", "sound")
    }.ofFiles()
  ]
}
