import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// What two stores differ in.
enum DifferenceCases {
  private static func difference(
    _ name: String, _ summary: String, without: Set<ConformanceVariant> = [],
    _ body: @escaping @Sendable (MovingStore) async throws -> Void
  ) -> ConformanceCase {
    ConformanceCase("MOVE.diff-\(name)", ["MOVE-5"], summary, without: without) { kit in
      try await body(MovingStore(kit: kit))
    }
  }

  static let all: [ConformanceCase] = objects + declarations + calls

  private static let book = ModelSchema.migrating("Book", .string("title"), .int("year", isOptional: true))

  private static func rows(_ numbers: some Sequence<Int>) -> [Record] {
    numbers.map { Record(["id": .int(Int64($0)), "title": .string("t\($0)"), "year": .int(Int64($0))]) }
  }

  private static func lines(_ first: some ReadableStore, _ second: some ReadableStore) throws -> [String] {
    try first.differences(from: second).map(\.description)
  }

  // MARK: Objects

  private static let objects: [ConformanceCase] = [
    difference("none", "Stores with the same have no difference, however they came about.") { moving in
      let first = try moving.store([book, MovingSamples.every], ["Book": rows(0..<50), "Every": MovingSamples.rows])
      let second = try moving.store([MovingSamples.every, book], ["Book": rows((0..<50).reversed())])
      for row in MovingSamples.rows.reversed() { try second.records.insert(into: "Every", [row]) }
      try second.records.insert(into: "Book", rows([99]))
      try second.records.delete(in: "Book", keys: [.int(99)])
      try expectEqual(try lines(first, second), [])
      try expectEqual(try lines(second, first), [])
      try expectEqual(try lines(first, first), [])
    },
    difference("objects", "Objects of one store alone, and objects with other values, come in the order of keys.") {
      moving in
      let first = try moving.store([book], ["Book": rows([1, 2, 4, 5, 9])])
      let second = try moving.store([book], ["Book": rows([2, 3, 5, 7, 8, 9])])
      try second.write { tx in
        _ = try tx.records.assign(
          QueryTree(model: "Book", predicate: PredicateParser.parse("id == 5")),
          [AssignmentTree("title", .set, .string("five"))])
      }
      try expectEqual(
        try lines(first, second),
        ["- Book 1", "+ Book 3", "- Book 4", "! Book 5: title 't5' → 'five'", "+ Book 7", "+ Book 8"])
      try expectEqual(
        try lines(second, first),
        ["+ Book 1", "- Book 3", "+ Book 4", "! Book 5: title 'five' → 't5'", "- Book 7", "- Book 8"])
    },
    difference("values", "An object has each property that differs, with both values.") { moving in
      let first = try moving.store([book], ["Book": rows([1])])
      let second = try moving.store(
        [book], ["Book": [Record(["id": .int(1), "title": .string("T1"), "year": .null])]])
      let difference = try unwrap(try first.differences(from: second).first)
      try expectEqual(difference.subject, .object(model: "Book", key: .int(1)))
      try expectEqual(
        difference.content,
        .values([
          .init(name: "title", first: .string("t1"), second: .string("T1")),
          .init(name: "year", first: .int(1), second: .null),
        ]))
    },
    difference("bits", "Values that differ in a bit differ: zeros, NaNs, texts that look the same.") { moving in
      let pairs: [(PropertyType, Value, Value)] = [
        (.double, .double(0), .double(-0.0)),
        (.double, .double(.nan), .double(Double(bitPattern: 0x7ff8_0000_0000_0001))),
        (.float, .float(0), .float(-0.0)), (.string, .string("é"), .string("e\u{301}")), (.string, .string(""), .null),
        (.data, .data(Data()), .null),
        (.date, .date(Date(timeIntervalSinceReferenceDate: 0)), .date(Date(timeIntervalSinceReferenceDate: -0.0))),
        (.nested, .array([.int(1)]), .array([.double(1)])), (.nested, .object(unordered: []), .null),
      ]
      for (number, (type, left, right)) in pairs.enumerated() {
        let model = ModelSchema.migrating("M", PropertySchema(name: "v", type: type, isOptional: true))
        let first = try moving.store([model], ["M": [Record(["id": .int(1), "v": left])]])
        let second = try moving.store([model], ["M": [Record(["id": .int(1), "v": right])]])
        try expectEqual(
          try first.differences(from: second),
          [
            StoreDifference(
              subject: .object(model: "M", key: .int(1)),
              content: .values([.init(name: "v", first: left, second: right)]))
          ], "pair \(number)")
      }
    },
    difference("random", "Random changes are the differences, each once and in order.") { moving in
      var random = moving.kit.random(0xD1FF)
      let model = ModelSchema.migrating("M", .int("a", isOptional: true), .string("b"), key: .string)
      func row(_ key: Int, _ a: Int) -> Record {
        Record(["id": .string("k\(key)"), "a": a % 5 == 0 ? .null : .int(Int64(a)), "b": .string("b\(a % 3)")])
      }
      for _ in 0..<8 {
        var (left, right): ([Int: Int], [Int: Int]) = ([:], [:])
        for key in 0..<60 {
          let value = Int.random(in: 0..<30, using: &random)
          switch Int.random(in: 0..<6, using: &random) {
          case 0: left[key] = value
          case 1: right[key] = value
          case 2: (left[key], right[key]) = (value, Int.random(in: 0..<30, using: &random))
          default: (left[key], right[key]) = (value, value)
          }
        }
        let first = try moving.store([model], ["M": left.map { row($0.key, $0.value) }])
        let second = try moving.store([model], ["M": right.map { row($0.key, $0.value) }])
        var expected: [StoreDifference] = []
        for key in (0..<60).sorted(by: { "k\($0)" < "k\($1)" }) {
          let subject = StoreDifference.Subject.object(model: "M", key: .string("k\(key)"))
          switch (left[key].map { row(key, $0) }, right[key].map { row(key, $0) }) {
          case (nil, nil): break
          case (.some, nil): expected.append(StoreDifference(subject: subject, content: .onlyIn(.first)))
          case (nil, .some): expected.append(StoreDifference(subject: subject, content: .onlyIn(.second)))
          case (let a?, let b?):
            let changed = ["a", "b"].compactMap { name -> StoreDifference.PropertyDifference? in
              guard let mine = a[name], let other = b[name], mine != other else { return nil }
              return .init(name: name, first: mine, second: other)
            }
            if !changed.isEmpty { expected.append(StoreDifference(subject: subject, content: .values(changed))) }
          }
        }
        try expectEqual(try first.differences(from: second), expected)
      }
    },
    difference("aged", "Objects of before a property was added are those that have its default.") { moving in
      let first = try moving.store(
        [.migrating("Book", .string("title"))], ["Book": [Record(["id": .int(1), "title": .string("t")])]])
      try first.write { tx in
        let model = try tx.model(named: "Book")
        try tx.apply(.addProperty(model.id, PropertySchema(name: "year", type: .int64, defaultValue: .int(7))))
      }
      let same = ModelSchema.migrating(
        "Book", .string("title"), PropertySchema(name: "year", type: .int64, defaultValue: .int(7)))
      let second = try moving.store(
        [same], ["Book": [Record(["id": .int(1), "title": .string("t"), "year": .int(7)])]])
      try expectEqual(try lines(first, second), [])
      let third = try moving.store([same], ["Book": [Record(["id": .int(1), "title": .string("t"), "year": .int(8)])]])
      try expectEqual(try lines(first, third), ["! Book 1: year 7 → 8"])
    },
  ]

  // MARK: Declarations

  private static let declarations: [ConformanceCase] = [
    difference("models", "Models of one store alone are told, and not their objects.") { moving in
      let first = try moving.store([book, .migrating("Mine")], ["Mine": [Record(["id": .int(1)])]])
      let second = try moving.store([.migrating("Other"), book], ["Other": [Record(["id": .int(1)])]])
      try expectEqual(try lines(first, second), ["- model Mine", "+ model Other"])
    },
    difference("properties", "Properties that are not the same are told, and the objects compared in the others.") {
      moving in
      let first = try moving.store(
        [
          .migrating(
            "M", .string("a"), .int("b"), .int("c"), PropertySchema(name: "d", type: .int64, defaultValue: .int(1)))
        ],
        ["M": [Record(["id": .int(1), "a": .string("x"), "b": .int(2), "c": .int(3)])]])
      let second = try moving.store(
        [
          .migrating(
            "M", PropertySchema(name: "d", type: .int64, defaultValue: .int(2)), .string("e", isOptional: true),
            .int("b", isOptional: true), .string("c"))
        ], ["M": [Record(["id": .int(1), "b": .int(5), "c": .string("3"), "d": .int(1)])]])
      try expectEqual(
        try lines(first, second),
        [
          "- property M.a", "! property M.b: int64 → int64?", "! property M.c: int64 → string",
          "! property M.d: int64 = 1 → int64 = 2", "+ property M.e", "! M 1: b 2 → 5",
        ])
    },
    difference("order", "The order of properties, models and indexes is no difference.") { moving in
      let first = try moving.store(
        [
          .migrating(
            "M", .int("a"), .int("b"),
            indexes: [
              IndexSchema(name: "x", columns: [.init(slot: 1)]), IndexSchema(name: "y", columns: [.init(slot: 2)]),
            ])
        ],
        ["M": [Record(["id": .int(1), "a": .int(2), "b": .int(3)])]])
      let second = try moving.store(
        [
          .migrating(
            "M", .int("b"), .int("a"),
            indexes: [
              IndexSchema(name: "y", columns: [.init(slot: 1)]), IndexSchema(name: "x", columns: [.init(slot: 2)]),
            ])
        ],
        ["M": [Record(["id": .int(1), "a": .int(2), "b": .int(3)])]])
      try expectEqual(try lines(first, second), [])
    },
    difference("indexes", "Indexes that are not the same are told.") { moving in
      func model(_ indexes: IndexSchema...) -> ModelSchema { .migrating("M", .int("a"), .int("b"), indexes: indexes) }
      let first = try moving.store([
        model(
          IndexSchema(name: "mine", columns: [.init(slot: 1)]), IndexSchema(name: "x", columns: [.init(slot: 1)]),
          IndexSchema(name: "y", columns: [.init(slot: 2)]))
      ])
      let second = try moving.store([
        model(
          IndexSchema(name: "other", columns: [.init(slot: 1)]),
          IndexSchema(name: "x", columns: [.init(slot: 1, isDescending: true), .init(slot: 2)]),
          IndexSchema(name: "y", columns: [.init(slot: 2)], isUnique: true))
      ])
      try expectEqual(
        try lines(first, second),
        ["- index M.mine", "+ index M.other", "! index M.x: a → -a, b", "! index M.y: b → unique b"])
    },
    difference("keys", "Models with other primary keys are told, and their objects not compared.") { moving in
      let first = try moving.store([.migrating("M", .int("n"))], ["M": [Record(["id": .int(1), "n": .int(2)])]])
      var other = ModelSchema.migrating("M", .int("n"))
      other.primaryKey = 1
      let second = try moving.store([other], ["M": [Record(["id": .int(1), "n": .int(2)])]])
      try expectEqual(try lines(first, second), ["! primary key of M: id → n"])
      let third = try moving.store(
        [.migrating("M", .int("n"), key: .string)], ["M": [Record(["id": .string("1"), "n": .int(2)])]])
      try expectEqual(try lines(first, third), ["! property M.id: int64 → string"])
    },
    difference("key-types", "Objects whose keys have different types are not compared, whatever else they have.") {
      moving in
      func store(_ type: PropertyType, _ rows: [(Value, Int64)]) throws -> Store {
        try moving.store(
          [.migrating("M", .int("n"), .string("text", isOptional: true), key: type)],
          ["M": rows.map { Record(["id": $0, "n": .int($1)]) }])
      }
      let first = try store(.int64, [(.int(1), 10), (.int(2), 20)])
      let second = try store(.string, [(.string("1"), 11), (.string("3"), 20), (.string("4"), 40)])
      try expectEqual(try lines(first, second), ["! property M.id: int64 → string"])
      try expectEqual(try lines(second, first), ["! property M.id: string → int64"])
      // Numbers of two types are not the same either.
      let third = try store(.int32, [(.int(1), 11)])
      try expectEqual(try lines(first, third), ["! property M.id: int64 → int32"])
    },
    difference("element-types", "Arrays whose elements have different types are told, and not compared.") { moving in
      func store(_ element: PropertyType, _ value: Value, _ n: Int64) throws -> Store {
        try moving.store(
          [.migrating("M", PropertySchema(name: "list", type: .array, elementType: element), .int("n"))],
          ["M": [Record(["id": .int(1), "list": value, "n": .int(n)])]])
      }
      let first = try store(.int64, .array([.int(1), .int(2)]), 5)
      let second = try store(.string, .array([.string("1")]), 5)
      try expectEqual(try lines(first, second).count, 1)
      try expectEqual(
        try first.differences(from: second).map(\.subject), [.property(model: "M", name: "list")])
      // What else the object has is compared.
      let third = try store(.int32, .array([.int(1), .int(2)]), 6)
      try expectEqual(
        try first.differences(from: third).map(\.subject),
        [.property(model: "M", name: "list"), .object(model: "M", key: .int(1))])
      try expectEqual(try lines(first, third).last, "! M 1: n 5 → 6")
    },
    difference("version", "Another version of the models is told first.") { moving in
      let first = try moving.store([book], version: 2)
      let second = try moving.store([book, .migrating("Z")])
      try expectEqual(try lines(first, second), ["! version: 2 → 0", "+ model Z"])
    },
  ]

  // MARK: The calls

  private static let calls: [ConformanceCase] = [
    difference("limit", "A limit ends the list, and so does the body.") { moving in
      let first = try moving.store([book], ["Book": rows(0..<20)])
      let second = try moving.store([book])
      try expectEqual(
        try first.differences(from: second, limit: 3).map(\.description), ["- Book 0", "- Book 1", "- Book 2"])
      try expectEqual(try first.differences(from: second, limit: 0), [])
      var told = 0
      try first.forEachDifference(from: second) { _ in
        told += 1
        return told < 5
      }
      try expectEqual(told, 5)
      struct Ends: Error {}
      try expectThrows(Ends.self) { try first.forEachDifference(from: second) { _ in throw Ends() } }
      try expectEqual(try first.records.fetch(in: "Book").count, 20)
    },
    ConformanceCase(
      "MOVE.diff-frozen", ["MOVE-5", "SNAP-1"], "Two states of one store are compared, frozen or not.",
      needs: [.snapshots]
    ) { kit in
      let moving = MovingStore(kit: kit)
      let store = try moving.store([book], ["Book": rows(0..<5)])
      let before = try store.freeze()
      try store.records.delete(in: "Book", keys: [.int(2)])
      try store.records.insert(into: "Book", rows([7]))
      try expectEqual(try lines(before, store), ["- Book 2", "+ Book 7"])
      try expectEqual(try lines(store, before), ["+ Book 2", "- Book 7"])
      try expectEqual(try lines(before, try store.freeze()), ["- Book 2", "+ Book 7"])
    },
    difference("inside", "Inside a write its own state is compared.", without: [.insideTransaction]) { moving in
      let first = try moving.store([book], ["Book": rows(0..<3)])
      let second = try moving.store([book], ["Book": rows(0..<3)])
      try first.write { tx in
        try tx.records.insert(into: "Book", rows([9]))
        try expectEqual(try lines(first, second), ["- Book 9"])
        try expectEqual(try lines(second, first), ["+ Book 9"])
      }
    },
    difference("closed", "A store that was closed is not compared.") { moving in
      let first = try moving.store([book])
      let second = try moving.store([book])
      try second.close()
      try expectError(.closed) { try first.differences(from: second) }
      try expectError(.closed) { try second.differences(from: first) }
    },
    difference("async", "The asynchronous form finds the same.") { moving in
      let first = try moving.store([book], ["Book": rows(0..<5)])
      let second = try moving.store([book], ["Book": rows(1..<6)])
      let found = try await first.differences(from: second)
      try expectEqual(found.map(\.description), ["- Book 0", "+ Book 5"])
    },
  ]
}
