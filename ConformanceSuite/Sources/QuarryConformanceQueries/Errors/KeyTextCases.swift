import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// The key of an error has the one text that docs/formats/key.md gives, whatever the engine, the call and the key.
enum KeyTextCases {
  private static func date(_ seconds: Double) -> Value { .date(Date(timeIntervalSinceReferenceDate: seconds)) }

  private static func wide(_ text: String) -> (value: Value, text: String) { (.decimal(Samples.decimal(text)), text) }

  /// Keys of each type with their texts, written down here and not made by a formatter.
  static let texts: [(type: PropertyType, keys: [(value: Value, text: String)])] = [
    (.bool, [(.bool(false), "false"), (.bool(true), "true")]),
    (.int8, [(.int(-128), "-128"), (.int(127), "127")]),
    (.int16, [(.int(-32_768), "-32768"), (.int(0), "0")]),
    (.int32, [(.int(-2_147_483_648), "-2147483648"), (.int(1), "1")]),
    (.int64, [(.int(.min), "-9223372036854775808"), (.int(.max), "9223372036854775807")]),
    (.uint8, [(.int(255), "255")]),
    (.uint16, [(.int(65_535), "65535")]),
    (.uint32, [(.int(4_294_967_295), "4294967295")]),
    (.uint64, [(.uint(.max), "18446744073709551615"), (.int(7), "7")]),
    (
      .float,
      [
        (.float(0), "0.0"), (.float(1.5), "1.5"), (.float(0.1), "0.1"), (.float(.infinity), "Infinity"),
        (.float(-.infinity), "-Infinity"), (.float(.nan), "NaN"), (.float(.leastNonzeroMagnitude), "1e-45"),
        (.float(.greatestFiniteMagnitude), "3.4028235e+38"),
      ]
    ),
    (
      .double,
      [
        (.double(-0.0), "0.0"), (.double(-2.5), "-2.5"), (.double(0.1), "0.1"), (.double(.infinity), "Infinity"),
        (.double(-.infinity), "-Infinity"), (.double(-.nan), "NaN"), (.double(.leastNonzeroMagnitude), "5e-324"),
        (.double(.greatestFiniteMagnitude), "1.7976931348623157e+308"),
      ]
    ),
    (
      .string,
      [
        (.string(""), ""), (.string("a b'\"\\"), "a b'\"\\"), (.string("\0"), "\0"), (.string("e\u{301}"), "e\u{301}"),
        (.string("\u{E9}"), "\u{E9}"), (.string("🦆"), "🦆"),
      ]
    ),
    (
      .date,
      [
        (date(-0.0), "2001-01-01T00:00:00Z"), (date(0.1), "2001-01-01T00:00:00.1Z"),
        (date(-0.25), "2000-12-31T23:59:59.75Z"), (date(725_846_400.123456), "2024-01-02T00:00:00.123456Z"),
        (date(725_846_400.1234561), "2024-01-02T00:00:00.1234561Z"), (date(-63_113_904_000), "0001-01-01T00:00:00Z"),
        (.date(.distantPast), "0000-12-30T00:00:00Z"),
        (.date(.distantFuture), "4001-01-01T00:00:00Z"), (date(252_423_993_599), "9999-12-31T23:59:59Z"),
        (date(252_423_993_600), "@252423993600.0"), (date(-63_145_526_400), "0000-01-01T00:00:00Z"),
        (date(1e300), "@1e+300"), (date(-1e300), "@-1e+300"), (date(.infinity), "@inf"), (date(-.infinity), "@-inf"),
        (date(-.nan), "@nan"),
      ]
    ),
    (
      .data,
      [
        (.data(Data()), ""), (.data(Data([0])), "AA=="), (.data(Data([0, 255])), "AP8="),
        (.data(Data([1, 2, 3])), "AQID"),
      ]
    ),
    (
      .uuid,
      [
        (
          .uuid(UUID(uuid: (0xAB, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))),
          "AB000000-0000-0000-0000-000000000001"
        )
      ]
    ),
    (
      .decimal,
      [
        (.decimal(0), "0"), (.decimal(Decimal(sign: .minus, exponent: -1, significand: 125)), "-12.5"),
        (.decimal(Decimal(sign: .plus, exponent: -3, significand: 1500)), "1.5"),
        (.decimal(Decimal(sign: .plus, exponent: 60, significand: 15)), "1.5E+61"),
        (.decimal(Decimal(sign: .plus, exponent: -120, significand: 1)), "1E-120"),
        // All digits that there are, and the numbers next to them that have one digit less.
        wide("340282366920938463463374607431768211455"), wide("-34028236692093846346337460743176821146"),
        wide("3402823669209384634633746074317682114.6"), wide("-340282366920938463463374607431768211.45"),
      ]
    ),
    (
      .url,
      [
        (.url(URL(filePath: "/")), "file:///"),
        (.url(URL(string: "https://example.org/%C3%A9?q#f") ?? URL(filePath: "/")), "https://example.org/%C3%A9?q#f"),
      ]
    ),
  ]

  static let all: [ConformanceCase] =
    texts.map { told($0.type, $0.keys) } + [
      ConformanceCase(
        "ERR.key-text.types", ["ERR-4"], "There is a text for the keys of each type that a key can have."
      ) { _ in
        try expectEqual(Set(texts.map(\.type)), Set(Samples.orderedTypes))
      },
      typed,
    ]

  private static func told(_ type: PropertyType, _ keys: [(value: Value, text: String)]) -> ConformanceCase {
    ConformanceCase(
      "ERR.key-text.\(type.name)", ["ERR-4", "ERR-2"],
      "An error about a \(type.name) as key has its one text, however the error came about.",
      without: ConformanceVariant.ofReads
    ) { kit in
      let model = ModelSchema(
        name: "Keyed",
        properties: [
          PropertySchema(name: "key", type: type), PropertySchema(name: "code", type: .int64),
          PropertySchema(name: "small", type: .int8),
        ], primaryKey: 0, indexes: [IndexSchema(name: "code", columns: [.init(slot: 1)], isUnique: true)])
      func row(_ key: Value, _ code: Int, _ small: Int64 = 127) -> Record {
        Record(["key": key, "code": .int(Int64(code)), "small": .int(small)])
      }
      for (value, text) in keys {
        let store = try kit.store(making: [model])
        try store.write { tx in
          // Another row whose code is taken.
          let other = try unwrap(Samples.distinct(type).first { ValueOrder.compare($0, value) != 0 })
          try tx.records.insert(into: "Keyed", [row(other, 1, 0)])
          let violation = try expectError(.uniqueViolation) { try tx.records.insert(into: "Keyed", [row(value, 1)]) }
          try expectEqual(violation.key, text, "uniqueViolation")
          try tx.records.insert(into: "Keyed", [row(value, 2)])
          let one = try expectError(.duplicateKey) { try tx.records.insert(into: "Keyed", [row(value, 3)]) }
          try expectEqual(one.key, text, "duplicateKey")
          let many = try expectError(.duplicateKey) {
            try tx.records.insert(into: "Keyed", [row(value, 4), row(value, 5)])
          }
          try expectEqual(many.key, text, "duplicateKey of several")
          let upserted = try expectError(.uniqueViolation) { try tx.records.upsert(into: "Keyed", [row(value, 1)]) }
          try expectEqual(upserted.key, text, "upsert")
          let overflow = try expectError(.invalidValue) {
            try tx.records.assign(QueryTree(model: "Keyed"), [.init("small", .add, .int(1))])
          }
          try expectEqual(overflow.key, text, "a result that does not fit")
          try expectEqual(try tx.records.count(QueryTree(model: "Keyed")), 2)
        }
      }
    }
  }

  private static let typed = ConformanceCase(
    "ERR.key-text.calls", ["ERR-4", "ERR-1"], "Dates without a calendar are keys of errors of every call.",
    without: ConformanceVariant.ofReads
  ) { kit in
    let store = try kit.store(Dated.self)
    for (seconds, text) in [
      (1e300, "@1e+300"), (-.infinity, "@-inf"), (.nan, "@nan"), (0.5, "2001-01-01T00:00:00.5Z"),
    ] as [(Double, String)] {
      let missing = Dated(seconds, 1)
      for error in [
        try expectError(.notFound) { try store.update(missing) },
        try expectError(.notFound) { try store.update(Dated.self, missing.day) { $0.number = 2 } },
        try expectError(.notFound) { try store.update(missing, ifUnchangedFrom: missing) },
        try expectError(.notFound) { try store.assign(Dated.self, missing.day) { $0.number += 1 } },
        try expectError(.notFound) { try store.assign(Dated.self, missing.day) { $0.number = 1 } },
      ] { try expectEqual(error.key, text) }
      try store.insert(missing)
      for error in [
        try expectError(.duplicateKey) { try store.insert(missing) },
        try expectError(.conflict) { try store.update(missing, ifUnchangedFrom: Dated(seconds, 2)) },
        try expectError(.invalidValue) {
          try store.assign(Dated.self, missing.day) { $0.number *= Int.max }
          try store.assign(Dated.self, missing.day) { $0.number += Int.max }
        },
      ] { try expectEqual(error.key, text) }
    }
  }
}

/// A model with a date as its key.
private struct Dated: Model {
  var day: Date
  var number: Int

  static let modelDefinition = ModelDefinition<Dated>(
    name: "Dated",
    properties: [
      PropertyDefinition("day", \Dated.day, Date.self), PropertyDefinition("number", \Dated.number, Int.self),
    ],
    primaryKey: "day")

  struct Columns: ModelColumns {
    let day = Column<Date>("day", 0)
    var number = Column<Int>("number", 1)
  }

  var primaryKeyValue: Date { day }

  init(_ seconds: Double, _ number: Int) {
    day = Date(timeIntervalSinceReferenceDate: seconds)
    self.number = number
  }

  init(reading row: ModelReader) throws(StorageError) {
    day = try row.get(0)
    number = try row.get(1)
  }

  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, day)
    try row.set(1, number)
  }
}
