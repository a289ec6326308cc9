import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarryTestSupport
import Synchronization
import Testing

/// Calls that everybody writes, on every engine.
@Suite struct SmallCallTests {
  static let engines = EngineDescription.all.map(\.name)

  private func place(_ name: String) throws -> Place {
    let place = try Place(#require(EngineDescription.all.first { $0.name == name }))
    try place.fill()
    return place
  }

  @Test(arguments: engines)
  func anUpsertWithADefaultCounts(_ engine: String) throws {
    let place = try place(engine)
    let store = place.store
    defer { withExtendedLifetime(place) {} }
    for expected in 1...3 {
      let now = try store.upsert(Item.self, 70, default: Item(70, count: 0)) { $0.count = ($0.count ?? 0) + 1 }
      #expect(now.count == expected)
    }
    #expect(try store.get(Item.self, 70)?.count == 3)
    #expect(code { try store.upsert(Item.self, 71, default: Item(72)) { _ in } } == .invalidValue)
    #expect(code { try store.upsert(Item.self, 71, default: Item(71)) { $0.id = 73 } } == .invalidValue)
    #expect(code { try store.upsert(Item.self, 71, default: Item(71)) { $0.code = "c1" } } == .uniqueViolation)
    struct Mine: Error {}
    #expect(throws: Mine.self) {
      try store.write { tx in
        try tx.upsert(Item.self, 71, default: Item(71)) { _ in
          try tx.insert(Item(74))
          throw Mine()
        }
      }
    }
    #expect(
      try store.write { tx in
        _ = try? tx.upsert(Item.self, 71, default: Item(71)) { _ in
          try tx.insert(Item(74))
          throw Mine()
        }
        return try tx.exists(Item.self, 74)
      } == false)
    #expect(try !store.exists(Item.self, 71))
  }

  @Test(arguments: engines)
  func anUpsertOfARecordWithADefaultCounts(_ engine: String) throws {
    let place = try place(engine)
    let records = place.store.records
    defer { withExtendedLifetime(place) {} }
    let add = try AssignmentParser.parse("count += 1")
    func upsert(_ fields: KeyValuePairs<String, Value>, _ changes: [AssignmentTree]) throws -> Bool {
      try records.upsert(into: "Item", default: Record(fields), changes)
    }
    let new: KeyValuePairs<String, Value> = ["id": 70, "code": "c70", "title": "new", "count": 0, "ratio": 1]
    let other: KeyValuePairs<String, Value> = ["id": 71, "code": "c71", "title": "other", "ratio": 1]
    #expect(try upsert(new, add))
    #expect(try !upsert(new, add))
    #expect(try !upsert(["id": 70], add))
    #expect(try records.get(in: "Item", key: 70)?["count"] == 3)
    #expect(code { try upsert(["code": "x"], add) } == .missingValue)
    #expect(code { try upsert(["id": .null], add) } == .missingValue)
    #expect(code { try upsert(["id": "x"], add) } == .invalidValue)
    #expect(code { try upsert(["id": 71, "nothing": 1], add) } == .invalidQuery)
    #expect(code { try upsert(other, AssignmentParser.parse("nothing = 1")) } == .invalidQuery)
    #expect(code { try upsert(other, AssignmentParser.parse("code = 'c1'")) } == .uniqueViolation)
    #expect(code { try upsert(other, AssignmentParser.parse("id = 72")) } == .invalidQuery)
    #expect(try !records.exists(in: "Item", key: 71))
  }

  @Test(arguments: engines)
  func writeInATransactionIsASavepoint(_ engine: String) throws {
    let place = try place(engine)
    let store = place.store
    defer { withExtendedLifetime(place) {} }
    struct Mine: Error {}
    try store.write { tx in
      #expect(throws: Mine.self) {
        try tx.write { inner in
          try inner.delete(Item.all)
          throw Mine()
        }
      }
      let count = try tx.write { inner in
        try inner.insert(Item(80))
        return try inner.count(Item.all)
      }
      #expect(count == 9)
    }
    #expect(try store.count(Item.all) == 9)
  }

  @Test func aPositionIsATokenForURLs() throws {
    let place = try place("memory")
    let store = place.store
    defer { withExtendedLifetime(place) {} }
    try store.insert(Item(90, "ein/T+tel=\u{0}\u{1F600}", ratio: .nan))
    for query in [Item.all.sorted(by: \.title), Item.all.sorted(by: \.ratio, order: .reverse), Item.all] {
      var seen: [Int] = []
      var position: PagePosition?
      repeat {
        let page = try store.page(query.after(position), size: 1)
        seen += page.elements.map(\.id)
        position = try page.next.map { next in
          #expect(next.token.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
          let read = try PagePosition(token: next.token)
          #expect(read == next)
          return read
        }
      } while position != nil
      #expect(seen == (try store.fetch(query)).map(\.id))
    }
    let token = try #require(try store.page(Item.all, size: 1).next?.token)
    for text in ["", "x", "====", "%%", String(token.dropLast(3)), String(repeating: "W1", count: 50_000), "\u{1F600}"]
    {
      #expect(code { try PagePosition(token: text) } == .invalidQuery)
    }
    #expect(code { try store.fetch(Item.all.sorted(by: \.title).after(PagePosition(token: token))) } == .invalidQuery)
  }

  @Test func closuresRunOnTheMainQueueWhenAsked() async throws {
    let place = try place("memory")
    let store = place.store
    defer { withExtendedLifetime(place) {} }
    let calls = Mutex<[Bool]>([])
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    let token = try store.observe(Item.where { $0.id == 1 }, deliverOn: .main) { _ in
      calls.withLock { $0.append(DispatchQueue.getSpecific(key: key) ?? false) }
    }
    try await store.update(Item.self, 1) { $0.title = "new" }
    for _ in 0..<500 where calls.withLock({ $0.count }) < 2 { try await Task.sleep(for: .milliseconds(10)) }
    #expect(calls.withLock { $0 } == [true, true])
    token.cancel()
  }
}
