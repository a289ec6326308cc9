import Foundation
import QuarryBackend
import QuarryTestSupport
import Testing

@Suite struct KeyFormatTests {
  static let types = PropertyType.allCases.filter(\.isOrdered)

  static func bytes(_ value: Value, _ type: PropertyType, optional: Bool = false, descending: Bool = false, last: Bool)
    throws -> [UInt8]
  {
    let writer = KeyWriter()
    try writer.append(value, type: type, isOptional: optional, isDescending: descending, isLast: last)
    return writer.key.bytes
  }

  @Test(arguments: types) func orderOfBytesIsOrderOfValues(_ type: PropertyType) throws {
    for last in [true, false] {
      let keys = try ValueSamples.ordered(type).map { Key(try Self.bytes($0, type, last: last)) }
      for (left, right) in zip(keys, keys.dropFirst()) {
        #expect(left < right, "\(type) last \(last): \(left) \(right)")
      }
    }
  }

  @Test(arguments: types) func descendingOrderIsTheReverse(_ type: PropertyType) throws {
    let values = [.null] + ValueSamples.ordered(type)
    let keys = try values.map { Key(try Self.bytes($0, type, optional: true, descending: true, last: true)) }
    for (left, right) in zip(keys, keys.dropFirst()) { #expect(right < left) }
  }

  @Test(arguments: types) func noComponentIsAPrefixOfAnother(_ type: PropertyType) throws {
    let keys = try ValueSamples.ordered(type).map { try Self.bytes($0, type, last: false) }
    for (index, key) in keys.enumerated() {
      for (other, candidate) in keys.enumerated() where other != index { #expect(!candidate.starts(with: key)) }
    }
  }

  @Test(arguments: types) func primaryKeysComeBack(_ type: PropertyType) throws {
    for value in ValueSamples.ordered(type) {
      let read = try Self.bytes(value, type, last: true).withUnsafeBytes { try Key.value(of: $0, type: type) }
      #expect(read == value)
    }
  }

  @Test func zerosAndNaNsHaveOneKey() throws {
    let signalling = Double(bitPattern: 0xFFF0_0000_0000_0001)
    #expect(try Self.bytes(.double(-0.0), .double, last: true) == Self.bytes(.double(0.0), .double, last: true))
    #expect(try Self.bytes(.double(signalling), .double, last: true) == Self.bytes(.double(.nan), .double, last: true))
    #expect(try Self.bytes(.float(-0.0), .float, last: true) == Self.bytes(.float(0.0), .float, last: true))
  }

  @Test(arguments: types) func damagedKeysAreErrorsOrKeys(_ type: PropertyType) throws {
    var generator = SystemRandomNumberGenerator()
    for value in ValueSamples.ordered(type) {
      var bytes = try Self.bytes(value, type, last: true)
      for _ in 0..<20 {
        if bytes.isEmpty { break }
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
        do {
          _ = try bytes.withUnsafeBytes { try Key.value(of: $0, type: type) }
        } catch let error as StorageError {
          #expect(error.code == .corrupt)
        }
      }
    }
  }

  @Test(arguments: [
    (Value.int(1), PropertyType.int64, "8000000000000001"), (.int(-1), .int64, "7fffffffffffffff"),
    (.int(-1), .int8, "7f"), (.uint(.max), .uint64, "ffffffffffffffff"), (.bool(true), .bool, "01"),
    (.double(1), .double, "bff0000000000000"), (.double(-1), .double, "400fffffffffffff"),
    (.double(.nan), .double, "ffffffffffffffff"), (.float(1), .float, "bf800000"),
    (.string("a\0b"), .string, "6100ff620001"),
    (.data(Data([0])), .data, "00ff0001"), (.decimal(Decimal(string: "-123.4")!), .decimal, "01fbfcf2dcff"),
    (.decimal(Decimal(string: "123.4")!), .decimal, "0304030d2300"), (.decimal(0), .decimal, "02"),
    (.date(Date(timeIntervalSinceReferenceDate: 1)), .date, "bff0000000000000"),
  ]) func goldenKeys(_ value: Value, _ type: PropertyType, _ hex: String) throws {
    #expect(try Self.bytes(value, type, last: false).map { String(format: "%02x", $0) }.joined() == hex)
  }
}

@Suite struct RowFormatTests {
  static func model(optional: Bool) -> ModelSchema {
    let types = PropertyType.allCases.filter { $0.rawValue <= PropertyType.array.rawValue }
    return ModelSchema(
      name: "All",
      properties: types.map {
        PropertySchema(name: "\($0)", type: $0, isOptional: optional, elementType: $0 == .array ? .string : nil)
      }, primaryKey: 4)
  }

  static func samples(_ type: PropertyType) -> [Value] {
    switch type {
    case .array: ValueSamples.trees.filter { if case .array = $0 { true } else { false } }
    case .nested: ValueSamples.trees
    case .double: ValueSamples.ordered(type) + [.double(-0.0), .double(Double(bitPattern: 0x7FF0_0000_0000_0001))]
    default: ValueSamples.ordered(type)
    }
  }

  @Test func everyTypeComesBackInEveryOrderOfWriting() throws {
    let model = Self.model(optional: true)
    let layout = RowLayout(model)
    let writer = RowWriter(layout)
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<300 {
      let values = layout.slots.map { slot -> Value in
        Bool.random(using: &generator) ? .null : Self.samples(slot.type).randomElement(using: &generator)!
      }
      let checksum = Bool.random(using: &generator)
      writer.begin()
      for slot in layout.slots.shuffled(using: &generator) { try writer.set(slot, value: values[Int(slot.index)]) }
      let view = try RowView(try writer.finish(checksum: checksum), layout)
      for slot in layout.slots { #expect(try view.value(slot, layout) == values[Int(slot.index)]) }
    }
  }

  @Test func rowsThatAreKeptFollowEachOther() throws {
    let layout = RowLayout(Self.model(optional: true))
    let writer = RowWriter(layout)
    var generator = SeededGenerator(seed: 8)
    var expected: [[UInt8]] = []
    var kept = 0
    for _ in 0..<50 {
      writer.begin(after: kept)
      for slot in layout.slots.shuffled(using: &generator) where Bool.random(using: &generator) {
        try writer.set(slot, value: Self.samples(slot.type).randomElement(using: &generator)!)
      }
      let row = try writer.finish()
      expected.append(Array(row))
      kept += row.count
    }
    #expect(Array(UnsafeRawBufferPointer(start: writer.rows, count: kept)) == expected.flatMap(\.self))
  }

  @Test func ofASlotThatIsSetTwiceTheLastValueCounts() throws {
    let model = ModelSchema(
      name: "M",
      properties: [
        .init(name: "id", type: .int64), .init(name: "a", type: .string), .init(name: "b", type: .string),
        .init(name: "c", type: .string),
      ], primaryKey: 0)
    let layout = RowLayout(model)
    let writer = RowWriter(layout)
    for again in 1...3 {
      writer.begin()
      for slot in layout.slots { try writer.set(slot, value: slot.index == 0 ? .int(1) : .string("old \(slot.index)")) }
      try writer.set(layout.slots[again], value: .string("new"))
      let row = try writer.finish()
      let view = try RowView(row, layout)
      for slot in layout.slots.dropFirst() {
        let text = Int(slot.index) == again ? "new" : "old \(slot.index)"
        #expect(try view.value(slot, layout) == .string(text))
      }
    }
  }

  @Test func aRowWithoutANewSlotGivesItsDefault() throws {
    var model = ModelSchema(
      name: "M", properties: [.init(name: "id", type: .int64), .init(name: "name", type: .string)], primaryKey: 0)
    let old = RowLayout(model)
    let writer = RowWriter(old)
    writer.begin()
    try writer.set(old.slots[0], value: .int(5))
    try writer.set(old.slots[1], value: .string("x"))
    let bytes = Array(try writer.finish())
    model.properties.append(.init(name: "extra", type: .string, defaultValue: .string("new")))
    let layout = RowLayout(model)
    try bytes.withUnsafeBytes { bytes in
      let view = try RowView(bytes, layout)
      #expect(try layout.slots.map { try view.value($0, layout) } == [.int(5), .string("x"), .string("new")])
    }
  }

  @Test func nilIsRefusedInARequiredSlot() throws {
    let layout = RowLayout(Self.model(optional: false))
    let writer = RowWriter(layout)
    writer.begin()
    let error = #expect(throws: StorageError.self) { try writer.set(layout.slots[0], value: .null) }
    #expect(error?.code == .missingValue)
  }

  @Test func valuesOfOtherTypesAreRefused() throws {
    let layout = RowLayout(Self.model(optional: true))
    let writer = RowWriter(layout)
    for slot in layout.slots where slot.type != .nested {
      writer.begin()
      let wrong: Value = slot.type == .string ? .int(1) : slot.type == .bool ? .string("") : .bool(true)
      let error = #expect(throws: StorageError.self) { try writer.set(slot, value: wrong) }
      #expect(error?.code == .invalidValue)
    }
  }

  @Test func everyFlippedBitOfAChecksummedRowIsFound() throws {
    let layout = RowLayout(Self.model(optional: true))
    let writer = RowWriter(layout)
    writer.begin()
    for slot in layout.slots { try writer.set(slot, value: Self.samples(slot.type).last!) }
    let bytes = Array(try writer.finish(checksum: true))
    for bit in 8..<bytes.count * 8 where bit != 8 {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << (bit % 8)
      let error = #expect(throws: StorageError.self) { try damaged.withUnsafeBytes { _ = try RowView($0, layout) } }
      #expect(error?.code == .corrupt)
    }
  }

  @Test func damageWithoutAChecksumNeverTraps() throws {
    let layout = RowLayout(Self.model(optional: true))
    let writer = RowWriter(layout)
    writer.begin()
    for slot in layout.slots { try writer.set(slot, value: Self.samples(slot.type).last!) }
    let bytes = Array(try writer.finish())
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<20_000 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        damaged[.random(in: 0..<damaged.count, using: &generator)] = .random(in: 0...255, using: &generator)
      }
      damaged.removeLast(.random(in: 0...damaged.count / 8, using: &generator))
      do {
        try damaged.withUnsafeBytes { bytes in
          let view = try RowView(bytes, layout)
          for slot in layout.slots { _ = try view.value(slot, layout) }
        }
      } catch let error as StorageError {
        #expect(error.code == .corrupt)
      }
    }
  }

  @Test func goldenRow() throws {
    let model = ModelSchema(
      name: "M",
      properties: [
        .init(name: "id", type: .int64), .init(name: "name", type: .string), .init(name: "on", type: .bool),
        .init(name: "note", type: .string, isOptional: true), .init(name: "tags", type: .array, elementType: .string),
      ], primaryKey: 0)
    let layout = RowLayout(model)
    let writer = RowWriter(layout)
    writer.begin()
    try writer.set(layout.slots[0], value: .int(258))
    try writer.set(layout.slots[1], value: .string("Hé"))
    try writer.set(layout.slots[2], value: .bool(true))
    try writer.set(layout.slots[4], value: .array([.string("x"), .int(-2)]))
    let hex = try writer.finish().map { String(format: "%02x", $0) }.joined()
    #expect(
      hex == "01000500" + "0201000000000000" + "03000000" + "01" + "03000000" + "0a000000" + "e8" + "48c3a9"
        + "1302" + "0c0178" + "0503")
    let summed = try writer.finish(checksum: true).map { String(format: "%02x", $0) }.joined()
    #expect(summed.hasPrefix("01010500") && summed.count == hex.count + 8)
  }

  @Test func nestedValuesAreLimitedInDepth() throws {
    var value = Value.int(1)
    for _ in 0..<NestedCoding.maximumDepth { value = .array([value]) }
    #expect(try NestedCoding.encode(value).withUnsafeBytes { try NestedCoding.decode($0) } == value)
    let error = #expect(throws: StorageError.self) { try NestedCoding.encode(.array([value])) }
    #expect(error?.code == .limitExceeded)
  }

  @Test(arguments: [("123456789", 0xE306_9283 as UInt32), ("", 0)])
  func checksumIsCRC32C(_ text: String, _ expected: UInt32) {
    #expect(Array(text.utf8).withUnsafeBytes { CRC32C.checksum($0) } == expected)
  }

  @Test func checksumsContinue() {
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    bytes.withUnsafeBytes { all in
      let first = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: all[..<333]))
      let whole = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: all[333...]), continuing: first)
      #expect(whole == CRC32C.checksum(all))
    }
  }

  @Test func valuesComeBackThroughJSON() throws {
    for type in PropertyType.allCases {
      for value in Self.samples(type) + [.null] {
        #expect(try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value)) == value)
      }
    }
  }
}
