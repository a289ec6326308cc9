import Foundation
import Quarry
import QuarryBackend
import QuarryCore
import QuarryDrafts
import QuarryEngines
import QuarryTestSupport
import Testing

/// Compound primary keys: contract KEY-15 to KEY-20.
@Suite struct CompoundKeyTests {
  private func key(_ reader: Int, _ book: Int) -> Loan.Key { Loan.Key(reader: Ref(reader), book: book) }

  private func filled(_ place: Place) throws -> Store {
    let store = try place.open(Reader.self, Loan.self, Fine.self, Label.self)
    try store.insert(contentsOf: [Reader(id: -1, name: "z"), Reader(id: 1, name: "a"), Reader(id: 2, name: "b")])
    try store.insert(
      contentsOf: [Loan(2, 1), Loan(1, 300, due: 7), Loan(1, -5), Loan(-1, 9), Loan(1, 2, due: 3), Loan(2, -8)])
    return store
  }

  // KEY-15, KEY-16
  @Test(arguments: Place.engines)
  func keysIdentifyObjects(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    let store = try filled(place)
    #expect(try store.get(Loan.self, key(1, 300))?.due == 7)
    #expect(try store.get(Loan.self, .init(reader: Ref(1), book: 3)) == nil)
    #expect(try store.get(Loan.self, keys: [key(2, 1), key(9, 9), key(-1, 9)]).map { $0?.book } == [1, nil, 9])
    let sorted = [key(-1, 9), key(1, -5), key(1, 2), key(1, 300), key(2, -8), key(2, 1)]
    #expect(try store.keys(Loan.all) == sorted)
    #expect(sorted.reversed().sorted() == sorted)
    #expect(try store.fetch(Loan.all).map(\.id) == sorted)
    #expect(try store.exists(Loan.self, key(1, 2)))
    #expect(code { try store.insert(Loan(1, 2, due: 9)) } == .duplicateKey)
    #expect(failure { try store.insert(Loan(1, 2, due: 9)) }?.key == "[1,2]")
    try store.upsert(Loan(1, 2, due: 9))
    #expect(try store.get(Loan.self, key(1, 2))?.due == 9)
    #expect(try store.getOrInsert(Loan(1, 2, due: 11)).due == 9)
    #expect(try store.getOrInsert(Loan(1, 4, due: 11)).due == 11)
    #expect(try store.delete(Loan.self, key(1, 4)))
    #expect(try !store.delete(Loan.self, key(1, 4)))
    #expect(try store.delete(Loan.self, keys: [key(1, 4), key(2, 1), key(2, -8)]) == 2)
    #expect(try store.count(Loan.where { $0.reader == Ref(1) }) == 3)
    #expect(try store.count(Loan.where { $0.reader == Ref(1) && $0.book == 2 }) == 1)
    #expect(try store.fetch(Loan.where { $0.book > 0 }.sorted(by: \.due).limit(2)).map(\.book) == [9, 300])
    try store.update(Loan.self, key(1, 2)) { $0.due = 12 }
    try store.assign(Loan.self, key(1, 300)) { $0.due += 1 }
    #expect(try store.fetch(Loan.where { $0.due > 7 }).map(\.due) == [12, 8])
    #expect(failure { try store.update(Loan.self, key(8, 8)) { $0.due = 1 } }?.key == "[8,8]")
    #expect(try store.check() == [])
  }

  // KEY-16
  @Test(arguments: Place.engines)
  func pagesGoOnAtAKey(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    let store = try place.open(Reader.self, Loan.self, Fine.self, Label.self)
    try store.insert(contentsOf: (1...3).map { Reader(id: $0, name: "\($0)") })
    let loans = (1...3).flatMap { reader in (-20...20).map { Loan(reader, $0, due: abs($0) % 4) } }
    try store.insert(contentsOf: loans.shuffled())
    for query in [Loan.all, Loan.all.sorted(by: \.due), Loan.all.sorted(by: \.due, order: .reverse)] {
      let all = try store.fetch(query)
      var paged: [Loan] = []
      var position: PagePosition?
      repeat {
        let page = try store.page(query.after(position), size: 10)
        paged += page.elements
        position = page.next
      } while position != nil
      #expect(paged == all)
    }
    #expect(try store.fetch(Loan.all) == loans)
  }

  // A condition on the first members reads their range of keys alone.
  @Test(arguments: Place.engines)
  func conditionsOnTheFirstMembersUseTheKey(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    let store = try place.open(Lending.Pair.Lending.self)
    let readers = [Int.min, -257, -1, 0, 1, 255, 256, .max]
    let books = ["", "a", "a\0", "b"]
    let all = readers.flatMap { reader in books.map { Lending.Pair.Lending(reader: reader, book: $0, note: nil) } }
    try store.insert(contentsOf: all)
    for reader in readers + [7] {
      let found = try store.fetch(Lending.Pair.Lending.where { $0.reader == reader })
      #expect(found == all.filter { $0.reader == reader })
      for book in books {
        #expect(
          try store.count(Lending.Pair.Lending.where { $0.book == book && $0.reader == reader })
            == (reader == 7 ? 0 : 1))
        #expect(
          try store.count(Lending.Pair.Lending.where { $0.reader == reader && ($0.book == book || $0.book == "b") })
            == found.count { $0.book == book || $0.book == "b" })
      }
    }
    let plan = try "\(store.explain(Lending.Pair.Lending.where { $0.reader == 1 }))"
    #expect(plan.contains("_key"))
    #expect(try store.delete(Lending.Pair.Lending.where { $0.reader == -1 && $0.book > "a" }) == 2)
    #expect(try store.count(Lending.Pair.Lending.all) == all.count - 2)
  }

  // KEY-17
  @Test(arguments: Place.engines)
  func membersStay(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    let store = try filled(place)
    let records = store.records
    #expect(
      code { try records.assign(.init(model: "Loan"), [AssignmentTree("book", .set, .int(1))]) } == .invalidQuery)
    #expect(
      code { try records.assign(.init(model: "Loan"), [AssignmentTree("_key", .set, .int(1))]) } == .invalidQuery)
    let changed = code {
      try store.update(Loan.self, key(1, 2)) { $0 = Loan(1, 3, due: $0.due) }
    }
    #expect(changed == .invalidValue)
    #expect(try store.get(Loan.self, key(1, 2))?.due == 3)
    #expect(code { try store.update(Loan(1, 99)) } == .notFound)
  }

  // KEY-15, KEY-16
  @Test(arguments: Place.engines)
  func membersOfEveryTypeAreOrdered(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    let store = try place.open(Reader.self, Loan.self, Fine.self, Label.self, Mixed.self)
    var random = SeededGenerator(seed: 30)
    func one(_ number: Int) throws -> Mixed {
      Mixed(
        text: ["", "a", "a\0", "a\0b", "b", "é", "e\u{301}"].randomElement(using: &random) ?? "",
        flag: Bool.random(using: &random), small: [-128, -1, 0, 127].randomElement(using: &random) ?? 0,
        large: [0, 1, .max].randomElement(using: &random) ?? 0,
        number: [0, -0.0, .nan, -.infinity, 1.5, -1.5].randomElement(using: &random) ?? 0,
        single: [0, .infinity, -3].randomElement(using: &random) ?? 0,
        day: Date(timeIntervalSinceReferenceDate: [0, -1e9, 1].randomElement(using: &random) ?? 0),
        data: Data([[], [0], [0, 1], [0, 0xFF], [255]].randomElement(using: &random) ?? []),
        uuid: UUID(uuid: (UInt8(number % 3), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
        money: try #require([0, -1.25, 100, 99.5].map { Decimal($0) }.randomElement(using: &random)),
        url: try #require(URL(string: "a://\(number % 2)")), kind: number % 2 == 0 ? .a : .b, loan: nil,
        note: "\(number)")
    }
    var expected: [Mixed.Key: Mixed] = [:]
    for number in 0..<300 {
      let object = try one(number)
      try store.upsert(object)
      expected[object.primaryKeyValue] = object
    }
    let sorted = expected.keys.sorted()
    #expect(try store.keys(Mixed.all).map { try $0.storedValue() } == sorted.map { try $0.storedValue() })
    for key in sorted { #expect(try store.get(Mixed.self, key)?.note == expected[key]?.note) }
    #expect(try store.check() == [])
  }

  // KEY-15: references, delete rules, links, paths.
  @Test(arguments: Place.engines)
  func referencesLeadToCompoundKeys(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    let store = try filled(place)
    try store.insert(Label(name: "urgent"))
    try store.insert(Label(name: "late"))
    try store.insert(Fine(id: 1, cents: 50, loan: Ref(key(1, 2)), other: Ref(key(2, 1))))
    try store.insert(Fine(id: 2, cents: 70, loan: Ref(key(1, 300))))
    let missing = failure { try store.insert(Fine(id: 3, cents: 1, loan: Ref(key(1, 3)))) }
    #expect(missing?.code == .missingReference && missing?.message.contains("[1,3]") == true)
    let loan = try #require(try store.get(Loan.self, key(1, 2)))
    #expect(try store.fetch(loan.fines).map(\.id) == [1])
    #expect(try store.fetch(Fine.where { $0.loan == Ref(loan) }).map(\.id) == [1])
    #expect(try store.get(try #require(try store.get(Fine.self, 1)).other)?.id == key(2, 1))
    #expect(try store.fetch(Fine.where { $0.loan.due > 5 }).map(\.id) == [2])
    #expect(try store.fetch(Loan.where { $0.fines.any { $0.cents > 60 } }).map(\.id) == [key(1, 300)])
    try store.write { tx in
      try loan.labels.append(Ref("late"), in: tx)
      try loan.labels.append(Ref("urgent"), in: tx)
    }
    #expect(try store.fetch(loan.labels).map(\.name) == ["late", "urgent"])
    let label = try #require(try store.get(Label.self, "late"))
    #expect(try store.fetch(label.loans).map(\.id) == [key(1, 2)])
    // A reader's loans go with the reader, and their fines with them.
    try store.delete(Loan.self, key(2, 1))
    #expect(try store.get(Fine.self, 1)?.other == nil)
    try store.delete(Reader.self, 1)
    #expect(try store.keys(Loan.all) == [key(-1, 9), key(2, -8)])
    #expect(try store.count(Fine.all) == 0)
    #expect(try store.check() == [])
  }

  // KEY-19, KEY-20
  @Test(arguments: Place.engines)
  func recordsHaveTheMembers(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    let store = try filled(place)
    let records = store.records
    try records.insert(into: "Loan", [Record(["reader": 1, "book": 4, "due": 5])])
    #expect(try store.get(Loan.self, key(1, 4))?.due == 5)
    #expect(try records.get(in: "Loan", key: .array([1, 4]))?["due"] == 5)
    #expect(code { try records.insert(into: "Loan", [Record(["reader": 1, "book": 4, "due": 6])]) } == .duplicateKey)
    #expect(code { try records.insert(into: "Loan", [Record(["reader": 1, "due": 6])]) } == .missingValue)
    let other = try key(1, 5).storedValue()
    let contradicts = failure {
      try records.insert(into: "Loan", [Record(["reader": 1, "book": 6, "due": 6, "_key": other])])
    }
    #expect(contradicts?.code == .invalidValue && contradicts?.key == "[1,5]")
    try records.upsert(into: "Loan", [Record(["reader": 1, "book": 4, "due": 8])], updating: ["due"])
    #expect(try store.get(Loan.self, key(1, 4))?.due == 8)
    try records.insert(into: "Fine", [Record(["id": 7, "cents": 3, "loan": .array([1, 4])])])
    #expect(try store.get(Fine.self, 7)?.loan.key == key(1, 4))
    let groups = try records.aggregate(.init(model: "Fine"), groupedBy: ["loan"], [(.count, nil)])
    #expect(groups == [AggregateRow(groups: [.array([1, 4])], values: [1])])
    #expect(try records.grouped(.init(model: "Fine"), by: ["loan"], "count").map { $0["loan"] } == [.array([1, 4])])
    #expect(try records.delete(in: "Loan", keys: [.array([1, 4])]) == 1)
    let all = try records.fetch(in: "Loan", sortedBy: "due")
    try records.upsert(into: "Loan", all)
    #expect(try store.check() == [])
  }

  // KEY-15
  @Test(arguments: Place.engines)
  func aMemberCanReferToACompoundKey(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    let store = try place.open(Reader.self, Loan.self, Fine.self, Label.self, Renewal.self)
    try store.insert(contentsOf: [Reader(id: 1, name: "a"), Reader(id: 2, name: "b")])
    try store.insert(contentsOf: [Loan(1, 2), Loan(2, 1)])
    let renewals = [(2, 1, 1), (1, 2, 2), (1, 2, -1)].map { Renewal(loan: Ref(key($0.0, $0.1)), number: $0.2, day: 4) }
    try store.insert(contentsOf: renewals)
    #expect(try store.fetch(Renewal.all) == [renewals[2], renewals[1], renewals[0]])
    #expect(failure { try store.insert(renewals[1]) }?.key == "[[1,2],2]")
    #expect(try store.records.get(in: "Renewal", key: .array([.array([1, 2]), 2]))?["day"] == 4)
    #expect(code { try store.delete(Loan.self, key(1, 2)) } == .referenced)
    #expect(try store.check() == [])
  }

  // KEY-18
  @Test(arguments: Place.engines)
  func wrongMembersAreRefused(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    let store = try Store(opening: place.provider())
    func model(_ change: (inout ModelSchema) -> Void) -> ModelSchema {
      var model = ModelSchema(
        name: "Pair",
        properties: [
          PropertySchema(name: "a", type: .int64), PropertySchema(name: "b", type: .string),
          PropertySchema(name: "_key", type: .data, keyMembers: [KeyMember(.int64), KeyMember(.string)]),
        ], primaryKey: 2, keyMembers: [0, 1])
      change(&model)
      return model
    }
    let wrong: [(inout ModelSchema) -> Void] = [
      { $0.properties[0].isOptional = true }, { $0.keyMembers = [0] }, { $0.keyMembers = [0, 0] },
      { $0.keyMembers = [0, 7] }, { $0.keyMembers = [0, 2] }, { $0.keyMembers = [1, 0] }, { $0.keyMembers = nil },
      { $0.keyGeneration = .sequence }, { $0.properties[2].name = "key" }, { $0.properties[2].type = .string },
      { $0.properties[0].type = .nested }, { $0.properties[2].keyMembers = nil },
    ]
    for (number, change) in wrong.enumerated() {
      #expect(code { try store.write { try $0.apply(.createModel(model(change))) } } == .schemaMismatch, "\(number)")
    }
    try store.write { try $0.apply(.createModel(model { _ in })) }
    let stored = try store.model(named: "Pair")
    #expect(code { try store.write { try $0.apply(.dropProperty(stored.id, slot: 0)) } } == .schemaMismatch)
    #expect(
      code { try store.write { try $0.apply(.changeOptionality(stored.id, slot: 1, isOptional: true)) } }
        == .schemaMismatch)
    try store.write { try $0.apply(.renameProperty(stored.id, slot: 0, to: "left")) }
    try store.records.insert(into: "Pair", [Record(["left": 1, "b": "x"])])
    #expect(try store.records.get(in: "Pair", key: .array([1, "x"]))?["left"] == 1)
  }

  // CARE: a row whose member another program changed.
  @Test func aKeyWithoutItsMembersIsADefect() throws {
    let model = ModelSchema(
      name: "Loan",
      properties: ["reader", "book", "due"].map { PropertySchema(name: $0, type: .int64) } + [
        PropertySchema(name: "_key", type: .data, keyMembers: [KeyMember(.int64), KeyMember(.int64)])
      ], primaryKey: 3, keyMembers: [0, 1])
    let layout = RowLayout(model)
    for (book, isSound) in [(2, true), (3, false)] {
      let writer = RowWriter(layout)
      writer.begin()
      for (slot, value) in [Value.int(1), .int(Int64(book)), .int(0), try key(1, 2).storedValue()].enumerated() {
        try writer.set(layout.slots[slot], value: value)
      }
      let defects = try RowView(writer.finish(), layout).defects(layout, model)
      #expect(defects.isEmpty == isSound)
    }
  }

  // KEY-15, DRAFT-7
  @Test(arguments: Place.engines)
  func draftsHoldObjects(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    let store = try filled(place)
    let draft = Draft(on: store)
    try draft.insert(Loan(2, 5, due: 1))
    try draft.update(Loan.self, key(1, 2)) { $0.due = 40 }
    try draft.delete(Loan.self, key(-1, 9))
    #expect(try draft.get(Loan.self, key(1, 2))?.due == 40)
    let laid = try draft.fetch(Loan.all).map(\.id)
    #expect(laid == [key(1, -5), key(1, 2), key(1, 300), key(2, -8), key(2, 1), key(2, 5)])
    try draft.save()
    #expect(try store.keys(Loan.all) == laid)
    #expect(try store.get(Loan.self, key(1, 2))?.due == 40)
  }

  // KEY-15
  @Test(arguments: Place.engines)
  func historyKnowsTheKeys(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    var options = OpenOptions()
    options.history = .on(keeping: .days(1), bytes: 1 << 20)
    let store = try Store(
      models: [Reader.self, Loan.self, Fine.self, Label.self], in: place.provider(), options: options)
    try store.insert(Reader(id: 1, name: "a"))
    try store.insert(contentsOf: [Loan(1, 2, due: 3), Loan(1, 3)])
    try store.update(Loan.self, key(1, 2)) { $0.due = 4 }
    let sets = try store.history()
    let set = try #require(sets.last)
    let changes = try set.changes(of: Loan.self)
    #expect(changes.count == 1)
    try store.undo(set)
    #expect(try store.get(Loan.self, key(1, 2))?.due == 3)
  }
}
