import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryEncryption

/// What is left of an old key in the files of a store, and what becomes of a damaged slot.
enum OldSlotCases {
  private static let magic = Data([0x8F, 0x51, 0x72, 0x79, 0x53, 0x6C, 0x6F, 0x74])

  /// Every slot in the files of the place, wherever it is.
  static func slots(_ scene: SealedScene) throws -> [EnvelopeSlot] {
    var found: [EnvelopeSlot] = []
    for (_, data) in try scene.files() {
      var start = data.startIndex
      while let range = data.range(of: magic, in: start..<data.endIndex) {
        let bytes = Array(data[range.lowerBound...].prefix(EnvelopeSlot.byteCount))
        if let slot = try EnvelopeSlot(bytes) { found.append(slot) }
        start = range.upperBound
      }
    }
    return found
  }

  static func opens(_ slot: EnvelopeSlot, _ key: UInt8) throws -> Bool {
    do throws(StorageError) {
      _ = try ConformanceKey.key(key).unwrap(slot)
      return true
    } catch {
      guard error.code == .wrongKey else { throw error }
      return false
    }
  }

  static let all: [ConformanceCase] =
    [RekeyExtent.wrappingOnly, .full].map { extent in
      .sealed(
        "no-old-slot-\(extent == .full ? "full" : "wrapping")", ["ENC-11"],
        "After a change of the key no file has a slot that the old key opens, however many commits there were."
      ) { scene in
        try scene.fill(1)
        let store = try scene.open(1)
        // Commits whose pages are used again, and commits whose pages are not.
        for id in 1_000..<1_040 { try store.insert(Item(id, note: String(repeating: "n", count: id % 7 * 300))) }
        try store.delete(Item.where { $0.id >= 1_020 })
        try store.rekey(to: ConformanceKey.key(2), extent)
        try expect(try slots(scene).allSatisfy { try !opens($0, 1) }, "a slot of the old key is left")
        for id in 2_000..<2_040 { try store.insert(Item(id)) }
        try expectEqual(try store.check(), [])
        try store.delete(Item.where { $0.id >= 1_000 })
        try store.close()
        let left = try slots(scene)
        try expect(try !left.isEmpty && left.allSatisfy { try opens($0, 2) }, "a slot of the old key is left")
        try scene.expectOnly(2, 1)
      }
    } + [
      .sealed(
        "no-old-slot-twice", ["ENC-11"], "Nor has it one of a key before the last."
      ) { scene in
        try scene.fill(1)
        let store = try scene.open(1)
        for key: UInt8 in [2, 3, 2, 1, 3] {
          try store.rekey(to: ConformanceKey.key(key), .wrappingOnly)
          for id in 1_000..<1_010 { try store.upsert(Item(id, rank: Int(key))) }
        }
        try store.delete(Item.where { $0.id >= 1_000 })
        try store.close()
        try expect(try slots(scene).allSatisfy { try opens($0, 3) }, "a slot of an older key is left")
        try scene.expectOnly(3, 1, 2)
      },
      .sealed(
        "damaged-slot-stays", ["ENC-12", "ENC-8"],
        "A damaged slot stays, and check tells of it, until the store is written to."
      ) { scene in
        try scene.fill(1)
        let (path, data) = try scene.main()
        let places = placesOfSlots(data)
        var told = 0
        for place in places {
          var changed = data
          changed[place + 70] ^= 0x10
          try changed.write(to: URL(fileURLWithPath: path))
          for round in 0..<2 {
            let store = try scene.open(1)
            try expectEqual(try store.fetch(Item.all), SealedScene.items)
            let defects = try store.check()
            if round == 0, !defects.isEmpty { told += 1 }
            try expectEqual(try store.check(), defects, "a second look")
            try store.close()
            let now = try Data(contentsOf: URL(fileURLWithPath: path))
            try expectEqual(
              now[place..<place + EnvelopeSlot.byteCount], changed[place..<place + EnvelopeSlot.byteCount],
              "the slot after an opening that wrote nothing")
          }
          let writing = try scene.open(1)
          try writing.insert(Item(500))
          try expectEqual(try writing.check(), [], "after a write")
          try writing.close()
          try data.write(to: URL(fileURLWithPath: path))
        }
        try expectEqual(told, 2, "slots that check tells of, of \(places.count)")
      },
      .sealed(
        "older-slot-told", ["ENC-12", "CARE-2"],
        "Check reports a slot that a change of the key did not reach, until the next write."
      ) { scene in
        try scene.fill(1)
        let before = try scene.main().data
        let first = try unwrap(placesOfSlots(before).first, "a slot")
        let old = before[first..<first + EnvelopeSlot.byteCount]
        let store = try scene.open(1)
        try store.rekey(to: ConformanceKey.key(2), .wrappingOnly)
        try store.close()
        let (path, data) = try scene.main()
        var told = 0
        for place in placesOfSlots(data) {
          var changed = data
          changed.replaceSubrange(place..<place + EnvelopeSlot.byteCount, with: old)
          try changed.write(to: URL(fileURLWithPath: path))
          try expectError(.wrongKey, "the slot at \(place)") { try scene.open(1) }
          let store = try scene.open(2)
          try expectEqual(try store.fetch(Item.all), SealedScene.items)
          if try !store.check().isEmpty { told += 1 }
          try store.insert(Item(500))
          try store.delete(Item.self, 500)
          try expectEqual(try store.check(), [], "after a write")
          try store.close()
          try scene.expectOnly(2, 1)
        }
        try expectEqual(told, 2, "slots that check tells of")
      },
    ]

  static func placesOfSlots(_ data: Data) -> [Int] {
    var (found, start) = ([Int](), data.startIndex)
    while let range = data.range(of: magic, in: start..<data.endIndex) {
      found.append(range.lowerBound)
      start = range.upperBound
    }
    return found
  }
}
