import Foundation
import QuarryBackend
import QuarryCore
import QuarryTestSupport
import Testing

@Suite struct ValueEncoderTests {
  @Test func keepsEveryKindAsWhatItIs() throws {
    guard case .object(let members) = try encoded(EveryKind()) else {
      Issue.record("not an object")
      return
    }
    let tree = Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.value) })
    let sample = EveryKind()
    #expect(tree["int64"] == .int(.min))
    #expect(tree["uint8"] == .int(255))
    #expect(tree["uint64"] == .uint(.max))
    #expect(tree["float"] == .float(1.5))
    #expect(tree["double"] == .double(-0.1))
    #expect(tree["date"] == .date(sample.date))
    #expect(tree["data"] == .data(sample.data))
    #expect(tree["uuid"] == .uuid(sample.uuid))
    #expect(tree["decimal"] == .decimal(sample.decimal))
    #expect(tree["url"] == .url(sample.url))
    #expect(tree["optional"] == .date(sample.optional!))
    #expect(tree["absent"] == nil)
    #expect(tree["dates"] == .array([.date(sample.dates[0])]))
    #expect(tree["byName"] == object(["k": .uuid(sample.uuid)]))
    #expect(tree["optionals"] == .array([.decimal(1), .null]))
  }

  @Test func givesIntegersOneForm() throws {
    #expect(try encoded(UInt64(5)) == .int(5))
    #expect(try encoded(UInt64(Int64.max) + 1) == .uint(UInt64(Int64.max) + 1))
    #expect(try encoded([Int8(-1)]) == .array([.int(-1)]))
    #expect(try encoded(Int128(-5)) == .int(-5))
    #expect(try encoded(["a": UInt128(UInt64.max)]) == object(["a": .uint(.max)]))
  }

  @Test(arguments: [
    Int128.min, Int128.min + 1, -(1 << 64), Int128(Int64.min) - 1, -1, 0, Int128(UInt64.max), 1 << 64,
    100_000_000_000_000_000_000_000_000_000_000_000_000, Int128.max,
  ])
  func keepsWideIntegers(_ value: Int128) throws {
    #expect(try roundTrip([value]) == [value])
    #expect(try roundTrip(value.magnitude) == value.magnitude)
    #expect(
      try roundTrip(WideParts(signed: value, unsigned: value.magnitude))
        == WideParts(signed: value, unsigned: value.magnitude))
    #expect(try roundTrip(UInt128.max - value.magnitude) == UInt128.max - value.magnitude)
  }

  @Test func whatIsNoWideIntegerDoesNotDecodeAsOne() throws {
    let decoder = ValueDecoder()
    #expect(code { _ = try decoder.decode(Int128.self, from: .decimal(1.5)) } == .invalidValue)
    #expect(code { _ = try decoder.decode(UInt128.self, from: .decimal(-1)) } == .invalidValue)
    #expect(code { _ = try decoder.decode(Int128.self, from: try encoded(Int128.max.magnitude + 2)) } == .invalidValue)
    #expect(code { _ = try decoder.decode(Int128.self, from: .decimal(Decimal(string: "1e39")!)) } == .invalidValue)
    #expect(code { _ = try decoder.decode(Int64.self, from: .decimal(1)) } == .invalidValue)
    #expect(code { _ = try decoder.decode(Int128.self, from: .double(1)) } == .invalidValue)
  }

  @Test(arguments: [Double.nan, -.nan, .infinity, -.infinity, -0.0, Double(bitPattern: 0x7FF0_0000_0000_0001)])
  func keepsTheBitsOfDoubles(_ value: Double) throws {
    #expect(try encoded([value]) == .array([.double(value)]))
    #expect(try roundTrip([value])[0].bitPattern == value.bitPattern)
  }

  @Test(arguments: [Float.nan, -.infinity, -0.0, .leastNonzeroMagnitude])
  func keepsTheBitsOfFloats(_ value: Float) throws {
    #expect(try roundTrip([value])[0].bitPattern == value.bitPattern)
  }

  @Test func refusesWhatCannotBeStored() {
    #expect(code { _ = try encoded(Decimal.nan) } == .invalidValue)
    #expect(code { _ = try encoded([[Decimal.nan]]) } == .invalidValue)
  }

  @Test func keepsBytesInAnArrayAnArray() throws {
    #expect(try encoded([UInt8]([1, 255])) == .array([.int(1), .int(255)]))
  }

  @Test func storesAURLWithItsBase() throws {
    let url = URL(string: "b", relativeTo: URL(string: "https://example.org/a/"))!
    #expect(try encoded([url]) == .array([.url(URL(string: "https://example.org/a/b")!)]))
  }

  @Test func ordersMembersByBytes() throws {
    let value = try encoded(["b": 1, "B": 2, "é": 3, "": 4, "bb": 5])
    guard case .object(let members) = value else {
      Issue.record("not an object")
      return
    }
    #expect(members.map(\.name) == ["", "B", "b", "bb", "é"])
    #expect(try NestedCoding.encode(value).isEmpty == false)
  }

  @Test func keepsComposedAndDecomposedNamesApart() throws {
    let value = try encoded(
      Custom { encoder in
        var container = encoder.container(keyedBy: Name.self)
        try container.encode(1, forKey: Name("\u{E9}"))
        try container.encode(2, forKey: Name("e\u{301}"))
      })
    #expect(value == .object([.init("e\u{301}", .int(2)), .init("\u{E9}", .int(1))]))
  }

  @Test func takesTheLastOfEqualNames() throws {
    let value = try encoded(
      Custom { encoder in
        var container = encoder.container(keyedBy: Name.self)
        try container.encode(1, forKey: Name("a"))
        try container.encode(2, forKey: Name("b"))
        try container.encode("x", forKey: Name("a"))
      })
    #expect(value == object(["a": .string("x"), "b": .int(2)]))
  }

  @Test func goesOnWithANestedContainerOfTheSameName() throws {
    let value = try encoded(
      Custom { encoder in
        var container = encoder.container(keyedBy: Name.self)
        try container.encode(0, forKey: Name("z"))
        var first = container.nestedContainer(keyedBy: Name.self, forKey: Name("n"))
        try first.encode(1, forKey: Name("a"))
        var second = container.nestedContainer(keyedBy: Name.self, forKey: Name("n"))
        try second.encode(2, forKey: Name("b"))
        try first.encode(3, forKey: Name("c"))
      })
    #expect(value == object(["n": object(["a": .int(1), "b": .int(2), "c": .int(3)]), "z": .int(0)]))
  }

  @Test func writesNestedContainersInTheirPlaces() throws {
    let value = try encoded(
      Custom { encoder in
        var list = encoder.unkeyedContainer()
        try list.encode(1)
        var inner = list.nestedUnkeyedContainer()
        try list.encodeNil()
        var keyed = list.nestedContainer(keyedBy: Name.self)
        try inner.encode("late")
        var deep = keyed.nestedUnkeyedContainer(forKey: Name("deep"))
        try deep.encode(true)
        var other = list.superEncoder().singleValueContainer()
        try other.encode(2.5)
      })
    let expected: [Value] = [
      .int(1), .array([.string("late")]), .null, object(["deep": .array([.bool(true)])]), .double(2.5),
    ]
    #expect(value == .array(expected))
  }

  @Test func encodesEnumsWithPayloads() throws {
    #expect(try encoded(Shape.point) == object(["point": .object([])]))
    #expect(try encoded(Shape.circle(radius: 2)) == object(["circle": object(["radius": .double(2)])]))
  }

  @Test func mergesAClassWithItsSuperclass() throws {
    #expect(try encoded(Dog(name: "Rex", age: 3)) == object(["age": .int(3), "name": .string("Rex")]))
  }

  @Test func putsASuperclassUnderItsKey() throws {
    let expected = object(["lives": .int(9), "super": object(["name": .string("Tom")])])
    #expect(try encoded(Cat(name: "Tom", lives: 9)) == expected)
  }

  @Test func encodesDictionariesAsTheStandardLibraryDoes() throws {
    #expect(try encoded([3: "x"]) == object(["3": .string("x")]))
    #expect(try encoded([2.5: "x"]) == .array([.double(2.5), .string("x")]))
  }

  @Test func encodesNothingAsNullAndEmptyContainersAsEmpty() throws {
    #expect(try encoded(Int?.none) == .null)
    #expect(try encoded([Int]()) == .array([]))
    #expect(try encoded([String: Int]()) == .object([]))
  }

  @Test func refusesAValueThatWritesNothing() {
    #expect(code { _ = try encoded(Custom { _ in }) } == .invalidValue)
    #expect(code { _ = try encoded([Custom { _ in }]) } == .invalidValue)
    let withSuper = Custom { encoder in
      var container = encoder.container(keyedBy: Name.self)
      _ = container.superEncoder()
    }
    #expect(code { _ = try encoded(withSuper) } == .invalidValue)
  }

  @Test func refusesContainersOfTwoKinds() {
    let mixed = Custom { encoder in
      var list = encoder.unkeyedContainer()
      try list.encode(1)
      var keyed = encoder.container(keyedBy: Name.self)
      try keyed.encode(1, forKey: Name("a"))
    }
    let twice = Custom { encoder in
      var single = encoder.singleValueContainer()
      try single.encode(1)
      try single.encode(2)
    }
    #expect(code { _ = try encoded(mixed) } == .invalidValue)
    #expect(code { _ = try encoded(twice) } == .invalidValue)
  }

  @Test func makesEqualSetsEqual() throws {
    let numbers = (0..<200).map { $0 * 7919 % 1009 }
    var other = Set<Int>(minimumCapacity: 4096)
    for number in numbers.reversed() { other.insert(number) }
    #expect(try encoded(Set(numbers)) == encoded(other))
    #expect(try roundTrip(other) == other)
  }

  @Test func makesEqualDictionariesOfPairsEqual() throws {
    let numbers = (0..<200).map { Double($0 * 7919 % 1009) }
    var other = [Double: String](minimumCapacity: 4096)
    for number in numbers.reversed() { other[number] = "\(number)" }
    let one = Dictionary(uniqueKeysWithValues: numbers.map { ($0, "\($0)") })
    #expect(try encoded([one]) == encoded([other]))
    #expect(try roundTrip(one) == one)
  }

  @Test func takesAValueTreeAsItIs() throws {
    let tree = object(["a": .array([.decimal(1)])])
    #expect(try encoded(["t": tree]) == object(["t": tree]))
    #expect(try roundTrip(["t": tree]) == ["t": tree])
  }

  @Test func encodesAsDeepAsCanBeStored() throws {
    let value = try encoded(Chain(length: NestedCoding.maximumDepth + 1))
    #expect(try NestedCoding.encode(value).isEmpty == false)
    #expect(try decoded(Chain.self, value).length == NestedCoding.maximumDepth + 1)
  }

  @Test func refusesWhatIsTooDeep() {
    #expect(code { _ = try encoded(Chain(length: NestedCoding.maximumDepth + 2)) } == .limitExceeded)
    #expect(code { _ = try encoded(Chain(length: 5000)) } == .limitExceeded)
  }

  @Test func refusesAValueThatContainsItself() {
    let chain = Chain()
    chain.next = chain
    defer { chain.next = nil }
    #expect(code { _ = try encoded(chain) } == .limitExceeded)
  }

  @Test func refusesAValueThatEncodesItselfWithoutEnd() {
    struct Endless: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self)
      }
    }
    #expect(code { _ = try encoded(Endless()) } == .limitExceeded)
  }

  @Test func refusesNestedContainersThatAreTooDeep() {
    let deep = Custom { encoder in
      var container = encoder.unkeyedContainer()
      for _ in 0..<200 { container = container.nestedUnkeyedContainer() }
    }
    #expect(code { _ = try encoded(deep) } == .limitExceeded)
  }

  @Test func remembersAFailureThatWasSwallowed() {
    let swallowing = Custom { encoder in
      var container = encoder.unkeyedContainer()
      try? container.encode(Chain(length: 5000))
      try container.encode(1)
    }
    #expect(code { _ = try encoded(swallowing) } == .limitExceeded)
  }

  @Test func wrapsWhatTheTypeThrows() {
    struct Mine: Error {}
    let failing = Custom { _ in throw Mine() }
    do {
      _ = try encoded([failing])
      Issue.record("did not throw")
    } catch {
      #expect(error.code == .invalidValue)
      #expect(error.cause is Mine)
    }
  }

  @Test func showsPathAndUserInfo() throws {
    let key = CodingUserInfoKey(rawValue: "k")!
    let asking = Custom { encoder in
      var container = encoder.singleValueContainer()
      let path = encoder.codingPath.map(\.stringValue).joined(separator: "/")
      try container.encode("\(path) \(encoder.userInfo[key] as? Int ?? 0)")
    }
    let value = try ValueEncoder(userInfo: [key: 7]).encode(["a": [asking]])
    #expect(value == object(["a": .array([.string("a/Index 0 7")])]))
  }
}

/// Members of 128 bits, some of which may be nil.
private struct WideParts: Codable, Equatable {
  var signed: Int128
  var unsigned: UInt128
  var maybe: Int128?
  var list: [UInt128?] = [1, nil, .max]
}
