import Foundation
import QuarryBackend
import QuarrySQL
import QuarryTestSupport
import Testing

@testable import QuarrySQLite

/// Predicates decided by SQLite against the common evaluator on the same rows.
@Suite struct PredicateTests {
  static let seed: UInt64 = 20_261_120

  /// Values of each ordered property that are near each other, so that comparisons meet.
  static let pools: [String: [Value]] = [
    "flag": [.bool(false), .bool(true)],
    "i8": [.int(-128), .int(-1), .int(0), .int(1), .int(127)],
    "i16": [.int(-1), .int(0), .int(300)],
    "i32": [.int(-1), .int(0), .int(1)],
    "i64": [.int(.min), .int(-1), .int(0), .int(1), .int(.max)],
    "u8": [.int(0), .int(1), .int(255)],
    "u16": [.int(0), .int(1)],
    "u32": [.int(0), .int(1)],
    "u64": [.int(0), .int(1), .int(.max), .uint(UInt64(Int64.max) + 1), .uint(.max)],
    "f": [.float(-.infinity), .float(-0.0), .float(0), .float(1.5), .float(.infinity), .float(.nan)],
    "d": [
      .double(-.infinity), .double(-1), .double(-0.0), .double(0), .double(1.5), .double(.infinity), .double(.nan),
      .double(Double(bitPattern: 0xFFF8_0000_0000_0001)),
    ],
    "s": [
      .string(""), .string("a"), .string("ab"), .string("a\0"), .string("a\0b"), .string("b"), .string("e\u{301}"),
      .string("\u{e9}"), .string("%"), .string("_b"), .string("aba"), .string("\u{10FFFF}"), .string("🙂a"),
    ],
    "when": [
      .date(.distantPast), .date(Date(timeIntervalSinceReferenceDate: 0)),
      .date(Date(timeIntervalSinceReferenceDate: .nan)), .date(.distantFuture),
    ],
    "bytes": [.data(Data()), .data(Data([0])), .data(Data([0, 1])), .data(Data([255]))],
    "uuid": [
      .uuid(UUID(uuidString: "00000000-0000-0000-0000-000000000001")!),
      .uuid(UUID(uuidString: "A0000000-0000-0000-0000-000000000001")!),
    ],
    "price": [
      .decimal(-10), .decimal(Decimal(string: "-0.5")!), .decimal(0), .decimal(Decimal(string: "0.50")!),
      .decimal(9), .decimal(10), .decimal(Decimal(string: "1e60")!),
    ],
    "link": [.url(URL(string: "https://a.org/")!), .url(URL(string: "b")!)],
  ]

  struct Generator {
    var random: SeededGenerator
    let schema: ModelSchema

    mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &random)] }

    mutating func row(_ id: Int) -> [Value] {
      schema.properties.map { property in
        if property.name == "id" { return .int(Int64(id)) }
        guard let pool = PredicateTests.pools[property.name], Int.random(in: 0..<5, using: &random) > 0 else {
          return property.name == "tags" && Bool.random(using: &random) ? .array([.string("a")]) : .null
        }
        return pick(pool)
      }
    }

    mutating func slot(_ names: [String]? = nil) -> (Int, [Value]) {
      let name = pick(names ?? PredicateTests.pools.keys.sorted())
      return (schema.slot(named: name)!, PredicateTests.pools[name]!)
    }

    mutating func predicate(_ depth: Int) -> BoundPredicate {
      switch Int.random(in: 0..<(depth > 0 ? 13 : 9), using: &random) {
      case 0: return .isNull(slot: slot().0)
      case 1, 2, 3:
        let (slot, pool) = slot()
        return .compare(slot: slot, pick(Comparison.allCases), pick(pool))
      case 4:
        let (slot, pool) = slot()
        var values = pool.filter { _ in Bool.random(using: &random) }
        values.sort { ValueOrder.compare($0, $1) < 0 }
        return .oneOf(slot: slot, values)
      case 5, 6:
        let (slot, _) = slot(["s", "link"])
        let needle: String = pick(["", "a", "b", "\0", "a\0", "ab", "e", "\u{301}", "\u{e9}", "%", "_", "🙂", "https"])
        return .text(slot: slot, pick([.equal, .contains, .hasPrefix, .hasSuffix]), needle, [])
      case 7:
        let names = pick([
          ["i64", "u64"], ["i8", "u8"], ["d", "d"], ["f", "f"], ["s", "s"], ["i32", "i32"], ["d", "f"],
        ])
        return .compareSlots(slot([names[0]]).0, pick(Comparison.allCases), slot([names[1]]).0)
      case 8:
        let (first, pool) = slot()
        let descending = Bool.random(using: &random)
        let value: Value = Int.random(in: 0..<4, using: &random) == 0 ? .null : pick(pool)
        let last = Bool.random(using: &random)
        return .after(
          [BoundSortKey(slot: first, isDescending: descending), BoundSortKey(slot: 0, isDescending: last)],
          [value, .int(Int64.random(in: 0..<200, using: &random))])
      case 9: return .not(predicate(depth - 1))
      case 10, 11: return .and((0..<Int.random(in: 1...3, using: &random)).map { _ in predicate(depth - 1) })
      default: return .or((0..<Int.random(in: 1...3, using: &random)).map { _ in predicate(depth - 1) })
      }
    }
  }

  private func filled(_ count: Int) throws -> (TestStore, [Row], Generator) {
    let store = try TestStore(TestModel.everything)
    var generator = Generator(random: SeededGenerator(seed: Self.seed), schema: store.schema)
    let rows = (0..<count).map { generator.row($0) }
    try store.insert(rows)
    return (store, try rows.map { try store.row($0) }, generator)
  }

  /// The keys of the rows that the evaluator takes.
  private func expected(_ predicate: BoundPredicate, _ rows: [Row], _ store: TestStore) throws -> [Value] {
    let compiled = try CompiledPredicate(predicate, store.layout)
    var keys: [Value] = []
    for row in rows {
      try row.bytes.withUnsafeBytes { bytes in
        guard try compiled.matches(bytes) else { return }
        keys.append(try RowView(bytes, store.layout).value(store.layout.slots[0], store.layout))
      }
    }
    return keys
  }

  private static func state(of model: ModelSchema) throws -> SQLiteSchemaState {
    var schema = Schema()
    schema.models = [model]
    return try SQLiteSchemaState(schema)
  }

  @Test func everyPushedPredicateAgreesWithTheEvaluator() throws {
    let (store, rows, start) = try filled(200)
    var generator = start
    let table = try SQLiteTable(store.schema)
    let state = try Self.state(of: store.schema)
    var pushed = 0
    let transaction = try store.backend.beginRead()
    defer { transaction.end() }
    for number in 0..<2_000 {
      let predicate = generator.predicate(3)
      let expected = try expected(predicate, rows, store)
      let query = store.query(predicate)
      let found = try TestStore.fetch(transaction, query, store.layout).map { $0[0] }
      guard found == expected else {
        Issue.record(
          "seed \(Self.seed), predicate \(number): \(predicate), found \(found.count), expected \(expected.count)")
        return
      }
      guard try transaction.count(query) == expected.count else {
        Issue.record("count, seed \(Self.seed), predicate \(number): \(predicate)")
        return
      }
      if try SQLSelection(predicate, table, in: state).residual.isEmpty { pushed += 1 }
    }
    // What is compared is SQLite's answer, not the evaluator with itself.
    #expect(pushed > 1_500)
  }

  @Test func whatIsLeftToTheEvaluatorKeepsLimitAndOffset() throws {
    let (store, rows, _) = try filled(200)
    let slot = try #require(store.schema.slot(named: "s"))
    let predicate = BoundPredicate.and([
      .text(slot: slot, .contains, "A", .caseInsensitive), .compare(slot: 0, .greater, .int(20)),
    ])
    let all = try expected(predicate, rows, store)
    #expect(all.count > 8)
    for (limit, offset) in [(3, 2), (0, 0), (1000, all.count - 1), (5, 1000)] {
      let query = store.query(predicate, limit: limit, offset: offset)
      let wanted = Array(all.dropFirst(offset).prefix(limit))
      #expect(try store.fetch(query).map { $0[0] } == wanted)
      #expect(try store.read { try $0.count(query) } == wanted.count)
    }
  }

  @Test func orderIsThatOfValues() throws {
    let (store, rows, _) = try filled(200)
    for name in Self.pools.keys.sorted() {
      let slot = try #require(store.schema.slot(named: name))
      for isDescending in [false, true] {
        let order = [
          BoundSortKey(slot: slot, isDescending: isDescending), BoundSortKey(slot: 0, isDescending: isDescending),
        ]
        let found = try store.fetch(store.query(order: order)).map { $0[0] }
        let sorted = try rows.map { try store.values($0) }.sorted { left, right in
          let first = ValueOrder.compare(left[slot], right[slot])
          let result = first != 0 ? first : ValueOrder.compare(left[0], right[0])
          return isDescending ? result > 0 : result < 0
        }
        #expect(found == sorted.map { $0[0] }, "\(name)")
      }
    }
  }

  @Test func longListsGoThroughATemporaryTable() throws {
    let (store, rows, _) = try filled(200)
    let values = (0..<40_000).map { Value.int(Int64($0 * 3)) }
    let even = BoundPredicate.oneOf(slot: 0, values)
    let others = (0..<1_000).map { Value.string("x\($0)") } + [.string("a")]
    let text = BoundPredicate.oneOf(slot: try #require(store.schema.slot(named: "s")), others)
    for predicate in [even, .not(even), .and([even, text]), .or([.not(text), even])] {
      #expect(try store.fetch(store.query(predicate)).map { $0[0] } == (try expected(predicate, rows, store)))
      #expect(try store.read { try $0.count(store.query(predicate)) } == (try expected(predicate, rows, store).count))
    }
    let table = try SQLiteTable(store.schema)
    let state = try Self.state(of: store.schema)
    #expect(try SQLSelection(.or([.not(text), even]), table, in: state).residual.isEmpty)
    #expect(try store.write { try $0.delete(store.query(even)) } == 67)
  }

  @Test(arguments: [1, 17, 2_000, 9_000])
  func wideConditions(_ width: Int) throws {
    let (store, rows, _) = try filled(50)
    let parts = (0..<width).map { BoundPredicate.compare(slot: 0, .equal, .int(Int64($0 * 2))) }
    for predicate in [BoundPredicate.or(parts), .not(.or(parts))] {
      #expect(try store.fetch(store.query(predicate)).map { $0[0] } == (try expected(predicate, rows, store)))
    }
  }

  @Test(arguments: [10, 60, 199])
  func deepConditions(_ depth: Int) throws {
    let (store, rows, _) = try filled(50)
    for isLast in [true, false] {
      var predicate = BoundPredicate.compare(slot: 0, .greater, .int(10))
      for level in 0..<depth {
        let other = BoundPredicate.compare(slot: 0, level % 2 == 0 ? .less : .notEqual, .int(Int64(level)))
        let parts = isLast ? [other, predicate] : [predicate, other]
        predicate = level % 2 == 0 ? .or(parts) : .and(parts)
      }
      #expect(try store.fetch(store.query(predicate)).map { $0[0] } == (try expected(predicate, rows, store)))
    }
  }

  @Test func deepAndWideConditions() throws {
    let (store, rows, _) = try filled(50)
    var predicate = BoundPredicate.compare(slot: 0, .greater, .int(10))
    for level in 0..<150 {
      let others = (0..<40).map { BoundPredicate.compare(slot: 0, .notEqual, .int(Int64($0 + level + 30))) }
      predicate = level % 2 == 0 ? .and(others + [predicate]) : .or([predicate, .compare(slot: 0, .equal, .int(3))])
    }
    #expect(try store.fetch(store.query(predicate)).map { $0[0] } == (try expected(predicate, rows, store)))
  }

  @Test func aggregatesAgreeWithTheCommonAggregator() throws {
    let (store, rows, start) = try filled(200)
    var generator = start
    let names = Self.pools.keys.sorted()
    for number in 0..<300 {
      let predicate = generator.predicate(1)
      let slot = try #require(store.schema.slot(named: names[number % names.count]))
      let type = store.schema.properties[slot].type
      var columns: [BoundAggregate.Column] = [
        .init(.count), .init(.count, slot: slot), .init(.min, slot: slot), .init(.max, slot: slot),
      ]
      if number % 2 == 0, type == .float || type == .double {
        columns += [.init(.sum, slot: slot), .init(.average, slot: slot)]
      }
      let groups = number % 3 == 0 ? [try #require(store.schema.slot(named: names[(number / 3) % names.count]))] : []
      let aggregate = BoundAggregate(rows: store.query(predicate), groups: groups, columns: columns)
      let common = try RowAggregator(aggregate, store.schema, store.layout)
      let compiled = try CompiledPredicate(predicate, store.layout)
      for row in rows {
        try row.bytes.withUnsafeBytes { if try compiled.matches($0) { try common.add($0) } }
      }
      let wanted = try common.finish()
      let found = try store.read { try $0.aggregate(aggregate) }
      #expect(found == wanted, "\(aggregate)")
    }
  }

  @Test func sumOverflowsOnlyWhenTheTotalDoes() throws {
    let store = try TestStore(TestModel.everything)
    func row(_ id: Int64, _ value: Int64) -> [Value] {
      var row = [Value](repeating: .null, count: store.layout.slotCount)
      row[0] = .int(id)
      row[5] = .int(value)
      return row
    }
    try store.insert([row(1, .max), row(2, .max), row(3, .min), row(4, .min), row(5, 7)])
    let sum = BoundAggregate(rows: store.query(), columns: [.init(.sum, slot: 5)])
    #expect(try store.read { try $0.aggregate(sum) } == [AggregateRow(groups: [], values: [.int(5)])])
    let most = BoundAggregate(
      rows: store.query(.compare(slot: 5, .greater, .int(0))), columns: [.init(.sum, slot: 5)])
    #expect(code { try store.read { try $0.aggregate(most) } } == .invalidValue)
  }

  @Test func explainNamesIndexesAndBothParts() throws {
    let store = try TestStore(TestModel.book)
    let predicate = BoundPredicate.and([
      .compare(slot: 2, .equal, .int(1979)), .text(slot: 1, .contains, "x", .caseInsensitive),
    ])
    for isDescending in [false, true] {
      let order = [
        BoundSortKey(slot: 2, isDescending: isDescending), BoundSortKey(slot: 0, isDescending: isDescending),
      ]
      let plan = try store.read { try $0.explain(store.query(predicate, order: order)) }
      #expect(plan.access.contains { $0.description.contains("Book_year") })
      #expect(plan.pushed.count == 1)
      #expect(plan.residual.count == 1)
      #expect(!plan.sorts)
      #expect(plan.statement?.contains("\"year\" = ?") == true)
      let byPrice = [
        BoundSortKey(slot: 3, isDescending: isDescending), BoundSortKey(slot: 0, isDescending: isDescending),
      ]
      let sorted = try store.read { try $0.explain(store.query(order: byPrice)) }
      #expect(sorted.access.contains { $0.description.contains("Book_price") })
      #expect(!sorted.sorts)
    }
    let unsorted = [BoundSortKey(slot: 4), BoundSortKey(slot: 0)]
    #expect(try store.read { try $0.explain(store.query(order: unsorted)) }.sorts)
  }

  @Test(arguments: [
    (BoundPredicate.text(slot: 1, .hasPrefix, "ab", []), 1, "Book_isbn"),
    (.compare(slot: 3, .greater, .decimal(5)), 3, "Book_price"),
    (.oneOf(slot: 2, [.int(1), .int(2)]), 2, "Book_year"),
    (
      .after(
        [BoundSortKey(slot: 2), BoundSortKey(slot: 0)],
        [.int(5), .uuid(UUID(uuidString: "00000000-0000-0000-0000-000000000001")!)]), 2, "Book_year"
    ),
  ])
  func indexesServe(_ predicate: BoundPredicate, _ slot: Int, _ index: String) throws {
    let store = try TestStore(TestModel.book)
    let order = [BoundSortKey(slot: slot), BoundSortKey(slot: 0)]
    let plan = try store.read { try $0.explain(store.query(predicate, order: order)) }
    #expect(plan.access.contains { $0.description.contains("SEARCH") && $0.description.contains(index) })
  }

  /// SQLite takes the first upper bound of a column for the walk over its index, which must be the caller's and not the
  /// one that keeps NaN out.
  @Test func theUpperBoundOfARangeIsTheCallers() throws {
    let store = try TestStore(TestModel.book)
    let range = BoundPredicate.and([
      .compare(slot: 4, .greaterOrEqual, .double(1)), .compare(slot: 4, .less, .double(2)),
    ])
    let plan = try store.read { try $0.explain(store.query(range)) }
    let statement = try #require(plan.statement)
    #expect(statement.contains("+\"score\" <= 9e999"))
    #expect(!statement.replacing("+\"score\"", with: "").contains("\"score\" <= 9e999"))
    #expect(statement.contains("\"score\" < ?"))
  }

  @Test func shapesShareAStatement() throws {
    let store = try TestStore(TestModel.item)
    func text(_ value: Int64, _ list: [Int64]) throws -> String? {
      let predicate = BoundPredicate.and([
        .compare(slot: 2, .greater, .int(value)), .oneOf(slot: 0, list.map { .int($0) }),
      ])
      return try store.read { try $0.explain(store.query(predicate, limit: Int(value))).statement }
    }
    #expect(try text(1, [1, 2, 3]) == (try text(77, [4, 5, 6, 7])))
  }
}
