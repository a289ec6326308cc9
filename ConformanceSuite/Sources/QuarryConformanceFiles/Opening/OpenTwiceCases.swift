import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Stores that a process has open more than once, for different things.
enum OpenTwiceCases {
  private static let levels: [BackendManifest.Durability] = [.none, .processCrash, .powerLoss]

  private static func options(_ durability: BackendManifest.Durability) -> OpenOptions {
    var options = OpenOptions()
    options.durability = durability
    return options
  }

  private static func isAtLeast(_ found: BackendManifest.Durability, _ asked: BackendManifest.Durability) -> Bool {
    (levels.firstIndex(of: found) ?? 0) >= (levels.firstIndex(of: asked) ?? 0)
  }

  /// How often the store was brought to the disk for commits; nil where the engine does not say.
  private static func syncs(_ store: Store) throws -> Int? {
    try store.statistics().details["syncs"].flatMap { Int($0) }
  }

  static let all: [ConformanceCase] = [
    ConformanceCase(
      "OPEN.destroy-twice", ["OPEN-5"],
      "A store that is open twice is not destroyed where all openings have one owner, and goes on for both.",
      needs: [.destroy], requiresPersistence: true, without: [.reopened]
    ) { kit in
      guard kit.manifest.sharing == .oneProcess else { return }
      let place = try kit.makePlace()
      let first = try kit.open([Item.self], at: place)
      let second = try kit.open([Item.self], at: place)
      try first.insert(Item(1))
      for store in [first, second] { try expectError(.inUse) { try store.destroy() } }
      try second.insert(Item(2))
      try expectEqual(try first.keys(Item.all), [1, 2])
      try second.close()
      try first.destroy()
      try expectEqual(kit.files(at: place), [], "files after destroy")
      try expectEqual(try kit.open([Item.self], at: place).count(Item.all), 0)
    },
    ConformanceCase(
      "OPEN.durability-of-openings", ["OPEN-5", "DUR-7"],
      "Each opening of a store declares the durability that its commits have, which is at least what it asked for.",
      needs: [.openDurability], requiresPersistence: true, without: ConformanceVariant.allButFresh
    ) { kit in
      let place = try kit.makePlace()
      for asked in levels {
        for second in levels {
          let stores = [
            try kit.open([Item.self], at: place, options: options(asked)),
            try kit.open([Item.self], at: place, options: options(second)),
          ]
          for (number, level) in [asked, second].enumerated() {
            let about = "opening \(number), asked for \(asked) and then \(second)"
            let declared = stores[number].manifest.durability
            try expect(isAtLeast(declared, level), "\(about): it declares \(declared)")
            guard let before = try syncs(stores[number]) else { continue }
            try stores[number].upsert(Item(number, name: about))
            // The first one may have got more since it was opened.
            let isSynced = try unwrap(syncs(stores[number])) > before
            if declared == .powerLoss { try expect(isSynced, "\(about): no commit was brought to the disk") }
            if number == 1, isSynced { try expectEqual(declared, .powerLoss, about) }
          }
          for store in stores { try store.close() }
        }
      }
    },
    ConformanceCase(
      "OPEN.writer-beside-reader", ["OPEN-5", "OPEN-2"],
      "A store that is open for reading can be opened for writing, too, or is in use until it was closed.",
      needs: [.openReadOnly], requiresPersistence: true, without: [.reopened]
    ) { kit in
      let place = try kit.makePlace()
      let first = try kit.open([Item.self], at: place)
      try first.insert(Item(1))
      try first.close()
      var options = OpenOptions()
      options.isReadOnly = true
      let reader = try kit.open([Item.self], at: place, options: options)
      var writer: Store?
      do {
        writer = try kit.open([Item.self], at: place)
      } catch let error as StorageError where error.code == .inUse {
        ProvokedErrors.note(error.code)
      }
      if let writer {
        try writer.insert(Item(2))
        try expectEqual(try writer.keys(Item.all), [1, 2])
        try expectError(.readOnly) { try reader.insert(Item(3)) }
      }
      try expect(try reader.keys(Item.all).contains(1), "the reader does not see what was committed before it")
      try writer?.close()
      try expect(try reader.keys(Item.all).contains(1), "the reader does not go on")
      try reader.close()
      let last = try kit.open([Item.self], at: place)
      try last.insert(Item(4))
      try expectEqual(try last.keys(Item.all), writer == nil ? [1, 4] : [1, 2, 4])
    },
  ]
}
