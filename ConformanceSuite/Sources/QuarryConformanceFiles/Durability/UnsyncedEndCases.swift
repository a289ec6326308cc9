import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// The end of a store that was not closed, where several commits may have been on their way to the disk at once: it comes there
/// in any order, so that a whole commit behind a torn one proves nothing unless it was written after the torn one was synced.
enum UnsyncedEndCases {
  private static let items = (0..<8).map { Item($0, rank: $0, name: "commit \($0)", note: "n\($0)") }

  /// Ways in which a commit can be torn: a byte of its beginning, of its middle, of its end, and a sector of zeros.
  private static func torn(_ bytes: Data, _ range: Range<Int>) -> [(String, Data)] {
    var torn: [(String, Data)] = []
    for place in [
      range.lowerBound, range.lowerBound + 20, (range.lowerBound + range.upperBound) / 2, range.upperBound - 1,
    ] {
      var changed = bytes
      changed[place] ^= 1
      torn.append(("byte \(place - range.lowerBound)", changed))
    }
    var zeroed = bytes
    zeroed.replaceSubrange(range, with: Data(count: range.count))
    torn.append(("all of it", zeroed))
    return torn
  }

  static let all: [ConformanceCase] = [
    ClosedStoreCases.withEnd(
      "torn-before-unsynced", ["DUR-5", "DUR-7", "OPEN-6"],
      "A torn commit before whole ones that were never synced is the end of the store, and is put aside with them.",
      needs: [.check]
    ) { kit in
      let (bytes, ends) = try ClosedStoreCases.left(kit, items, .processCrash)
      for number in [1, 4, 7] {
        for (about, changed) in torn(bytes, ends[number - 1]..<ends[number]) {
          let about = "\(about) of commit \(number)"
          let place = try ClosedStoreCases.place(kit, with: changed)
          var options = OpenOptions()
          options.isReadOnly = true
          let reader = try kit.open([Item.self], at: place, options: options)
          try expectEqual(try reader.fetch(Item.all), Array(items.prefix(number)), about)
          try reader.close()
          let store = try kit.open([Item.self], at: place)
          try expectEqual(try store.fetch(Item.all), Array(items.prefix(number)), about)
          let tail = try unwrap(store.openingReport.tail, about)
          try expectEqual([tail.offset, tail.bytes], [ends[number - 1], bytes.count - ends[number - 1]], about)
          let kept = try Data(contentsOf: URL(fileURLWithPath: try unwrap(tail.path, about)))
          try expect(kept.range(of: changed.suffix(from: ends[number - 1])) != nil, "\(about): it is not kept")
          // What takes its place is read, and not what was there.
          try store.insert(Item(100, name: "after"))
          try store.close()
          let again = try kit.open([Item.self], at: place)
          try expectEqual(try again.keys(Item.all), Array(0..<number) + [100], about)
          try again.destroy()
        }
      }
    },
    ClosedStoreCases.withEnd(
      "torn-before-synced", ["DUR-5", "DUR-4", "ERR-3"],
      "A torn commit before one that was written after it was synced is corrupt, and nothing is cut off.",
      needs: [.check]
    ) { kit in
      let (bytes, ends) = try ClosedStoreCases.left(kit, items, .powerLoss)
      for number in [0, 3, 6] {
        let start = number == 0 ? ends[0] - 40 : ends[number - 1]
        for (about, changed) in torn(bytes, start..<ends[number]) {
          let place = try ClosedStoreCases.place(kit, with: changed)
          for isReadOnly in [true, false] {
            var options = OpenOptions()
            options.isReadOnly = isReadOnly
            try expectError(.corrupt, "\(about) of commit \(number)") {
              try kit.open([Item.self], at: place, options: options)
            }
          }
          try expect(
            try ClosedStoreCases.file(kit, place).bytes.count == changed.count,
            "commit \(number): something was cut off")
        }
      }
      // The last one may not have returned.
      for (about, changed) in torn(bytes, ends[6]..<ends[7]) {
        let store = try kit.open([Item.self], at: ClosedStoreCases.place(kit, with: changed))
        try expectEqual(try store.fetch(Item.all), Array(items.prefix(7)), about)
        try expect(store.openingReport.tail != nil, about)
      }
    },
    ClosedStoreCases.withEnd(
      "torn-is-sound", ["CARE-1", "CARE-5", "DUR-5"],
      "A commit of which a killed process wrote a part is put aside, and is no defect of the store, nor is it later.",
      needs: [.check]
    ) { kit in
      let (bytes, ends) = try ClosedStoreCases.left(kit, items, .powerLoss)
      let last = ends[6]..<ends[7]
      for length in [1, last.count / 3, last.count - 1] {
        let about = "\(length) of \(last.count) bytes"
        let place = try ClosedStoreCases.place(kit, with: bytes.prefix(last.lowerBound + length))
        var options = OpenOptions()
        options.isReadOnly = true
        let reader = try kit.open([Item.self], at: place, options: options)
        try expectEqual(try unwrap(reader.openingReport.tail, about).isBeginningOfCommit, true, about)
        try expectEqual(try reader.check(), [], "\(about), read")
        try reader.close()
        for round in 0..<2 {
          let store = try kit.open([Item.self], at: place)
          try expectEqual(store.openingReport.tail?.isBeginningOfCommit, round == 0 ? true : nil, about)
          try expectEqual(try store.check(), [], "\(about), opening \(round)")
          try expectEqual(try store.fetch(Item.all), Array(items.prefix(7)), about)
          try store.close()
        }
        try expectEqual(kit.files(at: place).count, 2, "\(about): the files of the store")
      }
    },
    ClosedStoreCases.withEnd(
      "second-tail", ["DUR-5", "CARE-5"],
      "A second end that is put aside takes no other's place, and check tells both.", needs: [.check]
    ) { kit in
      let (bytes, ends) = try ClosedStoreCases.left(kit, items, .processCrash)
      var changed = bytes
      changed[ends[5] + 20] ^= 1
      let place = try ClosedStoreCases.place(kit, with: changed)
      var paths: [String] = []
      for round in 0..<3 {
        let store = try kit.open([Item.self], at: place)
        paths.append(try unwrap(store.openingReport.tail?.path, "tail \(round)"))
        let border = try ClosedStoreCases.file(kit, place, beside: paths).bytes.count
        try store.insert(Item(100 + round))
        var hot = try ClosedStoreCases.file(kit, place, beside: paths)
        try store.close()
        hot.bytes[(border + hot.bytes.count) / 2] ^= 1
        try ClosedStoreCases.put(hot.bytes, hot.path)
      }
      try expectEqual(Set(paths).count, 3)
      let store = try kit.open([Item.self], at: place)
      let defects = try store.check()
      for path in paths { try expect(defects.contains { $0.contains(path) }, "check does not tell of \(path)") }
      try expectEqual(try store.fetch(Item.all), Array(items.prefix(6)))
      try store.destroy()
      try expectEqual(kit.files(at: place), [])
    },
  ]
}
