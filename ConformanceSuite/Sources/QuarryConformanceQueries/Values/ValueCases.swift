import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

enum ValueCases {
  /// Objects with the values at the edges of every property.
  static func samples() throws -> [Everything] {
    var full = Everything(1)
    full.bool = true
    full.int8 = .min
    full.int16 = .min
    full.int32 = .min
    full.int64 = .min
    full.uint = .max
    full.uint8 = .max
    full.uint16 = .max
    full.uint32 = .max
    full.uint64 = .max
    full.float = -.greatestFiniteMagnitude
    full.double = .leastNonzeroMagnitude
    full.string = "\0e\u{301}\u{E9}\u{1F469}\u{200D}\u{1F4BB}%_*'\"\\\u{10FFFF}"
    full.date = .distantPast
    full.data = Data((0...255).map { UInt8($0) })
    full.uuid = UUID(uuid: (255, 254, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    full.decimal = .greatestFiniteMagnitude
    full.url = try unwrap(URL(string: "https://user@example.org:81/a%20b?q=%F0%9F%98%80#f"))
    full.colour = .green
    full.level = .high
    full.place = Place(
      city: "Øl\0", floor: -1,
      inner: Place.Inner(
        names: ["", "a", "\u{E9}"], depth: .max, ratio: .leastNonzeroMagnitude,
        when: Date(timeIntervalSinceReferenceDate: 0.1),
        token: full.uuid, bytes: Data([0, 255]), price: Samples.decimal("0.1"), link: full.url, map: ["": 0, "b": .min]),
      others: [Place.Inner(), Place.Inner(depth: 1 << 63, ratio: -0.0)])
    full.shape = .named("", .min)
    full.maybeBool = false
    full.maybeInt = 0
    full.maybeDouble = -0.0
    full.maybeString = ""
    full.maybeDate = .distantFuture
    full.maybeData = Data()
    full.maybeUUID = full.uuid
    full.maybeDecimal = Samples.decimal("-0.00000000000000000001")
    full.maybeURL = full.url
    full.maybeColour = Colour.none
    full.maybePlace = Place()
    full.bools = [true, false]
    full.ints = [.min, 0, .max]
    full.words = [0, .max]
    full.floats = [0.1, -0.0, .infinity]
    full.doubles = []
    full.strings = ["", "\0", "a"]
    full.dates = [.distantPast, Date(timeIntervalSinceReferenceDate: 0.1)]
    full.datas = [Data(), Data([0])]
    full.uuids = [full.uuid]
    full.decimals = [0, Samples.decimal("0.1"), .greatestFiniteMagnitude]
    full.urls = [full.url]
    full.colours = [.red, .none, .green]
    full.places = [Place(), full.place]
    var other = Everything(2)
    other.doubles = [0.1, .nan, -.infinity]
    other.strings = []
    other.shape = .circle(radius: 0.1)
    other.decimal = .leastNonzeroMagnitude
    other.int64 = .max
    other.date = Date(timeIntervalSinceReferenceDate: -.infinity)
    return [Everything(0), full, other]
  }

  private static func expectSame(_ actual: [Everything], _ expected: [Everything], _ about: String) throws {
    try expectEqual(actual.count, expected.count, about)
    for (actual, expected) in zip(actual, expected) {
      for (place, (left, right)) in zip(try actual.values(), try expected.values()).enumerated() {
        try expectEqual(left, right, "\(about), object \(expected.id), property \(place)")
      }
    }
  }

  static let all: [ConformanceCase] =
    Samples.orderedTypes.map { type in
      ConformanceCase("VAL.\(type.name)", ["VAL-1", "CRUD-1"], "Every value of \(type.name) comes back bit by bit.") {
        kit in
        try ColumnTable.inspect(kit, type) { view in
          let rows = try view.transaction.records.fetch(QueryTree(model: ColumnTable.name))
          let expected = view.rows.sorted { Reference.rank($0["id"] ?? .null, $1["id"] ?? .null) < 0 }
          for (row, expected) in zip(rows, expected) {
            for field in expected.fields { try expectEqual(row[field.name], field.value, "\(view.name) \(field.name)") }
          }
          try expectEqual(rows.count, expected.count)
        }
      }
    } + [
      ConformanceCase("VAL.everything", ["VAL-1", "VAL-3"], "A model of every kind of property comes back as it was.") {
        kit in
        let store = try kit.store(Everything.self)
        let samples = try samples()
        try store.insert(contentsOf: samples)
        try expectSame(try store.fetch(Everything.all), samples, "fetch")
        try expectSame(try samples.compactMap { try store.get(Everything.self, $0.id) }, samples, "get")
        try expectSame(try store.frozen(Everything.all).map { try $0.thawed() }, samples, "frozen")
        try expectSame(try store.page(Everything.all, size: 9).elements, samples, "page")
      },
      ConformanceCase("VAL.everything-updated", ["VAL-1", "CRUD-7"], "Every property is replaced by an update.") {
        kit in
        let store = try kit.store(Everything.self)
        let samples = try samples()
        try store.insert(contentsOf: samples)
        for (place, var sample) in samples.enumerated() {
          sample.id = (place + 1) % 3
          try store.update(sample)
        }
        for (place, var sample) in samples.enumerated() {
          sample.id = (place + 1) % 3
          try expectSame([try unwrap(store.get(Everything.self, sample.id))], [sample], "updated")
        }
      },
      ConformanceCase(
        "VAL.everything-reopened", ["VAL-1", "CRUD-1"], "A model of every kind comes back from a store opened again.",
        requiresPersistence: true
      ) { kit in
        let place = try kit.makePlace()
        let samples = try samples()
        let first = try kit.open([Everything.self], at: place)
        try first.insert(contentsOf: samples)
        try first.close()
        try expectSame(try kit.open([Everything.self], at: place).fetch(Everything.all), samples, "reopened")
      },
      ConformanceCase("VAL.decimal-nan", ["VAL-2", "STMT-1"], "A Decimal that is not a number is invalidValue.") {
        kit in
        let store = try kit.store(Figure.self)
        try store.insert(Figure(1, price: 1))
        try store.write { tx in
          try expectError(.invalidValue) { try tx.insert(Figure(2, price: .nan)) }
          try expectError(.invalidValue) { try tx.insert(contentsOf: [Figure(3), Figure(4, price: .nan)]) }
          try expectError(.invalidValue) { try tx.update(Figure.self, 1) { $0.price = .nan } }
          try expectError(.invalidValue) { try tx.upsert(Figure(1, price: .nan)) }
          try expectError(.invalidValue) { try tx.assign(Figure.all) { $0.price = Decimal.nan } }
        }
        try expectEqual(try store.keys(Figure.all), [1])
        try expectEqual(try store.get(Figure.self, 1)?.price, 1)
      },
      ConformanceCase(
        "VAL.unknown-raw-value", ["VAL-4"], "A raw value that the enum has not is invalidValue when read."
      ) {
        kit in
        let store = try kit.store(Everything.self)
        let samples = try samples()
        try store.insert(contentsOf: samples)
        try store.write { tx in
          let isOne = PredicateTree.compare(.named("id"), .equal, .value(.int(1)))
          try tx.records.assign(
            QueryTree(model: "Everything", predicate: isOne), [.init("colour", .set, .string("blue"))])
        }
        let error = try expectError(.invalidValue) { try store.get(Everything.self, 1) }
        try expectEqual(error.model, "Everything")
        try expectEqual(error.property, "colour")
        try expectError(.invalidValue) { try store.fetch(Everything.all) }
        try expectSame(try store.fetch(Everything.where { $0.id != 1 }), [samples[0], samples[2]], "others")
        try expectEqual(try store.count(Everything.all), 3)
        try expectEqual(try store.keys(Everything.all), [0, 1, 2])
      },
      ConformanceCase("VAL.large", ["VAL-1"], "Texts and data of a megabyte come back.") { kit in
        let store = try kit.store(Everything.self)
        var large = Everything(1)
        large.string = String(repeating: "\u{E9}\0", count: 400_000)
        large.data = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 * 31) })
        large.ints = Array(0..<20_000)
        try store.insert(large)
        try expectSame(try store.fetch(Everything.all), [large], "large")
        try expectEqual(try store.count(Everything.where { $0.string == large.string }), 1)
      },
      ConformanceCase(
        "VAL.converted", ["VAL-1", "STMT-1"], "Records convert exactly, or are invalidValue and not stored."
      ) {
        kit in
        let store = try kit.store(Figure.self)
        try store.write { tx in
          try tx.records.insert(
            into: "Figure", [Record(["id": .double(1), "value": .int(2), "price": .int(3), "small": .int(4)])])
          for field: (String, Value) in [
            ("small", .int(128)), ("number", .double(1.5)), ("unsigned", .int(-1)), ("value", .int(1 << 53 + 1)),
            ("group", .int(1)), ("value", .string("1")),
          ] {
            try expectError(.invalidValue, "\(field)") {
              try tx.records.insert(into: "Figure", [Record([("id", .int(9)), ("small", .int(0)), field])])
            }
          }
          try expectError(.missingValue) { try tx.records.insert(into: "Figure", [Record(["id": .int(9)])]) }
          try expectError(.invalidQuery) {
            try tx.records.insert(into: "Figure", [Record(["id": .int(9), "no": .null])])
          }
        }
        let figure = try unwrap(try store.fetch(Figure.all).first)
        try expectEqual(try store.count(Figure.all), 1)
        try expect(figure.id == 1 && figure.value == 2 && figure.price == 3 && figure.small == 4)
      },
    ]
}
