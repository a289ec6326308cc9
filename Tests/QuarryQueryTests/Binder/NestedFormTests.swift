import Testing

@testable import QuarryBackend
@testable import QuarryQuery

@Suite("Nested values whose members the program knows")
struct NestedFormTests {
  private static let part = NestedShape(
    name: "Part",
    members: [
      .init("x", .plain(.int64), defaultValue: .int(1)), .init("name", .plain(.string)), .init("own", .foreign("Own")),
    ])
  private static let whole = NestedShape(
    name: "Whole",
    members: [
      .init("part", part.form, defaultValue: .object([.init("x", .int(7))])), .init("parts", .array(part.form)),
      .init("free", .unknown), .init("count", .plain(.int32)), .init("since", .plain(.date)),
    ])

  private static let model = ModelSchema(
    name: "M",
    properties: [
      PropertySchema(name: "id", type: .int64), PropertySchema(name: "whole", type: .nested, isOptional: true),
      PropertySchema(name: "parts", type: .array, elementType: .nested),
    ], primaryKey: 0)
  private static let binder = QueryBinder(model, forms: [1: whole.form, 2: .array(part.form)])

  private static func bind(_ text: String) throws(StorageError) -> BoundPredicate {
    try binder.bind(try PredicateParser.parse(text))
  }

  @Test(
    "A name that is not there is refused with its nearest",
    arguments: [
      ("whole.prat.x == 1", "Whole has no member prat; did you mean part?"),
      ("whole.part.nmae == 'a'", "Part has no member nmae; did you mean name?"),
      ("ANY parts.nam == 'a'", "Part has no member nam; did you mean name?"),
      ("ANY whole.parts (SELF.y == 1)", "Part has no member y"),
      ("whole.counts.@count == 1", "Whole has no member counts; did you mean count?"),
    ])
  func unknownMember(text: String, message: String) throws {
    let error = try #require(throws: StorageError.self) { try Self.bind(text) }
    #expect(error.code == .invalidQuery)
    #expect(error.message.hasPrefix(message))
    #expect(error.model == "M" && error.property != nil)
  }

  @Test(
    "What a member's type cannot be compared with is refused",
    arguments: [
      "whole.count == 'x'", "whole.part.name > 3", "whole.since == 'soon'", "whole.part == 3", "whole.part.x.y == 1",
      "whole.parts.x == 1", "whole.count.@count == 1", "whole.count CONTAINS 'x'", "ANY whole.count == 1",
      "whole.parts CONTAINS 'x'", "ANY parts.x == 'a'", "whole.part BEGINSWITH 'x'",
    ])
  func otherType(text: String) throws {
    let error = try #require(throws: StorageError.self) { try Self.bind(text) }
    #expect(error.code == .invalidQuery, "\(error)")
  }

  @Test("A member of a type with a form of its own is not compared, and can be nil")
  func foreign() throws {
    let error = try #require(throws: StorageError.self) { try Self.bind("whole.part.own == 1") }
    #expect(error.code == .unsupported && error.capability == .queryNested && error.property == "whole")
    #expect(throws: Never.self) { try Self.bind("whole.part.own == nil AND whole.part.own.cents == 1") }
  }

  @Test("Constants become values of the member's type, and tests complete the value")
  func constants() throws {
    let path = [ByteString("count")]
    #expect(
      try Self.bind("whole.count == 2.0")
        == .nested(slot: 1, .completing(Self.whole.form, .compare(path: path, .equal, .int(2)))))
    let count = PropertyPath("whole", members: ["count"])
    #expect(
      try Self.binder.bind(.compare(.property(count), .notEqual, .value(.double(.nan)))) == .constant(true))
    #expect(throws: Never.self) { try Self.bind("whole.free.thing.part == 'x' AND ANY whole.free.list (SELF == 1)") }
  }

  @Test("A value has the defaults that it lacks, in their order, and is left alone where it lacks nothing")
  func completing() {
    let form = Self.whole.form
    let lacking = Value.object([
      .init("a", .int(1)), .init("parts", .array([.object([.init("x", .int(2))]), .object([])])),
    ])
    let part = Value.object([.init("x", .int(7))])
    #expect(
      form.completing(lacking)
        == .object([
          .init("a", .int(1)), .init("part", part),
          .init("parts", .array([.object([.init("x", .int(2))]), .object([.init("x", .int(1))])])),
        ]))
    let complete = form.completing(lacking)
    #expect(form.completing(complete) == complete)
    for other: Value in [
      .null, .int(1), .array([.object([])]), .object([.init("part", .null), .init("z", .int(1))]),
      .object([.init("part", .object([.init("x", .null)]))]),
    ] {
      #expect(form.completing(other) == other)
    }
    #expect(form.completing(.object([])) == .object([.init("part", part)]))
  }

  @Test("A type that is a part of itself ends")
  func recursive() {
    #expect(!Tree.plain.hasDefaults)
    #expect(Tree.defaulted.hasDefaults)
    let tree = Value.object([.init("kids", .array([.object([.init("kids", .array([]))])]))])
    #expect(Tree.plain.form.completing(tree) == tree)
    #expect(
      Tree.defaulted.form.completing(tree)
        == .object([
          .init("kids", .array([.object([.init("kids", .array([])), .init("n", .int(1))])])), .init("n", .int(1)),
        ]))
  }
}

private enum Tree {
  static let plain: NestedShape = NestedShape(
    name: "Tree", members: [.init("kids", .array(.nested(NestedReference { plain })))])
  static let defaulted: NestedShape = NestedShape(
    name: "Tree",
    members: [
      .init("kids", .array(.nested(NestedReference { defaulted }))),
      .init("n", .plain(.int64), defaultValue: .int(1)),
    ])
}

extension NestedShape {
  fileprivate var form: NestedForm { .nested(NestedReference { self }) }
}
