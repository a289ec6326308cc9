import Foundation
import Quarry
import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarryManyWriters
import QuarryTestSupport
import Testing

/// Numbers that several writers take: contract KEY-5, KEY-11.
@Suite struct WriterTests {
  // KEY-5
  @Test(arguments: Place.engines)
  func writersOfOneStoreGetDifferentNumbers(_ engine: EngineDescription) async throws {
    let place = try Place(engine)
    defer { withExtendedLifetime(place) {} }
    let store = try place.open(Ticket.self)
    let keys = try await withThrowingTaskGroup(of: [Int].self) { group in
      for writer in 0..<8 {
        group.addTask {
          var keys: [Int] = []
          for number in 0..<20 { keys.append(try await store.insert(Ticket(code: "\(writer) \(number)")).id) }
          return keys
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(Set(keys) == Set(1...160))
    #expect(try await store.keys(Ticket.all) == Array(1...160))
  }

  // KEY-11
  @Test func manyWritersDoNotConflict() async throws {
    let provider = ManyWriterProvider(roundTrip: 0.0005)
    let store = try Store(for: Ticket.self, in: provider)
    _ = provider.meter.take()
    let keys = try await withThrowingTaskGroup(of: [Int].self) { group in
      for writer in 0..<8 {
        group.addTask {
          var keys: [Int] = []
          for number in 0..<20 { keys.append(try await store.insert(Ticket(code: "\(writer) \(number)")).id) }
          return keys
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(Set(keys).count == 160)
    let counts = provider.meter.take()
    // Three blocks of 64 numbers.
    #expect(counts.begins == 163 && counts.conflicts == 0)
    #expect(try await store.count(Ticket.all) == 160)
  }

  // KEY-11
  @Test func twoStoresTakeBlocksOfTheirOwn() throws {
    let provider = ManyWriterProvider()
    let (first, second) = (try Store(for: Ticket.self, in: provider), try Store(for: Ticket.self, in: provider))
    #expect(try first.insert(Ticket(code: "a")).id == 1)
    #expect(try second.insert(Ticket(code: "b")).id == 65)
    #expect(try first.insert(Ticket(code: "c")).id == 2)
    try first.insert(Ticket(id: 10, code: "d"))
    #expect(try first.insert(Ticket(code: "e")).id == 11)
    // Past all blocks.
    try second.insert(Ticket(id: 1000, code: "f"))
    #expect(try second.insert(Ticket(code: "g")).id == 66)
    try first.insert(contentsOf: (0..<60).map { Ticket(code: "x\($0)") })
    #expect(try first.keys(Ticket.all).max() ?? 0 > 1000)
    // A number that the other store has in advance.
    try first.insert(Ticket(id: 67, code: "h"))
    #expect(code { try second.insert(Ticket(code: "i")) } == .duplicateKey)
    #expect(try second.insert(Ticket(code: "i")).id == 68)
    #expect(try first.check() == [])
  }

  // KEY-11
  @Test(arguments: [ConflictPlan.everyFirst(1), .everyFirst(2), .everyFirst(3), .everyFirst(4), .random(0.1)])
  func conflictsAreRepeated(_ plan: ConflictPlan) throws {
    let store = try Store(for: Ticket.self, Small.self, in: ManyWriterProvider(conflicts: plan))
    let keys = try (0..<70).map { try store.insert(Ticket(code: "\($0)")).id }
    #expect(Set(keys).count == 70 && !keys.contains(0))
    let small = try store.insertAndFetch(contentsOf: (0..<20).map { Small(id: 0, name: "\($0)") })
    #expect(Set(small.map(\.id)).count == 20)
  }

  // KEY-11
  @Test func aModelOfTheSameTransactionHasNumbers() throws {
    let store = try Store(opening: ManyWriterProvider())
    let model = ModelSchema(
      name: "Note", properties: [PropertySchema(name: "n", type: .int64)], primaryKey: 0, keyGeneration: .sequence)
    try store.write { tx in
      try tx.apply(.createModel(model))
      try tx.records.insert(into: "Note", [Record([:]), Record(["n": 7])])
    }
    try store.records.insert(into: "Note", [Record([:])])
    #expect(try store.records.fetch(in: "Note").map { $0["n"] } == [7, 8, 9])
  }

  // KEY-7, KEY-11
  @Test func blocksEndWithTheType() throws {
    let store = try Store(for: Small.self, in: ManyWriterProvider())
    #expect(try (0..<127).map { try store.insert(Small(id: 0, name: "\($0)")).id } == Array(1...127))
    #expect(code { try store.insert(Small(id: 0, name: "x")) } == .limitExceeded)
    try store.delete(Small.all)
    #expect(code { try store.insert(Small(id: 0, name: "x")) } == .limitExceeded)
    #expect(try store.insert(Small(id: 127, name: "y")).id == 127)
  }
}
