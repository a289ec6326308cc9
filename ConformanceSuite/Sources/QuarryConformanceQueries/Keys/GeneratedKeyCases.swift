import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import Synchronization

/// Keys that programs generate.
enum GeneratedKeyCases {
  private struct Parcelled: Model, Equatable {
    var id: UUID
    var number: Int

    static let modelDefinition = ModelDefinition<Parcelled>(
      name: "Parcelled",
      properties: [
        PropertyDefinition("id", \Parcelled.id, UUID.self), PropertyDefinition("number", \Parcelled.number, Int.self),
      ], primaryKey: "id")

    struct Columns: ModelColumns {
      let id = Column<UUID>("id", 0)
      var number = Column<Int>("number", 1)
    }

    var primaryKeyValue: UUID { id }

    init(id: UUID = .generated(), _ number: Int) { (self.id, self.number) = (id, number) }

    init(reading row: ModelReader) throws(StorageError) { (id, number) = (try row.get(0), try row.get(1)) }

    func write(to row: ModelWriter) throws(StorageError) {
      try row.set(0, id)
      try row.set(1, number)
    }
  }

  private static func bytes(_ id: UUID) -> [UInt8] { withUnsafeBytes(of: id.uuid) { Array($0) } }

  static let all: [ConformanceCase] = [
    ConformanceCase(
      "KEY.form", ["KEY-1"], "A generated key is of version 7 and variant 2, and begins with the time of the call.",
      without: ConformanceVariant.allButFresh
    ) { _ in
      let before = UInt64(Date().timeIntervalSince1970 * 1000)
      let id = bytes(.generated())
      let time = id.prefix(6).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      try expectEqual(id[6] >> 4, 7, "the version")
      try expectEqual(id[8] >> 6, 2, "the variant")
      // KEY-2 may need a later time, where many keys were generated just before.
      try expect(time >= before && time <= before + 60_000, "the time \(time) of a call at \(before)")
    },
    ConformanceCase(
      "KEY.rises", ["KEY-2"], "Each generated key is greater than those before it, within a millisecond, too.",
      without: ConformanceVariant.allButFresh
    ) { _ in
      var last = bytes(.generated())
      for number in 0..<20_000 {
        let next = bytes(.generated())
        try expect(last.lexicographicallyPrecedes(next), "key \(number)")
        last = next
      }
    },
    ConformanceCase(
      "KEY.threads", ["KEY-2"], "Threads that generate keys at once get different ones, each in rising order.",
      without: ConformanceVariant.allButFresh, within: .seconds(30)
    ) { _ in
      let lists = Mutex<[[UUID]]>([])
      try onThreads(6) { _ in
        let own = (0..<4_000).map { _ in UUID.generated() }
        lists.withLock { $0.append(own) }
      }
      let all = lists.withLock { $0 }
      try expectEqual(Set(all.joined()).count, 24_000)
      for list in all {
        try expect(zip(list, list.dropFirst()).allSatisfy { bytes($0).lexicographicallyPrecedes(bytes($1)) })
      }
    },
    ConformanceCase("KEY.order", ["KEY-3", "SORT-4"], "Objects come in the order in which their keys were generated.") {
      kit in
      let store = try kit.store(Parcelled.self)
      let objects = (0..<300).map { Parcelled($0) }
      var random = kit.random(4_100)
      try store.insert(contentsOf: objects.shuffled(using: &random))
      try expectEqual(try store.fetch(Parcelled.all).map(\.number), Array(0..<300))
      try expectEqual(
        try store.fetch(Parcelled.all.sorted(by: \.id, order: .reverse)).map(\.number), (0..<300).reversed())
      try expectEqual(try store.get(Parcelled.self, objects[17].id), objects[17])
    },
    ConformanceCase("KEY.pages", ["KEY-3", "PAGE-1"], "Pages of objects with generated keys follow their generation.") {
      kit in
      let store = try kit.store(Parcelled.self)
      for part in 0..<6 { try store.insert(contentsOf: (0..<20).map { Parcelled(part * 20 + $0) }) }
      var page = try store.page(Parcelled.all, size: 25)
      var numbers = page.elements.map(\.number)
      while let next = page.next {
        page = try store.page(Parcelled.all.after(next), size: 25)
        numbers += page.elements.map(\.number)
      }
      try expectEqual(numbers, Array(0..<120))
    },
    ConformanceCase("KEY.range", ["KEY-3", "PRED-1"], "A condition on generated keys selects what came after a key.") {
      kit in
      let store = try kit.store(Parcelled.self)
      let objects = (0..<100).map { Parcelled($0) }
      try store.insert(contentsOf: objects)
      let pivot = objects[60].id
      try expectEqual(try store.fetch(Parcelled.where { $0.id > pivot }).map(\.number), Array(61..<100))
      try expectEqual(try store.count(Parcelled.where { $0.id <= pivot }), 61)
    },
  ]
}
