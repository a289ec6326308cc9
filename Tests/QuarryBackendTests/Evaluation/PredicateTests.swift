import Foundation
import QuarryBackend
import QuarryTestSupport
import Testing

@Suite struct PredicateTests {
  /// Every comparison of every value of a type, nil included, with every constant of the type.
  @Test(arguments: Everything.scalars) func comparisonsWithConstants(_ type: PropertyType) throws {
    var generator = SeededGenerator(seed: 1)
    var row = Everything.random(&generator)
    let slot = Everything.slot(type.name + "Maybe")
    let values = Everything.pool(Everything.model.properties[slot])
    for constant in values where !constant.isNull {
      for comparison in Comparison.allCases {
        let predicate = BoundPredicate.compare(slot: slot, comparison, constant)
        let compiled = try CompiledPredicate(predicate, Everything.layout)
        for value in values {
          row[slot] = value
          let result = try Everything.bytes(row).withUnsafeBytes { try compiled.matches($0) }
          #expect(result == Reference.matches(predicate, row), "\(value) \(comparison) \(constant)")
        }
      }
    }
  }

  /// The same over batches, where other code compares.
  @Test(arguments: Everything.scalars) func comparisonsInBatches(_ type: PropertyType) throws {
    var generator = SeededGenerator(seed: 2)
    var row = Everything.random(&generator)
    for slot in [Everything.slot(type.name), Everything.slot(type.name + "Maybe")] {
      let values = Everything.pool(Everything.model.properties[slot])
      let rows = try values.map { value in
        row[slot] = value
        return (values: row, bytes: try Everything.bytes(row))
      }
      for constant in values where !constant.isNull {
        for comparison in Comparison.allCases {
          let predicate = BoundPredicate.compare(slot: slot, comparison, constant)
          let lent = LentRows(rows.map(\.bytes))
          let kept = try CompiledPredicate(predicate, Everything.layout).filter(lent.rows, count: rows.count)
          let expected = rows.filter { Reference.matches(predicate, $0.values) }.map(\.bytes)
          #expect(lent.rows[..<kept].map { Array($0) } == expected, "\(comparison) \(constant)")
        }
      }
    }
  }

  static let numbers = Everything.scalars.filter(\.isNumeric)

  @Test(arguments: numbers, numbers) func numericColumnsCompareExactly(_ left: PropertyType, _ right: PropertyType)
    throws
  {
    var generator = SeededGenerator(seed: 3)
    var row = Everything.random(&generator)
    let a = Everything.slot(left.name + "Maybe")
    let b = Everything.slot(right.name)
    for first in Everything.pool(Everything.model.properties[a]) {
      for second in Everything.pool(Everything.model.properties[b]) {
        row[a] = first
        row[b] = second
        let bytes = try Everything.bytes(row)
        for comparison in Comparison.allCases {
          let predicate = BoundPredicate.compareSlots(a, comparison, b)
          #expect(
            try matches(predicate, bytes) == Reference.matches(predicate, row), "\(first) \(comparison) \(second)")
        }
      }
    }
  }

  @Test(arguments: Everything.scalars) func columnsOfOneType(_ type: PropertyType) throws {
    var generator = SeededGenerator(seed: 4)
    var row = Everything.random(&generator)
    let a = Everything.slot(type.name + "Maybe")
    let b = Everything.slot(type.name)
    for first in Everything.pool(Everything.model.properties[a]) {
      for second in Everything.pool(Everything.model.properties[b]) {
        row[a] = first
        row[b] = second
        let bytes = try Everything.bytes(row)
        for comparison in Comparison.allCases {
          let predicate = BoundPredicate.compareSlots(a, comparison, b)
          #expect(
            try matches(predicate, bytes) == Reference.matches(predicate, row), "\(first) \(comparison) \(second)")
        }
      }
    }
  }

  @Test func nilEqualsNilAndHasNoOrder() throws {
    var generator = SeededGenerator(seed: 5)
    var row = Everything.random(&generator)
    let a = Everything.slot("int64Maybe")
    let b = Everything.slot("doubleMaybe")
    row[a] = .null
    row[b] = .null
    let bytes = try Everything.bytes(row)
    let holding = try Comparison.allCases.filter { try matches(.compareSlots(a, $0, b), bytes) }
    #expect(holding == [.equal])
  }

  @Test(arguments: Everything.scalars) func membership(_ type: PropertyType) throws {
    var generator = SeededGenerator(seed: 6)
    var row = Everything.random(&generator)
    let slot = Everything.slot(type.name + "Maybe")
    let values = Everything.pool(Everything.model.properties[slot])
    let constants = values.filter { !$0.isNull }
    for count in [0, 1, 2, 3, constants.count] {
      for _ in 0..<10 {
        let chosen = constants.shuffled(using: &generator).prefix(count)
        var distinct: [Value] = []
        for value in chosen.sorted(by: { ValueOrder.compare($0, $1) < 0 })
        where distinct.last.map({ ValueOrder.compare($0, value) }) != 0 {
          distinct.append(value)
        }
        let predicate = BoundPredicate.oneOf(slot: slot, distinct)
        let compiled = try CompiledPredicate(predicate, Everything.layout)
        for value in values {
          row[slot] = value
          let result = try Everything.bytes(row).withUnsafeBytes { try compiled.matches($0) }
          #expect(result == Reference.matches(predicate, row), "\(value) in \(distinct)")
        }
      }
    }
  }

  @Test func emptyJunctions() throws {
    var generator = SeededGenerator(seed: 7)
    let bytes = try Everything.bytes(Everything.random(&generator))
    #expect(try matches(.and([]), bytes))
    #expect(try !matches(.or([]), bytes))
    #expect(try matches(.not(.or([])), bytes))
  }

  @Test(arguments: [
    BoundPredicate.isNull(slot: 1000), .isNull(slot: -1), .compare(slot: 0, .equal, .string("x")),
    .compare(slot: 0, .equal, .null), .oneOf(slot: 0, [.double(1)]), .text(slot: 0, .equal, "x", []),
    .nested(slot: 0, .constant(true)), .after([BoundSortKey(slot: 0)], []),
    .compare(slot: Everything.slot("int8"), .equal, .int(128)),
    .compare(slot: Everything.slot("decimal"), .equal, .decimal(.nan)),
  ])
  func predicatesThatDoNotFitTheLayoutAreRefused(_ predicate: BoundPredicate) {
    let error = #expect(throws: StorageError.self) { try CompiledPredicate(predicate, Everything.layout) }
    #expect(error?.code == .invalidQuery)
  }

  @Test func damagedRowsAreCorrupt() throws {
    var generator = SeededGenerator(seed: 8)
    let bytes = try Everything.bytes(Everything.random(&generator))
    let predicate = BoundPredicate.text(slot: Everything.slot("string"), .contains, "a", .caseInsensitive)
    for length in 0..<100 {
      let error = #expect(throws: StorageError.self) { try matches(predicate, Array(bytes.prefix(length))) }
      #expect(error?.code == .corrupt)
    }
  }

  @Test func damagedRowsInABatchAreCorruptOrRead() throws {
    var generator = SeededGenerator(seed: 9)
    let good = try (0..<10).map { _ in try Everything.bytes(Everything.random(&generator)) }
    let predicate = BoundPredicate.and([
      .compare(slot: Everything.slot("int64"), .greaterOrEqual, .int(.min)),
      .text(slot: Everything.slot("string"), .contains, "a", .caseInsensitive),
      .nested(slot: Everything.slot("tree"), .compare(path: [], .notEqual, .null)),
    ])
    let compiled = try CompiledPredicate(predicate, Everything.layout)
    var refused = 0
    for _ in 0..<2000 {
      var rows = good
      let victim = Int.random(in: 0..<10, using: &generator)
      if Bool.random(using: &generator) {
        rows[victim][Int.random(in: 0..<rows[victim].count, using: &generator)] = UInt8.random(
          in: 0...255, using: &generator)
      } else {
        rows[victim].removeLast(Int.random(in: 0...rows[victim].count, using: &generator))
      }
      let lent = LentRows(rows)
      do {
        #expect(try compiled.filter(lent.rows, count: 10) <= 10)
      } catch {
        refused += 1
        #expect(error.code == .corrupt)
      }
    }
    #expect(refused > 100)
  }
}
