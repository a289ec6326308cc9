import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Damage that comes to the files of a store while it is open, and has been read already.
enum OpenDamageCases {
  static let all: [ConformanceCase] = [
    ConformanceCase(
      "CARE.damaged-while-open", ["CARE-2", "CARE-12"],
      "A check of a store with checksums reads its files, whatever of them is in memory.",
      needs: [.check, .statistics], requiresPersistence: true
    ) { kit in
      let (place, files) = try DamageCases.closed(kit)
      let store = try kit.open([Item.self], at: place)
      let checksums = try store.statistics().details["checksums"] ?? "none"
      guard checksums != "none" else { return }
      try expectEqual(try store.fetch(Item.all), DamageSamples.items)
      try expectEqual(try store.check(), [])
      var changed = 0
      for (path, data) in files {
        let places = DamageCases.places(of: Array(DamageSamples.code.utf8), in: data)
        let file = try unwrap(FileHandle(forUpdatingAtPath: path), path)
        defer { try? file.close() }
        for place in places {
          try file.seek(toOffset: UInt64(place + 12))
          try file.write(contentsOf: Data([UInt8(ascii: "7")]))
          changed += 1
        }
      }
      // A store that packs or encrypts what it has has no such bytes.
      guard changed > 0 else { return }
      do {
        try expect(try !store.check().isEmpty, "check finds nothing in a file with \(changed) changed bytes")
      } catch let error as StorageError {
        try expectEqual(error.code, .corrupt)
      }
      try? store.close()
    }
  ]
}
