import Foundation
import QuarryBackend
import QuarryTestSupport
import Testing

@Suite struct NestedTestTests {
  static let tree = Value.object(unordered: [
    .init("name", .string("Ada")), .init("born", .int(1815)), .init("height", .double(1.65)), .init("none", .null),
    .init("tags", .array([.string("Maths"), .string("poems"), .null])),
    .init(
      "home",
      .object(unordered: [.init("city", .string("Zürich")), .init("site", .url(URL(string: "https://ada.org")!))])),
    .init(
      "works",
      .array([
        .object(unordered: [.init("year", .int(1842)), .init("pages", .int(10))]),
        .object(unordered: [.init("year", .int(1843)), .init("pages", .int(60))]),
      ])), .init("nan", .double(.nan)),
  ])

  static func matches(_ test: NestedTest, _ value: Value = tree) throws -> Bool {
    var generator = SeededGenerator(seed: 1)
    var row = Everything.random(&generator)
    let slot = Everything.slot("tree")
    row[slot] = value
    return try QuarryBackendTests.matches(.nested(slot: slot, test), Everything.bytes(row))
  }

  static func path(_ names: String...) -> [ByteString] { names.map { ByteString($0) } }

  static let comparisons: [(NestedTest, Bool)] = [
    (.compare(path: path("born"), .equal, .int(1815)), true),
    (.compare(path: path("born"), .equal, .double(1815)), true),
    (.compare(path: path("born"), .less, .double(1815.5)), true),
    (.compare(path: path("born"), .equal, .string("1815")), false),
    (.compare(path: path("born"), .notEqual, .string("1815")), true),
    (.compare(path: path("born"), .less, .string("x")), false),
    (.compare(path: path("born"), .greaterOrEqual, .string("x")), false),
    (.compare(path: path("height"), .greater, .decimal(1)), true),
    (.compare(path: path("home", "city"), .equal, .string("Zürich")), true),
    (.compare(path: path("home", "city"), .equal, .string("Zu\u{308}rich")), false),
    (.compare(path: path("home", "country"), .equal, .null), true),
    (.compare(path: path("home", "country", "code"), .equal, .null), true),
    (.compare(path: path("home", "country"), .notEqual, .int(1)), true),
    (.compare(path: path("home", "country"), .lessOrEqual, .null), false),
    (.compare(path: path("none"), .equal, .null), true),
    (.compare(path: path("name"), .notEqual, .null), true),
    (.compare(path: path("nan"), .equal, .double(.nan)), false),
    (.compare(path: path("nan"), .notEqual, .double(.nan)), true),
    (.compare(path: path("home"), .equal, .object(unordered: [.init("city", .string("Zürich"))])), false),
    (
      .compare(
        path: path("works"), .equal,
        .array([
          .object(unordered: [.init("pages", .int(10)), .init("year", .double(1842)), .init("more", .null)]),
          .object(unordered: [.init("pages", .int(60)), .init("year", .int(1843))]),
        ])), true
    ),
    (.compare(path: path("tags"), .less, .array([])), false),
    (.oneOf(path: path("born"), [.int(1), .decimal(1815)]), true),
    (.oneOf(path: path("gone"), [.null]), true),
    (.oneOf(path: path("gone"), []), false),
    (.count(path: path("tags"), .equal, 3), true),
    (.count(path: path("tags"), .less, 3), false),
    (.count(path: path("gone"), .equal, 0), false),
    (.count(path: path("gone"), .notEqual, 0), true),
    (.text(path: path("home", "city"), .hasPrefix, "zu", [.caseInsensitive, .diacriticInsensitive]), true),
    (.text(path: path("home", "site"), .contains, "ada", []), true),
    (.text(path: path("born"), .contains, "", []), false),
    (.containsElement(path: path("tags"), .string("poems")), true),
    (.containsElement(path: path("tags"), .null), true),
    (.containsElement(path: path("gone"), .null), false),
    (.any(path: path("works"), .compare(path: path("pages"), .greater, .int(50))), true),
    (.all(path: path("works"), .compare(path: path("pages"), .greater, .int(50))), false),
    (.all(path: path("works"), .compare(path: path("year"), .greater, .int(1800))), true),
    (.all(path: path("gone"), .constant(false)), true),
    (.any(path: path("gone"), .constant(true)), false),
    (
      .any(
        path: path("works"),
        .and([.compare(path: path("year"), .equal, .int(1842)), .compare(path: path("pages"), .equal, .int(60))])),
      false
    ),
    (.any(path: path("tags"), .compare(path: [], .equal, .string("Maths"))), true),
    (.not(.compare(path: path("gone"), .less, .int(1))), true),
    (.or([]), false), (.and([]), true),
  ]

  @Test(arguments: comparisons.indices) func tests(_ index: Int) throws {
    let (test, expected) = Self.comparisons[index]
    #expect(try Self.matches(test) == expected, "\(test)")
  }

  @Test func aNilValueHasNothingInside() throws {
    #expect(try Self.matches(.compare(path: [], .equal, .null), .null))
    #expect(try Self.matches(.compare(path: Self.path("a"), .equal, .null), .null))
    #expect(try Self.matches(.all(path: [], .constant(false)), .null))
    #expect(try !Self.matches(.count(path: [], .equal, 0), .null))
  }

  @Test func damagedValuesAreCorrupt() throws {
    let slot = Everything.layout.slots[Everything.slot("tree")]
    let writer = RowWriter(Everything.layout)
    writer.begin()
    [UInt8(200), 1].withUnsafeBytes { writer.set(slot, bytes: $0) }
    let row = Array(try writer.finish())
    let error = #expect(throws: StorageError.self) {
      try QuarryBackendTests.matches(.nested(slot: Int(slot.index), .constant(false)), row)
    }
    #expect(error?.code == .corrupt)
  }
}
