import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// What engines do by themselves with the room that nothing needs.
enum GrowingStoreCases {
  private static func text(_ number: Int) -> String { String(repeating: "\(number) ", count: 40_000) }

  /// What tells the store's file from one that has taken its place.
  private static func identity(_ kit: ConformanceContext, _ place: any BackendProvider) throws -> UInt64 {
    let path = try unwrap(kit.files(at: place).min { $0.utf8.count < $1.utf8.count }, "a file of the store")
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try unwrap((attributes[.systemFileNumber] as? NSNumber)?.uint64Value, "the number of \(path)")
  }

  private static func bytes(_ kit: ConformanceContext, _ place: any BackendProvider) -> Int {
    kit.files(at: place).reduce(0) { sum, path in
      sum + ((try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0)
    }
  }

  static let all: [ConformanceCase] = [
    ConformanceCase(
      "CARE.growing", ["CARE-4"], "A store that only grows keeps its file.", requiresPersistence: true,
      without: ConformanceVariant.allButFresh.subtracting([.encrypted]), within: .seconds(30)
    ) { kit in
      let place = try kit.makePlace()
      let store = try kit.open([Item.self], at: place)
      try store.insert(Item(0))
      // A store in memory that has a name has no file.
      guard !kit.files(at: place).isEmpty else { return }
      let first = try identity(kit, place)
      for number in 1...60 {
        try store.insert(Item(number, note: text(number)))
        if number % 12 == 0 { try expectEqual(try identity(kit, place), first, "after \(number) objects") }
      }
      try expectEqual(try store.count(Item.all), 61)
      try store.close()
      try expectEqual(try identity(kit, place), first, "closed")
      let again = try kit.open([Item.self], at: place)
      try expectEqual(try again.get(Item.self, 60)?.note, text(60))
      try again.close()
      try expectEqual(try identity(kit, place), first, "opened again")
    },
    ConformanceCase(
      "CARE.replaced-again", ["CARE-4"],
      "Objects that are replaced again and again do not make their store larger without end.",
      requiresPersistence: true,
      without: ConformanceVariant.allButFresh.subtracting([.encrypted]), within: .seconds(30)
    ) { kit in
      let place = try kit.makePlace()
      let store = try kit.open([Item.self], at: place)
      for round in 0..<40 {
        try store.upsert(contentsOf: (0..<8).map { Item($0, rank: round, note: text($0 + round % 3)) })
      }
      // What an engine does in the background takes its time. Ten times what the objects have is enough for any.
      let most = 10 * 8 * text(10).utf8.count
      let replaced = 40 * 8 * text(10).utf8.count
      try expectSoon("at most \(most) bytes, where \(replaced) were replaced,") { bytes(kit, place) <= most }
      try expectEqual(
        try store.fetch(Item.all), (0..<8).map { Item($0, rank: 39, note: text($0 + 39 % 3)) })
      try store.close()
      try expectEqual(
        try kit.open([Item.self], at: place).fetch(Item.all).map(\.note), (0..<8).map { text($0 + 39 % 3) })
    },
  ]
}
