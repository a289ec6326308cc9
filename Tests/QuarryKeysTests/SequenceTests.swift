import Foundation
import Quarry
import QuarryBackend
import QuarryCore
import QuarryDrafts
import QuarryEngines
import QuarryTestSupport
import Testing

/// Numbers as keys, on every engine: contract KEY-4 to KEY-8.
@Suite struct SequenceTests {
  // KEY-4, KEY-5, KEY-8
  @Test(arguments: Place.engines)
  func insertReturnsTheObjectWithItsKey(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    defer { withExtendedLifetime(place) {} }
    let store = try place.open(Ticket.self)
    let first = try store.insert(Ticket(code: "a", price: 5))
    #expect(first == Ticket(id: 1, code: "a", price: 5))
    try store.write { tx in
      let (second, third) = (try tx.insert(Ticket(code: "b")), try tx.insert(Ticket(code: "c")))
      #expect(second.id == 2 && third.id == 3)
    }
    #expect(try store.get(Ticket.self, 1) == first)
    #expect(try store.fetch(Ticket.all).map(\.code) == ["a", "b", "c"])
    #expect(try store.check() == [])
  }

  // KEY-4, KEY-8
  @Test(arguments: Place.engines)
  func everyCallGivesKeys(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    defer { withExtendedLifetime(place) {} }
    let store = try place.open(Ticket.self)
    try store.insert(contentsOf: [Ticket(code: "1"), Ticket(code: "2")])
    #expect(try store.upsert(Ticket(code: "3")))
    #expect(try store.upsert(contentsOf: [Ticket(code: "4"), Ticket(id: 1, code: "one"), Ticket(code: "5")]) == 2)
    #expect(try store.upsert(Ticket(code: "6"), updating: \.price))
    #expect(try store.getOrInsert(Ticket(code: "7")).id == 7)
    #expect(try store.getOrInsert(Ticket(id: 7, code: "x")).code == "7")
    #expect(try store.getOrInsert(Ticket.self, 0) { Ticket(code: "8") }.id == 8)
    let both = try store.insertAndFetch(contentsOf: [Ticket(code: "9"), Ticket(id: 20, code: "20")])
    #expect(both.map(\.id) == [21, 20])
    #expect(try store.insert(Ticket(code: "22")).id == 22)
    #expect(try store.upsert(Ticket.self, 0, default: Ticket(code: "23")) { $0.price = 4 }.id == 23)
    #expect(try store.get(Ticket.self, 23)?.price == 4)
    let codes = try store.fetch(Ticket.all).map { "\($0.id) \($0.code)" }
    #expect(
      codes == ["1 one", "2 2", "3 3", "4 4", "5 5", "6 6", "7 7", "8 8", "20 20", "21 9", "22 22", "23 23"])
  }

  // KEY-4
  @Test(arguments: Place.engines)
  func recordsMayOmitTheKey(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    defer { withExtendedLifetime(place) {} }
    let store = try place.open(Ticket.self)
    try store.records.insert(
      into: "Ticket", [Record(["code": "a"]), Record(["id": .null, "code": "b"]), Record(["id": 0, "code": "c"])])
    #expect(try store.records.upsert(into: "Ticket", [Record(["code": "d"]), Record(["id": 2, "code": "bb"])]) == 1)
    try store.records.insert(into: "Ticket", [Record(["id": 9, "code": "e"])])
    try store.records.insert(into: "Ticket", [Record(["code": "f"])])
    #expect(try store.fetch(Ticket.all).map(\.id) == [1, 2, 3, 4, 9, 10])
    #expect(try store.get(Ticket.self, 2)?.code == "bb")
    #expect(code { try store.records.insert(into: "Ticket", [Record(["price": 1])]) } == .missingValue)
  }

  // KEY-5
  @Test(arguments: Place.lasting)
  func numbersAreNotGivenAgain(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    var store = try place.open(Ticket.self)
    try store.insert(contentsOf: (1...5).map { Ticket(code: "\($0)") })
    try store.delete(Ticket.all)
    try store.close()
    store = try place.open(Ticket.self)
    #expect(try store.insert(Ticket(code: "6")).id == 6)
    #expect(try store.delete(Ticket.self, 6))
    #expect(try store.insert(Ticket(code: "7")).id == 7)
    // An undone transaction leaves the sequence behind no committed object.
    #expect(throws: CancellationError.self) {
      try store.write { tx in
        try tx.insert(Ticket(code: "8"))
        throw CancellationError()
      }
    }
    try store.write { tx in
      #expect(throws: CancellationError.self) {
        try tx.savepoint {
          try tx.insert(Ticket(code: "8"))
          throw CancellationError()
        }
      }
      try tx.insert(Ticket(code: "9"))
    }
    #expect(try store.insert(Ticket(code: "10")).id > store.keys(Ticket.where { $0.code == "9" })[0])
    #expect(code { try store.insert(Ticket(code: "10")) } == .uniqueViolation)
    let last = try #require(try store.keys(Ticket.all).last)
    #expect(try store.insert(Ticket(code: "11")).id > last)
    #expect(try store.check() == [])
    try store.close()
  }

  // KEY-6
  @Test(arguments: Place.engines)
  func keysOfTheProgramMoveTheSequence(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    defer { withExtendedLifetime(place) {} }
    let store = try place.open(Ticket.self)
    try store.insert(Ticket(id: -7, code: "negative"))
    #expect(try store.insert(Ticket(code: "a")).id == 1)
    try store.insert(Ticket(id: 40, code: "b"))
    #expect(code { try store.insert(Ticket(id: 40, code: "c")) } == .duplicateKey)
    #expect(try store.insert(Ticket(code: "d")).id == 41)
    try store.upsert(Ticket(id: 50, code: "e"))
    try store.insert(contentsOf: [Ticket(code: "f"), Ticket(id: 60, code: "g"), Ticket(code: "h")])
    #expect(try store.keys(Ticket.all) == [-7, 1, 40, 41, 50, 60, 61, 62])
    try store.delete(Ticket.self, keys: [60, 61, 62])
    #expect(try store.insert(Ticket(code: "i")).id == 63)
    #expect(try store.getOrInsert(Ticket(id: 70, code: "j")).id == 70)
    #expect(try store.insert(Ticket(code: "k")).id == 71)
  }

  // KEY-7
  @Test(arguments: Place.engines)
  func aSequenceEnds(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    defer { withExtendedLifetime(place) {} }
    let store = try place.open(Small.self, Ticket.self)
    try store.insert(contentsOf: (0..<126).map { Small(id: 0, name: "\($0)") })
    let two = [Small(id: 0, name: "x"), Small(id: 0, name: "y")]
    #expect(code { try store.insert(contentsOf: two) } == .limitExceeded)
    #expect(try store.count(Small.all) == 126)
    #expect(try store.insert(Small(id: 0, name: "last")).id == 127)
    let error = failure { try store.insert(Small(id: 0, name: "z")) }
    #expect(error?.code == .limitExceeded && error?.model == "Small" && error?.property == "id")
    #expect(try store.insert(Small(id: -1, name: "given")).id == -1)
    try store.insert(Ticket(id: .max, code: "max"))
    #expect(code { try store.insert(Ticket(code: "none is left")) } == .limitExceeded)
    #expect(try store.count(Small.all) == 128)
  }

  // KEY-4
  @Test(arguments: Place.engines)
  func anObjectWithoutKeyIsReferredToByNothing(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    defer { withExtendedLifetime(place) {} }
    let store = try place.open(Comment.self, Ticket.self)
    let ticket = Ticket(code: "a")
    #expect(code { try store.insert(Comment(text: "b", ticket: Ref(ticket))) } == .missingReference)
    let stored = try store.insert(ticket)
    #expect(try store.insert(Comment(text: "b", ticket: Ref(stored))).id == 1)
    #expect(code { try store.update(ticket) } == .notFound)
  }

  // KEY-9
  @Test(arguments: Place.engines)
  func keysCanBeUUIDs(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    defer { withExtendedLifetime(place) {} }
    let store = try place.open(Event.self)
    let before = UUID.generated()
    let first = try store.insert(Event(name: "a"))
    let second = try store.insert(Event(name: "b"))
    #expect(first.key != .missing && before.uuidString < first.key.uuidString)
    #expect(first.key.uuidString < second.key.uuidString)
    let own = UUID()
    #expect(try store.insert(Event(key: own, name: "c")).key == own)
    try store.records.insert(into: "Event", [Record(["name": "d"])])
    #expect(try store.fetch(Event.all.sorted(by: \.name)).map(\.name) == ["a", "b", "c", "d"])
    #expect(try store.get(Event.self, .missing) == nil)
  }

  // KEY-8, KEY-13
  @Test(arguments: Place.engines)
  func tasksAndObserversSeeTheKeys(_ engine: EngineDescription) async throws {
    let place = try Place(engine)
    defer { withExtendedLifetime(place) {} }
    let store = try place.open(Ticket.self)
    var commits = store.commits().makeAsyncIterator()
    #expect(try await store.insert(Ticket(code: "a")).id == 1)
    let change = try #require(try await commits.next())
    #expect(change.models.map(\.model) == ["Ticket"] && change["Ticket"]?.inserted == [1])
    #expect(try await store.insertAndFetch(contentsOf: [Ticket(code: "b"), Ticket(code: "c")]).map(\.id) == [2, 3])
  }

  // KEY-14
  @Test func aDraftNeedsKeys() throws {
    let place = try Place(Place.engines[0])
    defer { withExtendedLifetime(place) {} }
    let store = try place.open(Ticket.self)
    let draft = Draft(on: store)
    #expect(code { try draft.insert(Ticket(code: "a")) } == .invalidValue)
    try draft.insert(Ticket(id: 4, code: "a"))
    try draft.save()
    #expect(try store.insert(Ticket(code: "b")).id == 5)
  }

  // KEY-13
  @Test(arguments: Place.engines)
  func sequencesAreNoObjects(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    defer { withExtendedLifetime(place) {} }
    let store = try place.open(Ticket.self)
    try store.insert(Ticket(code: "a"))
    #expect(try store.models().map(\.name) == ["Ticket"])
    let second = try Place(engine)
    defer { withExtendedLifetime(second) {} }
    let other = try second.open(Ticket.self)
    try other.insert(Ticket(id: 1, code: "a"))
    #expect(try store.differences(from: other, limit: 5).isEmpty)
    #expect(try store.records.fetch(in: "Ticket").count == 1)
  }
}
