import Foundation
import QuarryTestSupport
import Testing

@testable import QuarryBackend

@Suite struct RowAssignerTests {
  static func apply(
    _ assignments: [(String, AssignmentOperation, Value)], to values: [Value], age: RowLayout = Everything.layout
  ) throws -> [Value] {
    let assigner = try RowAssigner(
      assignments.map { BoundAssignment(slot: Everything.slot($0.0), operation: $0.1, value: $0.2) }, Everything.layout,
      Everything.model)
    let bytes = try Everything.bytes(values, age: age).withUnsafeBytes { Array(try assigner.apply($0)) }
    return try bytes.withUnsafeBytes { bytes in
      let view = try RowView(bytes, Everything.layout)
      #expect(view.slotCount == Everything.layout.slotCount)
      return try Everything.layout.slots.map { try view.value($0, Everything.layout) }
    }
  }

  static func one(_ name: String, _ old: Value, _ operation: AssignmentOperation, _ value: Value) throws -> Value {
    var generator = SeededGenerator(seed: 1)
    var row = Everything.random(&generator)
    row[Everything.slot(name)] = old
    let result = try apply([(name, operation, value)], to: row)
    row[Everything.slot(name)] = result[Everything.slot(name)]
    #expect(result == row)
    return result[Everything.slot(name)]
  }

  @Test(arguments: Everything.scalars) func setsEveryType(_ type: PropertyType) throws {
    for value in ValueSamples.ordered(type) + [.null] {
      #expect(try Self.one(type.name + "Maybe", .null, .set, value) == value)
    }
  }

  @Test(arguments: Everything.scalars.filter(\.isInteger), [AssignmentOperation.add, .subtract, .multiply])
  func integerArithmeticStaysInItsType(_ type: PropertyType, _ operation: AssignmentOperation) throws {
    for old in ValueSamples.ordered(type) {
      for operand in ValueSamples.ordered(type) {
        let a = old.integer!
        let b = operand.integer!
        let (exact, overflow) =
          switch operation {
          case .add: a.addingReportingOverflow(b)
          case .subtract: a.subtractingReportingOverflow(b)
          default: a.multipliedReportingOverflow(by: b)
          }
        if !overflow, type.integerRange!.contains(exact) {
          #expect(try Self.one(type.name, old, operation, operand) == Value(integer: exact))
        } else {
          let error = #expect(throws: StorageError.self) { try Self.one(type.name, old, operation, operand) }
          #expect(error?.code == .invalidValue)
          #expect(error?.property == type.name)
          #expect(error?.model == "Everything")
        }
      }
    }
  }

  @Test func nilStaysNilUnderArithmetic() throws {
    for operation in [AssignmentOperation.add, .subtract, .multiply] {
      #expect(try Self.one("int64Maybe", .null, operation, .int(1)) == .null)
      #expect(try Self.one("doubleMaybe", .null, operation, .double(1)) == .null)
      #expect(try Self.one("decimalMaybe", .null, operation, .decimal(1)) == .null)
    }
  }

  @Test func floatingPointRoundsInItsWidth() throws {
    #expect(try Self.one("float", .float(0x1p24), .add, .float(1)) == .float(0x1p24))
    #expect(try Self.one("double", .double(0x1p24), .add, .double(1)) == .double(0x1p24 + 1))
    #expect(try Self.one("double", .double(.greatestFiniteMagnitude), .multiply, .double(2)) == .double(.infinity))
    #expect(try Self.one("double", .double(1), .subtract, .double(0.9)) == .double(1 - 0.9))
  }

  @Test func decimalsThatDoNotFitAreRefused() throws {
    let great = Value.decimal(.greatestFiniteMagnitude)
    for (operation, operand) in [(AssignmentOperation.add, great), (.multiply, great), (.multiply, .decimal(-2))] {
      let error = #expect(throws: StorageError.self) { try Self.one("decimal", great, operation, operand) }
      #expect(error?.code == .invalidValue)
      #expect(error?.property == "decimal")
    }
    #expect(try Self.one("decimal", great, .subtract, great) == .decimal(0))
    #expect(try Self.one("decimal", .decimal(2), .multiply, ExactNumberTests.decimal("-1.5")) == .decimal(-3))
  }

  @Test func assignmentsToOneSlotComeAfterEachOther() throws {
    var generator = SeededGenerator(seed: 2)
    let row = Everything.random(&generator)
    let result = try Self.apply(
      [("int64", .set, .int(20)), ("int64", .add, .int(1)), ("int64", .multiply, .int(2))], to: row)
    #expect(result[Everything.slot("int64")] == .int(42))
  }

  @Test(arguments: 0..<Everything.ages.count) func olderRowsGetTheirDefaults(_ age: Int) throws {
    var generator = SeededGenerator(seed: 3)
    let row = Everything.random(&generator)
    let layout = Everything.ages[age]
    var expected = Everything.seen(row, age: layout)
    if case .int(let old) = expected[Everything.slot("addedInt")], age == 0 {
      expected[Everything.slot("addedInt")] = .int(old + 1)
      #expect(try Self.apply([("addedInt", .add, .int(1))], to: row, age: layout) == expected)
    }
    expected[Everything.slot("addedInt")] = .int(5)
    #expect(try Self.apply([("addedInt", .set, .int(5))], to: row, age: layout) == expected)
  }

  @Test func valuesOfOtherTypesAreRefused() throws {
    for (name, value, code) in [
      ("int8", Value.int(128), StorageError.Code.invalidValue), ("int8", .string("1"), .invalidValue),
      ("string", .int(1), .invalidValue), ("int8", .null, .missingValue),
    ] {
      let error = #expect(throws: StorageError.self) {
        try Self.one(
          name, ValueSamples.ordered(Everything.model.properties[Everything.slot(name)].type)[0], .set, value)
      }
      #expect(error?.code == code)
      #expect(error?.property == name)
    }
  }

  @Test(arguments: ["string", "date", "bool", "list"]) func arithmeticOnOtherTypesIsRefused(_ name: String) {
    let assignment = BoundAssignment(slot: Everything.slot(name), operation: .add, value: .int(1))
    let error = #expect(throws: StorageError.self) {
      try RowAssigner([assignment], Everything.layout, Everything.model)
    }
    #expect(error?.code == .invalidQuery)
  }
}

extension RowAssignerTests {
  /// Slots of fixed width are changed in place in plain rows; rows with a checksum are written anew.
  @Test(arguments: Everything.scalars) func changingInPlaceGivesTheBytesOfWriting(_ type: PropertyType) throws {
    var generator = SeededGenerator(seed: 4)
    for value in Everything.pool(Everything.model.properties[Everything.slot(type.name + "Maybe")]) {
      let row = Everything.random(&generator)
      let assigner = try RowAssigner(
        [BoundAssignment(slot: Everything.slot(type.name + "Maybe"), operation: .set, value: value)], Everything.layout,
        Everything.model)
      let plain = try Everything.bytes(row).withUnsafeBytes { Array(try assigner.apply($0)) }
      let written = try Everything.bytes(row, checksum: true).withUnsafeBytes { Array(try assigner.apply($0)) }
      let isSame = plain == written
      #expect(isSame, "\(value)")
    }
  }
}

@Suite struct RowMergerTests {
  @Test func mergesSlotsOfFixedWidthInPlace() throws {
    var generator = SeededGenerator(seed: 5)
    let merger = RowMerger(Everything.layout)
    let fixed = Everything.layout.slots.filter { !$0.type.isVariable }.map { Int($0.index) }
    for _ in 0..<100 {
      let old = Everything.random(&generator)
      let new = Everything.random(&generator)
      let slots = fixed.filter { _ in Bool.random(using: &generator) }
      var expected = old
      for slot in slots { expected[slot] = new[slot] }
      let oldBytes = try Everything.bytes(old)
      let newBytes = try Everything.bytes(new)
      let merged = try oldBytes.withUnsafeBytes { old in
        try newBytes.withUnsafeBytes { Array(try merger.merge(old: old, new: $0, slots: slots)) }
      }
      let isSame = try Everything.bytes(expected) == merged
      #expect(isSame)
    }
  }

  @Test func mergesSlotsOfRowsOfAnyAge() throws {
    var generator = SeededGenerator(seed: 1)
    let merger = RowMerger(Everything.layout)
    for _ in 0..<200 {
      let old = Everything.random(&generator)
      let new = Everything.random(&generator)
      let ages = (Everything.ages.randomElement(using: &generator)!, Everything.ages.randomElement(using: &generator)!)
      let slots = Everything.layout.slots.indices.filter { _ in Bool.random(using: &generator) }
      var expected = Everything.seen(old, age: ages.0)
      for slot in slots { expected[slot] = Everything.seen(new, age: ages.1)[slot] }
      let oldBytes = try Everything.bytes(old, age: ages.0)
      let newBytes = try Everything.bytes(new, age: ages.1)
      let merged = try oldBytes.withUnsafeBytes { old in
        try newBytes.withUnsafeBytes { Array(try merger.merge(old: old, new: $0, slots: slots)) }
      }
      let isSame = try Everything.bytes(expected) == merged
      #expect(isSame)
    }
  }

  @Test func differsBitByBit() throws {
    var generator = SeededGenerator(seed: 2)
    let merger = RowMerger(Everything.layout)
    func differ(_ a: [UInt8], _ b: [UInt8], _ slots: [Int]?) throws -> Bool {
      try a.withUnsafeBytes { a in try b.withUnsafeBytes { try merger.differ(a, $0, slots: slots) } }
    }
    for property in Everything.model.properties {
      let slot = Everything.slot(property.name)
      let base = Everything.random(&generator)
      for first in Everything.pool(property) {
        for second in Everything.pool(property) {
          var a = base
          var b = base
          a[slot] = first
          b[slot] = second
          let result = try differ(Everything.bytes(a), Everything.bytes(b), nil)
          #expect(result == (first != second), "\(first) \(second)")
          #expect(try differ(Everything.bytes(a), Everything.bytes(b), [slot]) == result)
          #expect(try !differ(Everything.bytes(a), Everything.bytes(b), [slot == 0 ? 1 : 0]))
        }
      }
    }
  }

  @Test func aDefaultIsNotADifference() throws {
    var generator = SeededGenerator(seed: 3)
    let values = Everything.seen(Everything.random(&generator), age: Everything.ages[0])
    let merger = RowMerger(Everything.layout)
    let old = try Everything.bytes(values, age: Everything.ages[0])
    let new = try Everything.bytes(values)
    #expect(try old.withUnsafeBytes { a in try new.withUnsafeBytes { try !merger.differ(a, $0, slots: nil) } })
    var other = values
    other[Everything.slot("addedText")] = .null
    let changed = try Everything.bytes(other)
    #expect(try old.withUnsafeBytes { a in try changed.withUnsafeBytes { try merger.differ(a, $0, slots: nil) } })
  }

  @Test func unknownSlotsAreRefused() throws {
    var generator = SeededGenerator(seed: 4)
    let row = try Everything.bytes(Everything.random(&generator))
    let merger = RowMerger(Everything.layout)
    let error = #expect(throws: StorageError.self) {
      try row.withUnsafeBytes { row in _ = try merger.merge(old: row, new: row, slots: [0, 1000]) }
    }
    #expect(error?.code == .invalidQuery)
  }
}
