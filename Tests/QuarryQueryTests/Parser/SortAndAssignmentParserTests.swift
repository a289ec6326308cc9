import Testing

@testable import QuarryBackend
@testable import QuarryQuery

/// The short texts of orders and assignments.
struct SortAndAssignmentParserTests {
  @Test(
    arguments: [
      ("", []), ("a", [.init("a")]), ("-a, b", [.init("a", isDescending: true), .init("b")]),
      ("+`a b`,-in", [.init("a b"), .init("in", isDescending: true)]),
      ("-a.b.c,d", [.init(PropertyPath("a", members: ["b", "c"]), isDescending: true), .init("d")]),
    ] as [(String, [QueryTree.SortKey])])
  func order(_ text: String, _ keys: [QueryTree.SortKey]) throws {
    #expect(try SortParser.parse(text) == keys)
  }

  @Test(arguments: ["-", "a,", "a b", "--a", "a.", ".a", "1"])
  func badOrderIsAnInvalidQuery(_ text: String) {
    #expect { try SortParser.parse(text) } throws: { ($0 as? StorageError)?.code == .invalidQuery }
  }

  @Test(arguments: [
    ("a=1", [AssignmentTree("a", .set, .int(1))]),
    ("a=-1", [AssignmentTree("a", .set, .int(-1))]),
    ("name='x, y'", [AssignmentTree("name", .set, .string("x, y"))]),
    ("year=year+1", [AssignmentTree("year", .add, .int(1))]),
    ("year = year-1", [AssignmentTree("year", .subtract, .int(1))]),
    ("year = year - -1", [AssignmentTree("year", .subtract, .int(-1))]),
    ("year = year * 2, b = nil", [AssignmentTree("year", .multiply, .int(2)), AssignmentTree("b", .set, .null)]),
    (
      "a += 1, b -= 2, c *= 3",
      [
        AssignmentTree("a", .add, .int(1)), AssignmentTree("b", .subtract, .int(2)),
        AssignmentTree("c", .multiply, .int(3)),
      ]
    ),
    ("`a b` == TRUE, a = -1", [AssignmentTree("a b", .set, .bool(true)), AssignmentTree("a", .set, .int(-1))]),
    ("in = #in + 1", [AssignmentTree("in", .add, .int(1))]),
    ("a = {1, 2}", [AssignmentTree("a", .set, .array([.int(1), .int(2)]))]),
  ])
  func assignments(_ text: String, _ expected: [AssignmentTree]) throws {
    #expect(try AssignmentParser.parse(text) == expected)
  }

  @Test(arguments: ["", "a", "a=", "a=b", "a=b+1", "a=a", "a=a/2", "a=1 b=2", "a=1,", "a<1", "a=a+b", "a = 1 + a"])
  func badAssignmentIsAnInvalidQuery(_ text: String) {
    #expect { try AssignmentParser.parse(text) } throws: { ($0 as? StorageError)?.code == .invalidQuery }
  }

  @Test func argumentsOfAssignments() throws {
    #expect(
      try AssignmentParser.parse("%K = %@", arguments: [.string("a"), .double(1)]) == [
        AssignmentTree("a", .set, .double(1))
      ])
  }
}
