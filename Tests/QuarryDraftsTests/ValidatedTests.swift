import Foundation
import QuarryBackend
import QuarryCore
import QuarryDrafts
import QuarryEngines
import QuarryTestSupport
import Testing

@Suite struct ValidatedTests {
  static let engines = EngineDescription.all.map(\.name)

  private func place(_ name: String) throws -> Place {
    try Place(#require(EngineDescription.all.first { $0.name == name }))
  }

  // RULE-1, RULE-2
  @Test(arguments: engines)
  func everyWriteOfAnObjectChecksIt(_ engine: String) throws {
    let place = try place(engine)
    let store = place.store
    defer { withExtendedLifetime(place) {} }
    try store.insert(Price(1, 10))
    try store.insert(Price(2, 20))
    let writes: [(String, () throws -> Void)] = [
      ("insert", { try store.insert(Price(3, -1)) }),
      ("insert many", { try store.insert(contentsOf: [Price(4, 1), Price(3, -1)]) }),
      (
        "insert with progress",
        { try store.insert(contentsOf: [Price(4, 1), Price(3, -1)], progress: Progress(totalUnitCount: 2)) }
      ),
      ("upsert", { try store.upsert(Price(3, -1)) }),
      ("upsert of a stored one", { try store.upsert(Price(1, -1)) }),
      ("upsert many", { try store.upsert(contentsOf: [Price(4, 1), Price(3, -1)]) }),
      ("upsert of a column", { try store.upsert(Price(1, -1), updating: \.amount) }),
      ("upsert with a default", { try store.upsert(Price.self, 3, default: Price(3, 0)) { $0.amount -= 1 } }),
      ("upsert of one with a default", { try store.upsert(Price.self, 1, default: Price(1, 0)) { $0.amount = -1 } }),
      ("getOrInsert", { _ = try store.getOrInsert(Price(3, -1)) }),
      ("getOrInsert with a closure", { _ = try store.getOrInsert(Price.self, 3) { Price(3, -1) } }),
      ("update", { try store.update(Price.self, 1) { $0.amount = -1 } }),
      ("update by an object", { try store.update(Price(1, -1)) }),
      ("update against an object", { try store.update(Price(1, -1), ifUnchangedFrom: Price(1, 10)) }),
      ("update if stored", { try store.update(Price(1, -1), ifStored: \.amount, is: 10) }),
      ("update of a query", { try store.update(Price.all) { $0.amount -= 15 } }),
    ]
    for (name, write) in writes {
      let error = try #require(failure(write), "\(name)")
      #expect(error.code == .invalidValue, "\(name)")
      #expect(error.model == "Price", "\(name)")
      let isStored = name.hasPrefix("update") || name.contains(" of ")
      #expect(error.key == (isStored ? "1" : "3"), "\(name)")
      #expect(error.cause is Price.IsNegative, "\(name)")
      #expect(try store.fetch(Price.all) == [Price(1, 10), Price(2, 20)], "\(name)")
    }
  }

  // RULE-1
  @Test(arguments: engines)
  func whatIsNotWrittenIsNotChecked(_ engine: String) throws {
    let place = try place(engine)
    let store = place.store
    defer { withExtendedLifetime(place) {} }
    try store.insert(Price(1, 10))
    // Written by name, as by a program without the rule.
    try store.assign(Price.self, 1) { $0.amount = -5 }
    try store.insert(Price(2, 20))
    try store.update(Price.self, 1) { _ in }
    try store.update(Price.all) { if $0.id == 2 { $0.amount = 21 } }
    #expect(try store.fetch(Price.all) == [Price(1, -5), Price(2, 21)])
    try store.update(Price(1, 5), ifUnchangedFrom: Price(1, -5))
    #expect(try store.get(Price.self, 1) == Price(1, 5))
  }

  // RULE-2
  @Test func anErrorOfQuarryKeepsItsCodeAndProperty() throws {
    let place = try place("memory")
    let store = place.store
    defer { withExtendedLifetime(place) {} }
    let error = try #require(failure { try store.insert(Price(7, 1, "?")) })
    #expect(error.code == .missingValue)
    #expect(error.property == "note")
    #expect(error.key == "7")
    #expect(error.model == "Price")
  }

  // RULE-3
  @Test(arguments: engines)
  func aRefusedObjectLeavesTheTransaction(_ engine: String) throws {
    let place = try place(engine)
    let store = place.store
    defer { withExtendedLifetime(place) {} }
    try store.write { tx in
      try tx.insert(Price(1, 1))
      #expect(code { try tx.insert(Price(2, -1)) } == .invalidValue)
      #expect(code { try tx.update(Price.self, 1) { $0.amount = -1 } } == .invalidValue)
      try tx.insert(Price(3, 3))
    }
    #expect(try store.fetch(Price.all) == [Price(1, 1), Price(3, 3)])
    #expect(try store.check() == [])
  }

  // RULE-4
  @Test(arguments: engines)
  func aDraftChecksBeforeItIsSaved(_ engine: String) throws {
    let place = try place(engine)
    let store = place.store
    defer { withExtendedLifetime(place) {} }
    try store.insert(Price(1, 1))
    let draft = Draft(on: store)
    draft[Price.self, 1]?.amount = -1
    #expect(draft[Price.self, 1]?.amount == -1)
    let error = try #require(failure { try draft.validate() })
    #expect(error.key == "1" && error.cause is Price.IsNegative)
    #expect(code { try draft.save() } == .invalidValue)
    #expect(try store.get(Price.self, 1)?.amount == 1)
    draft[Price.self, 1]?.amount = 2
    try draft.save()
    #expect(try store.get(Price.self, 1)?.amount == 2)
  }

  @Test func asynchronousWritesCheck() async throws {
    let place = try place("memory")
    let store = place.store
    defer { withExtendedLifetime(place) {} }
    await #expect(throws: StorageError.self) { try await store.insert(Price(1, -1)) }
    await #expect(throws: StorageError.self) {
      try await store.upsert(Price.self, 1, default: Price(1, 0)) { $0.amount -= 1 }
    }
    #expect(try await store.upsert(Price.self, 1, default: Price(1, 0)) { $0.amount += 1 } == Price(1, 1))
  }
}
