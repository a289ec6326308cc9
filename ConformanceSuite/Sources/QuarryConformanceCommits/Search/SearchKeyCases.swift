import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryText

/// A type of the keys of slips.
private protocol SlipKey: Storable, Hashable, Comparable, Sendable {
  static var slip: ModelDefinition<Slip<Self>> { get }
}

extension Int: SlipKey { fileprivate static let slip = Slip<Int>.definition() }
extension UInt64: SlipKey { fileprivate static let slip = Slip<UInt64>.definition() }
extension Int8: SlipKey { fileprivate static let slip = Slip<Int8>.definition() }
extension UInt16: SlipKey { fileprivate static let slip = Slip<UInt16>.definition() }
extension String: SlipKey { fileprivate static let slip = Slip<String>.definition() }
extension UUID: SlipKey { fileprivate static let slip = Slip<UUID>.definition() }
extension Date: SlipKey { fileprivate static let slip = Slip<Date>.definition() }

/// A searchable text under a key of any type.
private struct Slip<ID: SlipKey>: Model {
  var id: ID
  var text: String

  static var modelDefinition: ModelDefinition<Slip<ID>> { ID.slip }

  static func definition() -> ModelDefinition<Slip<ID>> {
    ModelDefinition(
      name: "Slip",
      properties: [
        PropertyDefinition("id", \Slip.id, ID.self),
        PropertyDefinition("text", \Slip.text, String.self, search: .init()),
      ], primaryKey: "id")
  }

  struct Columns: ModelColumns {
    let id = Column<ID>("id", 0)
    let text = Column<String>("text", 1)
  }

  var primaryKeyValue: ID { id }

  init(_ id: ID, _ text: String) { (self.id, self.text) = (id, text) }
  init(reading row: ModelReader) throws(StorageError) { (id, text) = (try row.get(0), try row.get(1)) }
  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, text)
  }
}

/// Searches in objects with keys of many types, in many orders: the index numbers the objects by integer keys, and gives
/// numbers to others.
enum SearchKeyCases {
  private static let words = ["early", "east", "every", "end"]

  private static func text(_ random: inout SeededGenerator) -> String {
    (0..<Int.random(in: 1...4, using: &random)).map { _ in words[Int.random(in: 0..<words.count, using: &random)] }
      .joined(separator: " ")
  }

  private static func expectFound<ID: SlipKey>(_ scope: some ReadScope, _ texts: [ID: String]) throws {
    for word in words {
      let found = try scope.keys(Slip<ID>.where { $0.text.search(.word(word)) })
      try expectEqual(found, texts.keys.filter { texts[$0]?.contains(word) == true }.sorted(), word)
      try expectEqual(try scope.ranked(Slip<ID>.all, by: .word(word)).count, found.count, word)
    }
    let begun = try scope.count(Slip<ID>.where { $0.text.search(.prefix("ea")) })
    try expectEqual(begun, texts.values.count { $0.contains("ea") })
    let both = try scope.keys(Slip<ID>.where { $0.text.search(.phrase("every end")) })
    try expectEqual(both, texts.keys.filter { texts[$0]?.contains("every end") == true }.sorted())
    try expectEqual(
      try scope.count(Slip<ID>.where { !$0.text.search("every") }), texts.values.count { !$0.contains("every") })
  }

  /// Inserts, changes and removes objects at random places among the others, and looks each time.
  private static func write<ID: SlipKey>(_ kit: ConformanceContext, _ keys: [ID], rounds: Int = 6) throws {
    let store = try kit.store(Slip<ID>.self)
    var random = kit.random(4_300)
    var texts: [ID: String] = [:]
    for round in 0..<rounds {
      var written = Array(keys.shuffled(using: &random).prefix(max(1, keys.count / 2)))
      // The objects of a round are together in the order of their keys, and come in any order.
      if round % 2 == 1 { written.sort() }
      try store.write { tx in
        try tx.insert(
          contentsOf: written.filter { texts[$0] == nil }.map { key in
            let slip = Slip(key, text(&random))
            texts[key] = slip.text
            return slip
          })
        for key in written {
          switch Int.random(in: 0..<6, using: &random) {
          case 0:
            try tx.delete(Slip<ID>.self, key)
            texts[key] = nil
          case 1:
            let new = text(&random)
            try tx.update(Slip<ID>.self, key) { $0.text = new }
            texts[key] = new
          default: break
          }
        }
        if round == 2 { try expectFound(tx, texts) }
      }
      try expectFound(store, texts)
    }
    try expectEqual(try store.check(), [])
    // The last objects go, and others come behind the first and before them.
    let sorted = keys.sorted()
    let (kept, gone) = (Set(sorted.prefix(keys.count / 3)), sorted.dropFirst(keys.count / 3))
    try store.write { tx in for key in gone where texts[key] != nil { try tx.delete(Slip<ID>.self, key) } }
    texts = texts.filter { kept.contains($0.key) }
    try expectFound(store, texts)
    let late = sorted.suffix(keys.count / 4)
    try store.insert(contentsOf: late.map { Slip($0, "every end") })
    for key in late { texts[key] = "every end" }
    try expectFound(store, texts)
    try expectEqual(try store.check(), [])
    try store.delete(Slip<ID>.all)
    try expectFound(store, [ID: String]())
    try store.insert(Slip(sorted[0], "early"))
    try expectFound(store, [sorted[0]: "early"])
    try expectEqual(try store.check(), [])
  }

  private static func keys(
    _ name: String, _ summary: String, _ body: @escaping @Sendable (ConformanceContext) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("SEARCH.keys.\(name)", ["SEARCH-11", "SEARCH-26"], summary, within: .seconds(120), body)
  }

  static let all: [ConformanceCase] = [
    keys("int", "Many objects with keys below and above zero are found.") { kit in
      let count = kit.triesFew ? 500 : 1_500
      try write(kit, (-count..<count).map { $0 })
    },
    keys("far", "Objects with keys far from each other are found.") { kit in
      var random = kit.random(4_301)
      let ends: [Int] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
      try write(kit, ends + (0..<120).map { _ in Int.random(in: .min + 2 ... -2, using: &random) })
    },
    keys("unsigned", "Objects with unsigned keys are found.") { kit in
      let ends: [UInt64] = [0, 1, 2, 1 << 62, 1 << 63, .max - 1, .max]
      let others: [UInt64] = (0..<60).map { (number: UInt64) in number << 57 | 5 }
      try write(kit, ends + others)
    },
    keys("narrow", "Objects with keys of one byte are found.") { try write($0, (Int8.min...Int8.max).map { $0 }) },
    keys("two-bytes", "Objects with keys of two bytes are found.") {
      try write($0, stride(from: UInt16(0), to: 60_000, by: 331).map { $0 })
    },
    keys("text", "Many objects with texts as keys are found.") { kit in
      try write(kit, (0..<(kit.triesFew ? 800 : 2_400)).map { "key \($0)" })
    },
    keys("long-text", "Objects with long texts as keys are found.") { kit in
      try write(kit, (0..<40).map { String(repeating: "k", count: 190 + $0 / 2) + "\($0)" })
    },
    keys("uuid", "Objects with identifiers as keys are found.") { kit in
      var random = kit.random(4_302)
      var keys: [UUID] = []
      for _ in 0..<120 {
        let halves = (UInt64.random(in: 0 ... .max, using: &random), UInt64.random(in: 0 ... .max, using: &random))
        keys.append(withUnsafeBytes(of: halves) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
      }
      try write(kit, keys)
    },
    keys("date", "Objects with dates as keys are found.") { kit in
      try write(kit, (0..<80).map { Date(timeIntervalSinceReferenceDate: Double($0) * 1_000.5 - 40_000) })
    },
  ]
}
