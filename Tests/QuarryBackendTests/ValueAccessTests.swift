import Foundation
import QuarryBackend
import Testing

/// Literals of values, and what values say they are.
@Suite struct ValueAccessTests {
  @Test func literals() {
    let values: [Value] = [true, 3, -3, 2.5, "a", ["x", 1], ["b": 1, "a": ["c": 2], "b": 3], .null]
    let nested = Value.object([.init("a", .object([.init("c", .int(2))])), .init("b", .int(3))])
    let expected: [Value] = [
      .bool(true), .int(3), .int(-3), .double(2.5), .string("a"), .array([.string("x"), .int(1)]), nested, .null,
    ]
    #expect(values == expected)
  }

  @Test func getters() throws {
    let (date, uuid, url) = (Date(timeIntervalSinceReferenceDate: 1), UUID(), try #require(URL(string: "a:b")))
    #expect(Value.bool(true).boolValue == true && Value.int(1).boolValue == nil)
    #expect(Value.int(7).intValue == 7 && Value.uint(.max).intValue == nil && Value.double(7).intValue == nil)
    #expect(Value.double(0.5).doubleValue == 0.5 && Value.float(0.5).doubleValue == 0.5)
    #expect(Value.int(1 << 53).doubleValue == 0x1p53 && Value.int(1 << 53 + 1).doubleValue == nil)
    #expect(Value.decimal(1).doubleValue == nil && Value.double(1).decimalValue == nil)
    #expect(Value.decimal(1.5).decimalValue == 1.5 && Value.uint(.max).decimalValue == Decimal(UInt64.max))
    #expect(Value.string("a").stringValue == "a" && Value.null.stringValue == nil)
    #expect(Value.date(date).dateValue == date && Value.double(1).dateValue == nil)
    #expect(Value.data(Data([1])).dataValue == Data([1]) && Value.string("a").dataValue == nil)
    #expect(Value.uuid(uuid).uuidValue == uuid && Value.string(uuid.uuidString).uuidValue == nil)
    #expect(Value.url(url).urlValue == url && Value.string("a:b").urlValue == nil)
    #expect(Value.array([1]).arrayValue == [1] && Value.null.arrayValue == nil)
    let nested: Value = ["a": ["b": 2]]
    #expect(nested["a"]?["b"]?.intValue == 2 && nested["b"] == nil && Value.int(1)["a"] == nil)
  }
}
