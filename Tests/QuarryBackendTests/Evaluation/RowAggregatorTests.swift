import Foundation
import QuarryTestSupport
import Testing

@testable import QuarryBackend

@Suite struct RowAggregatorTests {
  static func aggregate(
    _ rows: [[UInt8]], groups: [String] = [], _ columns: [(AggregateFunction, String?)], memory: Int = .max,
    inOneBatch: Bool = false
  ) throws -> [AggregateRow] {
    let query = BoundQuery(model: Everything.model.id, order: [BoundSortKey(slot: 0)])
    let aggregate = BoundAggregate(
      rows: query, groups: groups.map(Everything.slot),
      columns: columns.map { .init($0.0, slot: $0.1.map(Everything.slot)) }, memory: memory)
    let aggregator = try RowAggregator(aggregate, Everything.model, Everything.layout)
    if inOneBatch {
      let lent = LentRows(rows)
      try aggregator.add(lent.rows, count: rows.count)
    } else {
      for row in rows { try row.withUnsafeBytes { try aggregator.add($0) } }
    }
    return try aggregator.finish()
  }

  /// Figures of columns of every type.
  static var everyType: [(AggregateFunction, String?)] {
    var columns: [(AggregateFunction, String?)] = [(.count, nil)]
    for type in Everything.scalars {
      columns += [(.count, type.name + "Maybe"), (.min, type.name + "Maybe"), (.max, type.name)]
      if type == .double || type == .float { columns += [(.sum, type.name), (.average, type.name + "Maybe")] }
    }
    return columns
  }

  /// Rows that are alike but for one property.
  static func rows(_ name: String, _ values: [Value], age: RowLayout = Everything.layout) throws -> [[UInt8]] {
    var generator = SeededGenerator(seed: 1)
    var row = Everything.random(&generator)
    return try values.map {
      row[Everything.slot(name)] = $0
      return try Everything.bytes(row, age: age)
    }
  }

  static func one(_ function: AggregateFunction, _ name: String, _ values: [Value]) throws -> Value {
    try aggregate(rows(name, values), [(function, name)])[0].values[0]
  }

  @Test func nothingCountsZeroAndIsNilOtherwise() throws {
    let result = try Self.aggregate(
      [],
      [(.count, nil), (.count, "int64"), (.sum, "int64"), (.average, "double"), (.min, "string"), (.max, "decimal")])
    #expect(result == [AggregateRow(groups: [], values: [.int(0), .int(0), .null, .null, .null, .null])])
  }

  @Test func noRowsHaveNoGroups() throws {
    #expect(try Self.aggregate([], groups: ["int64"], [(.count, nil)]).isEmpty)
  }

  @Test(arguments: Everything.scalars) func nilIsLeftOut(_ type: PropertyType) throws {
    let name = type.name + "Maybe"
    let rows = try Self.rows(name, [.null, .null])
    #expect(try Self.aggregate(rows, [(.count, name), (.count, nil)])[0].values == [.int(0), .int(2)])
    #expect(try Self.aggregate(rows, [(.min, name), (.max, name)])[0].values == [.null, .null])
    if type.isNumeric {
      #expect(try Self.aggregate(rows, [(.sum, name), (.average, name)])[0].values == [.null, .null])
    }
  }

  @Test(arguments: Everything.scalars) func extremaOfEveryType(_ type: PropertyType) throws {
    let values = ValueSamples.ordered(type)
    var generator = SeededGenerator(seed: 2)
    for _ in 0..<20 {
      let chosen = (0..<3).map { _ in Int.random(in: values.indices, using: &generator) }
      let rows = try Self.rows(type.name + "Maybe", [.null] + chosen.map { values[$0] })
      let result = try Self.aggregate(rows, [(.min, type.name + "Maybe"), (.max, type.name + "Maybe")])[0].values
      #expect(result == [values[chosen.min()!], values[chosen.max()!]])
    }
  }

  @Test func extremaOfZerosAndNaNsHaveOneForm() throws {
    for values in [[-0.0, 0.0], [0.0, -0.0]] {
      #expect(try Self.one(.min, "double", values.map { .double($0) }) == .double(0))
      #expect(try Self.one(.max, "double", values.map { .double($0) }) == .double(0))
    }
    let odd = Double(bitPattern: 0xFFF8_0000_0000_0001)
    #expect(try Self.one(.max, "double", [.double(odd), .double(.infinity)]) == .double(.nan))
  }

  @Test(arguments: Everything.scalars.filter(\.isInteger)) func integerSums(_ type: PropertyType) throws {
    let range = type.integerRange!
    let wide: ClosedRange<Int128> =
      range.lowerBound == 0 ? 0...Int128(UInt64.max) : Int128(Int64.min)...Int128(Int64.max)
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<30 {
      let values = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
        [range.lowerBound, range.upperBound, 0, 1, range.upperBound / 2].randomElement(using: &generator)!
      }
      let total = values.reduce(0, +)
      let constants = values.map { Value(integer: $0) }
      if wide.contains(total) {
        #expect(try Self.one(.sum, type.name, constants) == Value(integer: total))
      } else {
        let error = #expect(throws: StorageError.self) { try Self.one(.sum, type.name, constants) }
        #expect(error?.code == .invalidValue)
        #expect(error?.property == type.name)
      }
      #expect(try Self.one(.average, type.name, constants) == .double(IntegerTotal.average(total, values.count)))
    }
  }

  @Test func transientOverflowDoesNoHarm() throws {
    #expect(try Self.one(.sum, "int64", [.int(.max), .int(.max), .int(.min), .int(.min)]) == .int(-2))
    #expect(try Self.one(.average, "int64", [.int(.max), .int(.max)]) == .double(0x1p63))
  }

  @Test func averageOfIntegersIsTheirQuotient() throws {
    #expect(try Self.one(.average, "int8", [.int(1), .int(2)]) == .double(1.5))
    #expect(try Self.one(.average, "int64Maybe", [.int(1), .null, .int(1), .int(-1)]) == .double(1.0 / 3))
  }

  @Test func floatingSumsKeepTheColumnsType() throws {
    #expect(try Self.one(.sum, "double", [.double(1e100), .double(1), .double(-1e100)]) == .double(1))
    #expect(try Self.one(.sum, "float", [.float(1), .float(0x1p-24), .float(0x1p-80)]) == .float(1 + 0x1p-23))
    #expect(try Self.one(.average, "float", [.float(0.1), .float(0.1)]) == .double(Double(0.1 as Float)))
    #expect(try Self.one(.sum, "float", [.float(-0.0)]) == .float(0))
  }

  static func decimal(_ text: String) -> Value { ExactNumberTests.decimal(text) }

  @Test func decimalSumsAreExact() throws {
    let one = Self.decimal
    #expect(try Self.one(.sum, "decimal", Array(repeating: one("0.1"), count: 10)) == one("1"))
    #expect(try Self.one(.sum, "decimal", [one("1e100"), one("0.001"), one("-1e100")]) == one("0.001"))
    #expect(try Self.one(.average, "decimal", [one("1"), one("2")]) == one("1.5"))
    #expect(
      try Self.one(.average, "decimal", [one("1"), one("0"), one("0")])
        == one("0.333333333333333333333333333333333333333"))
    #expect(
      try Self.one(.average, "decimal", [one("-2"), one("0"), one("0")])
        == one("-0.66666666666666666666666666666666666667"))
  }

  @Test func decimalSumsThatDoNotFitAreRefused() throws {
    for values in [["1e100", "1e-100"], ["340282366920938463463374607431768211455e127", "1e127"]] {
      let error = #expect(throws: StorageError.self) { try Self.one(.sum, "decimal", values.map(Self.decimal)) }
      #expect(error?.code == .invalidValue)
      #expect(error?.property == "decimal")
    }
  }

  @Test(arguments: Everything.scalars) func groupsComeInTheOrderOfTheirKeys(_ type: PropertyType) throws {
    var generator = SeededGenerator(seed: 5)
    let name = type.name + "Maybe"
    let values = [.null] + ValueSamples.ordered(type)
    let rows = try Self.rows(name, (values + values).shuffled(using: &generator))
    let result = try Self.aggregate(rows, groups: [name], [(.count, nil)])
    #expect(result == values.map { AggregateRow(groups: [$0], values: [.int(2)]) })
  }

  @Test func zerosAndNaNsAreOneGroupEach() throws {
    let odd = Double(bitPattern: 0xFFF8_0000_0000_0001)
    let rows = try Self.rows("double", [-0.0, 0.0, odd, .nan, 1].map { .double($0) })
    let result = try Self.aggregate(rows, groups: ["double"], [(.count, nil)])
    #expect(result.map(\.groups) == [[.double(0)], [.double(1)], [.double(.nan)]])
    #expect(result.map(\.values) == [[.int(2)], [.int(1)], [.int(2)]])
  }

  @Test func composedAndDecomposedAreTwoGroups() throws {
    let rows = try Self.rows("string", ["é", "e\u{301}", "é"].map { .string($0) })
    #expect(try Self.aggregate(rows, groups: ["string"], []).map(\.groups) == [[.string("e\u{301}")], [.string("é")]])
  }

  /// From no memory at all, where each row that comes after the first group waits in a file, to more than the groups need.
  @Test(arguments: [0, 4096, 65536, 1 << 20, .max]) func manyGroupsOfTwoProperties(_ memory: Int) throws {
    var generator = SeededGenerator(seed: 6)
    var row = Everything.random(&generator)
    var expected: [[Value]: Int128] = [:]
    var rows: [[UInt8]] = []
    for index in 0..<3000 {
      let key: [Value] = [
        .int(Int64.random(in: -20...20, using: &generator)), .string(String(Int.random(in: 0..<30, using: &generator))),
      ]
      row[Everything.slot("int64Maybe")] = key[0]
      row[Everything.slot("string")] = key[1]
      row[Everything.slot("int32")] = .int(Int64(index))
      expected[key, default: 0] += Int128(index)
      rows.append(try Everything.bytes(row))
    }
    let result = try Self.aggregate(rows, groups: ["int64Maybe", "string"], [(.sum, "int32")], memory: memory)
    #expect(
      Dictionary(uniqueKeysWithValues: result.map { ($0.groups, $0.values) })
        == expected.mapValues { [Value(integer: $0)] })
    #expect(
      result.map(\.groups)
        == expected.keys.sorted {
          Reference.total($0[0], $1[0]) < 0 || $0[0] == $1[0] && Reference.total($0[1], $1[1]) < 0
        })
  }

  @Test(arguments: [0, 1, 64, 65, 300]) func batchesGiveWhatSingleRowsGive(_ count: Int) throws {
    var generator = SeededGenerator(seed: UInt64(count))
    let rows = try RowSorterTests.rows(count, &generator).map(\.bytes)
    let groups = ["boolMaybe", "addedInt"]
    #expect(
      try Self.aggregate(rows, groups: groups, Self.everyType, inOneBatch: true)
        == Self.aggregate(rows, groups: groups, Self.everyType))
  }

  @Test(arguments: [0, 20_000, 200_000], [false, true])
  func rowsThatWaitCountAsOthersDo(_ memory: Int, inOneBatch: Bool) throws {
    var generator = SeededGenerator(seed: 9)
    let rows = try RowSorterTests.rows(300, &generator).map(\.bytes)
    let groups = ["stringMaybe", "doubleMaybe"]
    #expect(
      try Self.aggregate(rows, groups: groups, Self.everyType, memory: memory, inOneBatch: inOneBatch)
        == Self.aggregate(rows, groups: groups, Self.everyType))
  }

  @Test func olderRowsHoldTheDefault() throws {
    let rows = try Self.rows("int64", [.int(1), .int(2)], age: Everything.ages[0])
    let result = try Self.aggregate(
      rows, groups: ["addedText"], [(.sum, "addedInt"), (.count, "addedNil"), (.max, "addedNaN"), (.min, "addedText")])
    #expect(
      result == [AggregateRow(groups: [.string("ab")], values: [.int(200), .int(0), .double(.nan), .string("ab")])])
  }

  @Test(
    arguments: [
      (AggregateFunction.sum, "string"), (.average, "date"), (.min, "tree"), (.max, "list"), (.sum, nil),
      (.sum, "bool"),
    ] as [(AggregateFunction, String?)])
  func functionsThatATypeDoesNotHaveAreRefused(_ function: AggregateFunction, _ name: String?) {
    let error = #expect(throws: StorageError.self) { try Self.aggregate([], [(function, name)]) }
    #expect(error?.code == .invalidQuery)
  }

  @Test func groupingByATreeIsRefused() {
    let error = #expect(throws: StorageError.self) { try Self.aggregate([], groups: ["tree"], []) }
    #expect(error?.code == .invalidQuery)
  }
}
