import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Ends of a store that belong to another one, to another history of it, or lack a commit: none of them is read as if it had
/// been committed behind what is before it.
enum MixedEndCases {
  private static func items(_ note: String) -> [Item] { (0..<6).map { Item($0, rank: $0, note: note) } }

  private static func open(
    _ kit: ConformanceContext, _ place: any BackendProvider, isReadOnly: Bool
  ) throws -> Store {
    var options = OpenOptions()
    options.isReadOnly = isReadOnly
    return try kit.open([Item.self], at: place, options: options)
  }

  static let all: [ConformanceCase] = [
    ClosedStoreCases.withEnd(
      "end-of-other-store", ["DUR-5", "DUR-4", "ERR-3"],
      "Commits of another store that stand at the end of one that was not closed are no part of it."
    ) { kit in
      let (own, ends) = try ClosedStoreCases.left(kit, items("one"))
      let (other, otherEnds) = try ClosedStoreCases.left(kit, items("two"))
      try expectEqual(ends, otherEnds, "where the commits end")
      for number in [1, 4] {
        let mixed = own.prefix(ends[number - 1]) + other.suffix(from: ends[number - 1])
        let place = try ClosedStoreCases.place(kit, with: mixed)
        for isReadOnly in [true, false] {
          let store = try open(kit, place, isReadOnly: isReadOnly)
          try expectEqual(try store.fetch(Item.all), Array(items("one").prefix(number)), "commit \(number)")
          let tail = try unwrap(store.openingReport.tail, "commit \(number)")
          try expectEqual([tail.offset, tail.bytes], [ends[number - 1], mixed.count - ends[number - 1]])
          try store.close()
        }
      }
    },
    ClosedStoreCases.withEnd(
      "closed-with-other-history", ["DUR-4", "ERR-3"],
      "A closed store whose last commit was replaced by that of a copy which went another way is corrupt."
    ) { kit in
      let first = try kit.makePlace()
      let store = try kit.open([Item.self], at: first)
      try store.insert(contentsOf: items("kept"))
      try store.close()
      let bytes = try ClosedStoreCases.file(kit, first).bytes
      func continued(_ item: Item) throws -> Data {
        let place = try ClosedStoreCases.place(kit, with: bytes)
        let store = try kit.open([Item.self], at: place)
        try store.insert(item)
        try store.close()
        let file = try ClosedStoreCases.file(kit, place)
        return file.bytes
      }
      let added = [Item(100, note: "one"), Item(100, note: "two")]
      let histories = try added.map(continued)
      try expectEqual(histories[0].count, histories[1].count, "the bytes of the two")
      for (own, other) in [(0, 1), (1, 0)] {
        let mixed = histories[own].prefix(bytes.count) + histories[other].suffix(from: bytes.count)
        let place = try ClosedStoreCases.place(kit, with: mixed)
        for isReadOnly in [true, false] {
          do {
            let store = try open(kit, place, isReadOnly: isReadOnly)
            try expectEqual(try store.fetch(Item.all), items("kept") + [added[own]])
            try store.close()
          } catch let error as StorageError where error.code == .corrupt {
            ProvokedErrors.note(error.code)
          }
        }
      }
    },
    ClosedStoreCases.withEnd(
      "commit-taken-out", ["DUR-4", "DUR-5", "ERR-3"],
      "A store from which a commit was taken out, with others behind it, is corrupt or has those before it."
    ) { kit in
      for durability in [BackendManifest.Durability.processCrash, .powerLoss] {
        let (bytes, ends) = try ClosedStoreCases.left(kit, items("one"), durability)
        for number in [1, 3, 4] {
          let place = try ClosedStoreCases.place(
            kit, with: bytes.prefix(ends[number - 1]) + bytes.suffix(from: ends[number]))
          for isReadOnly in [true, false] {
            do {
              let store = try open(kit, place, isReadOnly: isReadOnly)
              try expectEqual(
                try store.fetch(Item.all), Array(items("one").prefix(number)), "commit \(number), \(durability)")
              try store.close()
            } catch let error as StorageError where error.code == .corrupt {
              ProvokedErrors.note(error.code)
            }
          }
        }
      }
    },
    ClosedStoreCases.withEnd(
      "cut-in-old-snapshot", ["DUR-4", "DUR-6", "ERR-3"],
      "A rewritten store of a format that did not say where it ends is corrupt where it is cut inside what was rewritten.",
      needs: [.compact], without: ConformanceVariant.allButFresh
    ) { kit in
      let first = try kit.makePlace()
      let store = try kit.open([Item.self], at: first)
      try store.insert(contentsOf: items("one"))
      try store.compact()
      let border = try ClosedStoreCases.file(kit, first).bytes.count
      try store.insert(Item(100))
      let hot = try ClosedStoreCases.file(kit, first).bytes
      try store.close()
      guard let old = FirstFlatFile.bytes(of: hot) else { return }
      let place = try ClosedStoreCases.place(kit, with: old)
      for isReadOnly in [true, false] {
        let store = try open(kit, place, isReadOnly: isReadOnly)
        try expectEqual(try store.fetch(Item.all), items("one") + [Item(100)], "all of it")
        try store.close()
      }
      let start = FirstFlatFile.firstBatch
      for length in [start, start + 20, (start + border) / 2, border - 1] {
        let place = try ClosedStoreCases.place(kit, with: old.prefix(length))
        for isReadOnly in [true, false] {
          try expectError(.corrupt, "cut at \(length) of \(border)") {
            try open(kit, place, isReadOnly: isReadOnly)
          }
        }
      }
    },
    ClosedStoreCases.withEnd(
      "tail-mode", ["DUR-5", "OPEN-4"], "The end that is put aside can be read and written by its owner alone."
    ) { kit in
      let (bytes, ends) = try ClosedStoreCases.left(kit, items("one"))
      let place = try ClosedStoreCases.place(kit, with: bytes.prefix(ends[4] + (ends[5] - ends[4]) / 2))
      let path = try unwrap(try kit.open([Item.self], at: place).openingReport.tail?.path, "where the end is")
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
      try expectEqual((mode?.intValue ?? 0) & 0o777, 0o600)
    },
  ]
}

/// The first format of the flat file, as `docs/formats/flat-file.md` describes it: a header without marks behind it.
private enum FirstFlatFile {
  static let firstBatch = 1_024
  private static let magic = Data([0x8F]) + Data("Quarry\n".utf8)
  private static let marks = [128..<176, 768..<816]
  private static let checksum = 60..<64

  /// The bytes of a file of the second format as one of the first; nil for files of another kind.
  static func bytes(of file: Data) -> Data? {
    guard file.count > firstBatch, file.prefix(8) == magic, file[8] == 2 else { return nil }
    var bytes = Data(file)
    for mark in marks { bytes.replaceSubrange(mark, with: Data(count: mark.count)) }
    bytes[8] = 1
    let sum = bytes.prefix(checksum.lowerBound).withUnsafeBytes { CRC32C.checksum($0) }
    for (part, place) in checksum.enumerated() { bytes[place] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * part)) }
    return bytes
  }
}
