import Foundation
import Quarry
import QuarryBackend
import QuarryCore
import QuarryData
import QuarryDump
import QuarryEncryption
import QuarryEngines
import QuarryTestSupport
import Testing

/// The models of a program that gives its lendings a compound key, and other members later.
enum Lending {
  enum Plain {
    @Model(name: "Lending") struct Lending: Equatable {
      let id: Int
      var reader: Int
      var book: String
    }
  }

  enum Pair {
    @Model(name: "Lending") struct Lending: Equatable {
      let reader: Int
      let book: String
      var note: String?

      #PrimaryKey<Lending>([\.reader, \.book])
    }
  }

  enum Turned {
    @Model(name: "Lending") struct Lending: Equatable {
      let reader: Int
      let book: String
      var note: String?

      #PrimaryKey<Lending>([\.book, \.reader])
    }
  }

  enum Small {
    @Model(name: "Lending") struct Lending: Equatable {
      let reader: Int32
      let book: String
      var note: String?

      #PrimaryKey<Lending>([\.reader, \.book])
    }
  }

  enum Renamed {
    @Model(name: "Lending") struct Lending: Equatable {
      @Attribute(originalName: "reader") let person: Int
      let book: String
      var note: String?

      #PrimaryKey<Lending>([\.person, \.book])
    }
  }
}

/// Compound keys in migrations, copies, dumps, files and encrypted stores: contract KEY-19 to KEY-21.
@Suite struct CompoundMovingTests {
  private let pairs = [(1, "a"), (1, "b"), (2, "a")].map {
    Lending.Pair.Lending(reader: $0.0, book: $0.1, note: "\($0.0)")
  }

  private func withPairs(_ place: Place) throws -> Store {
    let store = try place.open(Lending.Pair.Lending.self)
    try store.insert(contentsOf: pairs.reversed())
    return store
  }

  // KEY-21
  @Test(arguments: Place.lasting)
  func aModelIsGivenACompoundKey(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    var store = try place.open(Lending.Plain.Lending.self)
    try store.insert(contentsOf: (1...4).map { Lending.Plain.Lending(id: $0, reader: 9 - $0, book: "b\($0)") })
    try store.close()
    let refused = failure { try place.open(Lending.Pair.Lending.self) }
    #expect(refused?.code == .schemaMismatch)
    #expect(refused?.message.contains("the primary key id and has (reader, book) in the program") == true)
    store = try Store(
      for: Lending.Pair.Lending.self, in: place.provider(),
      migration: .to(2) { m in
        try m.transform(Lending.Plain.Lending.self, to: Lending.Pair.Lending.self) { old in
          Lending.Pair.Lending(reader: old.reader, book: old.book, note: "\(old.id)")
        }
      })
    #expect(try store.fetch(Lending.Pair.Lending.all).map(\.note) == ["4", "3", "2", "1"])
    #expect(try store.get(Lending.Pair.Lending.self, .init(reader: 7, book: "b2"))?.note == "2")
    #expect(try store.check() == [])
    try store.close()
    #expect(code { try place.open(Lending.Plain.Lending.self) } == .schemaMismatch)
    store = try Store(
      for: Lending.Plain.Lending.self, in: place.provider(),
      migration: .to(3) { m in
        try m.enumerate("Lending") { old, new in new["id"] = .int(Int64(try old.get("note", as: String.self)) ?? 0) }
      })
    #expect(try store.fetch(Lending.Plain.Lending.all).map(\.reader) == [8, 7, 6, 5])
    #expect(try store.check() == [])
    try store.close()
  }

  // KEY-21
  @Test(arguments: Place.lasting)
  func aKeyGetsOtherMembers(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    try withPairs(place).close()
    let refused = failure { try place.open(Lending.Turned.Lending.self) }
    #expect(refused?.message.contains("(reader, book) and has (book, reader)") == true)
    var store = try Store(
      for: Lending.Turned.Lending.self, in: place.provider(),
      migration: .to(2) { m in try m.enumerate("Lending") { _, _ in } })
    #expect(try store.fetch(Lending.Turned.Lending.all).map { "\($0.book)\($0.reader)" } == ["a1", "a2", "b1"])
    #expect(try store.get(Lending.Turned.Lending.self, .init(book: "a", reader: 2))?.note == "2")
    #expect(try store.check() == [])
    try store.close()
    // Two objects of one key are refused, and the store stays as it was.
    let clash = code {
      try Store(
        for: Lending.Pair.Lending.self, in: place.provider(),
        migration: .to(3) { m in try m.enumerate("Lending") { _, new in new["book"] = "x" } })
    }
    #expect(clash == .duplicateKey)
    store = try place.open(Lending.Turned.Lending.self)
    #expect(try store.count(Lending.Turned.Lending.all) == 3)
    try store.close()
  }

  // KEY-21, MIG: a member of a wider type, and one with another name.
  @Test(arguments: Place.lasting)
  func membersAreWidenedAndRenamed(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    var store = try place.open(Lending.Small.Lending.self)
    try store.insert(contentsOf: [-1, 300].map { Lending.Small.Lending(reader: $0, book: "a", note: nil) })
    try store.close()
    store = try place.open(Lending.Pair.Lending.self)
    #expect(try store.keys(Lending.Pair.Lending.all) == [.init(reader: -1, book: "a"), .init(reader: 300, book: "a")])
    #expect(try store.exists(Lending.Pair.Lending.self, .init(reader: 300, book: "a")))
    #expect(try store.check() == [])
    try store.close()
    store = try place.open(Lending.Renamed.Lending.self)
    #expect(try store.get(Lending.Renamed.Lending.self, .init(person: 300, book: "a")) != nil)
    #expect(try store.check() == [])
    try store.close()
    #expect(code { try place.open(Lending.Small.Lending.self) } == .schemaMismatch)
  }

  // KEY-15, MOVE
  @Test(arguments: Place.lasting)
  func copiesAndDumpsKeepTheKeys(_ engine: EngineDescription) throws {
    for target in Place.lasting {
      let place = try Place(engine)
      let store = try place.open(Reader.self, Loan.self, Fine.self, Label.self, Renewal.self)
      try store.insert(contentsOf: [Reader(id: 1, name: "a"), Reader(id: 2, name: "b")])
      try store.insert(contentsOf: [Loan(2, 1, due: 3), Loan(1, -4)])
      let key = Loan.Key(reader: Ref(2), book: 1)
      try store.insert(Fine(id: 1, cents: 5, loan: Ref(key)))
      try store.insert(Renewal(loan: Ref(key), number: 7, day: 1))
      try Loan(2, 1).labels.append(Ref(try store.insert(Label(name: "x"))), in: store)
      let other = try Place(target)
      try store.copy(to: other.provider("copy"))
      let dump = "\(place.folder.path)/dump.jsonl"
      try store.dump(to: dump)
      try store.close()
      try Store.restore(dump, to: other.provider("restored"))
      let lines = try String(contentsOfFile: dump, encoding: .utf8).split(separator: "\n")
      #expect(lines[0] == #"{"quarry":"dump","format":4}"#)
      #expect(lines.contains { $0.hasPrefix(#"{"model":"Loan","key":["reader","book"],"properties""#) })
      #expect(lines.contains("[2,1,3]") && lines.contains("[1,5,[2,1],null]") && lines.contains("[[2,1],7,1]"))
      for name in ["copy", "restored"] {
        let store = try Store(
          models: [Reader.self, Loan.self, Fine.self, Label.self, Renewal.self], in: other.provider(name))
        #expect(try store.get(Loan.self, key)?.due == 3)
        #expect(try store.keys(Loan.all) == [.init(reader: Ref(1), book: -4), key])
        #expect(try store.fetch(Loan(2, 1).labels).map(\.name) == ["x"])
        #expect(try store.fetch(Renewal.all).map(\.loan.key) == [key])
        #expect(try store.check() == [])
        try store.dump(to: dump + name)
        #expect(
          try String(contentsOfFile: dump + name, encoding: .utf8) == String(contentsOfFile: dump, encoding: .utf8))
        try store.close()
      }
      let first = try Store(opening: other.provider("copy"))
      let second = try Store(opening: other.provider("restored"))
      #expect(try first.differences(from: second).isEmpty)
      try second.records.delete(in: "Renewal", keys: [.array([.array([2, 1]), 7])])
      #expect(try first.differences(from: second).map(\.description) == ["- Renewal [[2,1],7]"])
      try first.close()
      try second.close()
    }
  }

  // KEY-19
  @Test(arguments: Place.engines)
  func filesHaveTheMembers(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    let store = try place.open(Reader.self, Loan.self, Fine.self, Label.self)
    try store.insert(Reader(id: 1, name: "a"))
    let csv = "\(place.folder.path)/loans.csv"
    try Data("reader,book,due\n1,2,3\n1,-5,4\n".utf8).write(to: URL(fileURLWithPath: csv))
    #expect(try TableImport(data: DataFile(path: csv, format: .csv), model: "Loan").run(in: store).rows == 2)
    #expect(try store.keys(Loan.all).map(\.book) == [-5, 2])
    let fines = "\(place.folder.path)/fines.jsonl"
    try Data(#"{"id":1,"cents":2,"loan":[1,2],"other":null}"#.utf8).write(to: URL(fileURLWithPath: fines))
    #expect(try TableImport(data: DataFile(path: fines, format: .json), model: "Fine").run(in: store).rows == 1)
    #expect(try store.get(Fine.self, 1)?.loan.key == .init(reader: Ref(1), book: 2))
    let again = failure { try TableImport(data: DataFile(path: csv, format: .csv), model: "Loan").run(in: store) }
    #expect(again?.code == .duplicateKey && again?.key == "[1,-5]" || again?.key == "[1,2]")
    var table = TableImport(data: DataFile(path: csv, format: .csv), model: "Visit")
    table.key = .columns(named: "reader,book")
    #expect(try table.run(in: store).rows == 2)
    #expect(try store.records.get(in: "Visit", key: .array([1, -5]))?["due"] == 4)
    #expect(try store.model(named: "Visit").keyNames == ["reader", "book"])
    table.key = .columns(named: "book,reader")
    #expect(code { try table.run(in: store) } == .schemaMismatch)
    try Data("reader,book,due\n1,,3\n".utf8).write(to: URL(fileURLWithPath: csv))
    var missing = TableImport(data: DataFile(path: csv, format: .csv), model: "Other")
    missing.key = .compound(["reader", "book"])
    #expect(code { try missing.run(in: store) } == .missingValue)
    #expect(try store.check() == [])
  }

  // KEY-15, ENC
  @Test(arguments: Place.lasting)
  func encryptedStoresHaveThem(_ engine: EngineDescription) throws {
    let place = try Place(engine)
    let encryption = Encryption(try EncryptionKey(0..<32))
    var store = try Store(for: Lending.Pair.Lending.self, in: place.provider(), encryption: encryption)
    try store.insert(contentsOf: pairs.reversed())
    try store.close()
    store = try Store(for: Lending.Pair.Lending.self, in: place.provider(), encryption: encryption)
    #expect(try store.fetch(Lending.Pair.Lending.all) == pairs)
    #expect(try store.check() == [])
    try store.close()
  }
}
