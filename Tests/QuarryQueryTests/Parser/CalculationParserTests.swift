import QuarryBackend
import QuarryQuery
import Testing

/// Arithmetic in predicate strings: how firmly it binds, where it may stand, and that it comes back from its text.
@Suite struct CalculationParserTests {
  private static let a = Operand.property(PropertyPath("a"))
  private static let b = Operand.property(PropertyPath("b"))

  private static func number(_ value: Int64) -> Operand { .value(.int(value)) }

  @Test(arguments: [
    ("a + b * 2 == 1", Operand.arithmetic(a, .add, .arithmetic(b, .multiply, number(2)))),
    ("(a + b) * 2 == 1", .arithmetic(.arithmetic(a, .add, b), .multiply, number(2))),
    ("a - b - 2 == 1", .arithmetic(.arithmetic(a, .subtract, b), .subtract, number(2))),
    ("a-2 == 1", .arithmetic(a, .subtract, number(2))), ("a -2 == 1", .arithmetic(a, .subtract, number(2))),
    ("a*-2 == 1", .arithmetic(a, .multiply, number(-2))), ("-a == 1", .arithmetic(number(-1), .multiply, a)),
    ("a % 2 == 1", .arithmetic(a, .remainder, number(2))), ("a / b == 1", .arithmetic(a, .divide, b)),
    ("((a)) == 1", a), ("(a + 2) == 1", .arithmetic(a, .add, number(2))),
    ("a.@count + 1 == 1", .arithmetic(.count(PropertyPath("a")), .add, number(1))),
  ])
  func reads(_ text: String, _ left: Operand) throws {
    let tree = PredicateTree.compare(left, .equal, Self.number(1))
    #expect(try PredicateParser.parse(text) == tree)
    #expect(try PredicateParser.parse(tree.description) == tree)
    #expect(try PredicateParser.parse("NOT (\(text) AND (\(text)))") == .not(.and([tree, tree])))
  }

  @Test(arguments: [
    "(a + 1)", "a +", "(a + 1 == 2", "a + 1) == 2", "a ** 2 == 1", "(a == 1) + 2 == 3", "ANY (a + 1) == 2",
  ])
  func refuses(_ text: String) {
    let error = #expect(throws: StorageError.self) { try PredicateParser.parse(text) }
    #expect(error?.code == .invalidQuery && error?.message.contains("at column") == true)
  }

  @Test func aLongOneIsRefusedAndDoesNotUseUpTheStack() {
    for text in [
      "a" + String(repeating: " + a", count: 100_000) + " == 1",
      String(repeating: "(", count: 100_000) + "a" + String(repeating: ")", count: 100_000) + " == 1",
      String(repeating: "-(", count: 100_000), String(repeating: "(1 + ", count: 5_000),
    ] {
      let error = #expect(throws: StorageError.self) { try PredicateParser.parse(text) }
      #expect(error?.code == .limitExceeded)
    }
  }
}
