import Foundation
import QuarryBackend
import QuarryQuery
import QuarryTestSupport
import Testing

@testable import QuarryCore

/// The tree of each form that `#Predicate` has on Linux.
@Suite struct FoundationPredicateTests {
  private let limit = 1970
  private let none: String? = nil
  private let some: String? = "x"

  @Test func comparesWithConstants() throws {
    let limit = limit
    #expect(try tree(#Predicate { $0.year == 1970 }) == .test("year", .equal, .int(1970)))
    #expect(try tree(#Predicate { $0.year != limit }) == .test("year", .notEqual, .int(1970)))
    #expect(try tree(#Predicate { $0.year < limit }) == .test("year", .less, .int(1970)))
    #expect(try tree(#Predicate { $0.pages <= 3 }) == .test("pages", .lessOrEqual, .int(3)))
    #expect(try tree(#Predicate { $0.price > 1.5 }) == .test("price", .greater, .double(1.5)))
    #expect(try tree(#Predicate { $0.weight >= 1.5 }) == .test("weight", .greaterOrEqual, .float(1.5)))
    #expect(try tree(#Predicate { 1970 < $0.year }) == .test("year", .greater, .int(1970)))
    #expect(try tree(#Predicate { $0.copies == 18_446_744_073_709_551_615 }) == .test("copies", .equal, .uint(.max)))
  }

  @Test func comparesEveryKindOfConstant() throws {
    let book = SampleBook()
    let (key, cover, printed, cost, link) = (book.key, book.cover, book.printed, book.cost, book.link)
    #expect(try tree(#Predicate { $0.key == key }) == .test("key", .equal, .uuid(key)))
    #expect(try tree(#Predicate { $0.cover == cover }) == .test("cover", .equal, .data(cover)))
    #expect(try tree(#Predicate { $0.printed < printed }) == .test("printed", .less, .date(printed)))
    #expect(try tree(#Predicate { $0.cost > cost }) == .test("cost", .greater, .decimal(cost)))
    #expect(try tree(#Predicate { $0.link == link }) == .test("link", .equal, .url(link)))
    #expect(try tree(#Predicate { $0.isLent == true }) == .test("isLent", .equal, .bool(true)))
    let genre = Genre.essay
    #expect(try tree(#Predicate { $0.genre == genre }) == .test("genre", .equal, .string("essay")))
    let tags = ["a", "b"]
    let list = Value.array([.string("a"), .string("b")])
    #expect(try tree(#Predicate { $0.tags == tags }) == .test("tags", .equal, list))
    let publisher = Publisher(name: "n", founded: 1)
    let nested = Value.object([.init("founded", .int(1)), .init("name", .string("n"))])
    #expect(try tree(#Predicate { $0.publisher == publisher }) == .test("publisher", .equal, nested))
  }

  @Test func comparesProperties() throws {
    let expected = PredicateTree.compare(.property(PropertyPath("price")), .less, .property(PropertyPath("price")))
    #expect(try tree(#Predicate { $0.price < $0.price }) == expected)
  }

  @Test func knowsNil() throws {
    let (none, some) = (none, some)
    #expect(try tree(#Predicate { $0.blurb == nil }) == .test("blurb", .equal, .null))
    #expect(try tree(#Predicate { $0.blurb != nil }) == .test("blurb", .notEqual, .null))
    #expect(try tree(#Predicate { $0.blurb == none }) == .test("blurb", .equal, .null))
    #expect(try tree(#Predicate { $0.blurb != some }) == .test("blurb", .notEqual, .string("x")))
    #expect(try tree(#Predicate { $0.rating == 3 }) == .test("rating", .equal, .int(3)))
  }

  @Test func takesABoolAsACondition() throws {
    #expect(try tree(#Predicate { $0.isLent }) == .test("isLent", .equal, .bool(true)))
    #expect(try tree(#Predicate { !$0.isLent }) == .test("isLent", .notEqual, .bool(true)))
    #expect(try tree(#Predicate { $0.isSigned ?? false }) == .test("isSigned", .equal, .bool(true)))
    #expect(try tree(#Predicate { _ in true }) == .constant(true))
    #expect(try tree(.false) == .constant(false))
  }

  @Test func flattensLogic() throws {
    let (a, b) = (PredicateTree.test("year", .greater, .int(1)), PredicateTree.test("isLent", .equal, .bool(true)))
    let c = PredicateTree.test("pages", .less, .int(9))
    #expect(try tree(#Predicate { $0.year > 1 && $0.isLent && $0.pages < 9 }) == .and([a, b, c]))
    #expect(try tree(#Predicate { $0.year > 1 || $0.isLent || $0.pages < 9 }) == .or([a, b, c]))
    #expect(try tree(#Predicate { !($0.year > 1) && true }) == .not(a))
    #expect(try tree(#Predicate { !(!($0.year > 1)) }) == a)
  }

  @Test func findsText() throws {
    let title = Operand.property(PropertyPath("title"))
    #expect(try tree(#Predicate { $0.title.contains("x") }) == .text(title, .contains, "x", []))
    #expect(try tree(#Predicate { $0.title.starts(with: "x") }) == .text(title, .hasPrefix, "x", []))
    #expect(try tree(#Predicate { $0.title.isEmpty }) == .test("title", .equal, .string("")))
  }

  @Test func findsTextInOptionals() throws {
    let contains = PredicateTree.text(.property(PropertyPath("blurb")), .contains, "x", [])
    let hasPrefix = PredicateTree.text(.property(PropertyPath("blurb")), .hasPrefix, "x", [])
    let isNil = PredicateTree.test("blurb", .equal, .null)
    #expect(try tree(#Predicate { $0.blurb?.contains("x") ?? false }) == contains)
    #expect(try tree(#Predicate { $0.blurb?.contains("x") == true }) == contains)
    #expect(try tree(#Predicate { $0.blurb?.starts(with: "x") == true }) == hasPrefix)
    #expect(try tree(#Predicate { $0.blurb?.contains("x") ?? true }) == .or([contains, isNil]))
    #expect(try tree(#Predicate { $0.blurb?.contains("x") == nil }) == isNil)
    #expect(try tree(#Predicate { $0.blurb.flatMap { $0.contains("x") } ?? false }) == contains)
    #expect(try tree(#Predicate { if let b = $0.blurb { b.contains("x") } else { false } }) == contains)
    #expect(try tree(#Predicate { $0.blurb!.contains("x") }) == contains)
    #expect(try tree(#Predicate { ($0.blurb ?? "").contains("x") }) == contains)
  }

  @Test func unwrapsOptionals() throws {
    let greater = PredicateTree.test("rating", .greater, .int(3))
    #expect(try tree(#Predicate { $0.rating! > 3 }) == greater)
    #expect(try tree(#Predicate { ($0.rating ?? 0) > 3 }) == greater)
    #expect(try tree(#Predicate { ($0.rating ?? 5) > 3 }) == .or([greater, .test("rating", .equal, .null)]))
  }

  @Test func findsAValueAmongConstants() throws {
    let (titles, empty) = (["a", "b"], [Int]())
    let title = Operand.property(PropertyPath("title"))
    let expected = PredicateTree.oneOf(title, [.string("a"), .string("b")])
    #expect(try tree(#Predicate { titles.contains($0.title) }) == expected)
    #expect(try tree(#Predicate { ["a", "b"].contains($0.title) }) == expected)
    #expect(try tree(#Predicate { !empty.contains($0.year) }) == .constant(true))
    let blurbs = ["a", nil]
    let blurb = Operand.property(PropertyPath("blurb"))
    #expect(try tree(#Predicate { blurbs.contains($0.blurb) }) == .oneOf(blurb, [.string("a"), .null]))
  }

  @Test func leavesNaNOutOfAList() throws {
    let (prices, nothing) = ([1, Double.nan], [Double.nan])
    #expect(
      try tree(#Predicate { prices.contains($0.price) }) == .oneOf(.property(PropertyPath("price")), [.double(1)]))
    #expect(try tree(#Predicate { nothing.contains($0.price) }) == .constant(false))
  }

  @Test func findsRanges() throws {
    let expected = PredicateTree.and([.test("year", .greaterOrEqual, .int(1)), .test("year", .lessOrEqual, .int(3))])
    let range = 1...3
    #expect(try tree(#Predicate { (1...3).contains($0.year) }) == expected)
    #expect(try tree(#Predicate { range.contains($0.year) }) == expected)
    let half = 1.5..<2.5
    let halfExpected = PredicateTree.and([
      .test("price", .greaterOrEqual, .double(1.5)), .test("price", .less, .double(2.5)),
    ])
    #expect(try tree(#Predicate { half.contains($0.price) }) == halfExpected)
    let open = 3...
    #expect(try tree(#Predicate { open.contains($0.year) }) == .test("year", .greaterOrEqual, .int(3)))
  }

  @Test func looksIntoArrays() throws {
    let tags = PropertyPath("tags")
    #expect(try tree(#Predicate { $0.tags.contains("x") }) == .containsElement(tags, .string("x")))
    #expect(try tree(#Predicate { $0.tags.isEmpty }) == .compare(.count(tags), .equal, .value(.int(0))))
    #expect(try tree(#Predicate { $0.tags.count > 2 }) == .compare(.count(tags), .greater, .value(.int(2))))
    let hasPrefix = PredicateTree.text(.property(.element), .hasPrefix, "x", [])
    let other = PredicateTree.test("", .notEqual, .string("xy"))
    #expect(
      try tree(#Predicate { $0.tags.contains { $0.starts(with: "x") && $0 != "xy" } })
        == .any(tags, .and([hasPrefix, other])))
    #expect(try tree(#Predicate { $0.tags.allSatisfy { $0.starts(with: "x") } }) == .all(tags, hasPrefix))
    let reviews = PropertyPath("reviews")
    #expect(try tree(#Predicate { $0.reviews?.contains("x") ?? false }) == .containsElement(reviews, .string("x")))
    #expect(
      try tree(#Predicate { $0.notes.contains { $0 == nil } }) == .any(PropertyPath("notes"), .test("", .equal, .null)))
  }

  @Test func writesOutClosuresOverConstants() throws {
    let parts = ["a", "b"]
    let title = Operand.property(PropertyPath("title"))
    let expected = PredicateTree.or([.text(title, .contains, "a", []), .text(title, .contains, "b", [])])
    #expect(try tree(#Predicate { book in parts.contains { book.title.contains($0) } }) == expected)
    #expect(code { _ = try tree(#Predicate { b in (0...20_000).contains { $0 == b.year } }) } == .limitExceeded)
  }

  @Test func looksIntoStoredDictionaries() throws {
    let path = PropertyPath("names", members: ["k"])
    #expect(try tree(#Predicate { $0.names["k"] == 3 }) == .compare(.property(path), .equal, .value(.int(3))))
    #expect(
      try tree(#Predicate { $0.names["k", default: 0] > 3 }) == .compare(.property(path), .greater, .value(.int(3))))
  }

  @Test func foldsConstants() throws {
    let limit = limit
    let publisher = Publisher(name: "n", founded: 1900)
    let table = ["k": 5]
    let list = [4, 6]
    #expect(try tree(#Predicate { $0.year > limit + 10 * 3 - 1 }) == .test("year", .greater, .int(1999)))
    #expect(try tree(#Predicate { $0.year == -limit }) == .test("year", .equal, .int(-1970)))
    #expect(try tree(#Predicate { $0.year == limit / 3 % 7 }) == .test("year", .equal, .int(1970 / 3 % 7)))
    #expect(try tree(#Predicate { $0.price == -0.0 }) == .test("price", .equal, .double(-0.0)))
    #expect(try tree(#Predicate { $0.year > publisher.founded }) == .test("year", .greater, .int(1900)))
    #expect(try tree(#Predicate { $0.rating == table["k"] }) == .test("rating", .equal, .int(5)))
    #expect(
      try tree(#Predicate { $0.year == list[1] && $0.year == list.max()! })
        == .and([
          .test("year", .equal, .int(6)), .test("year", .equal, .int(6)),
        ]))
    #expect(try tree(#Predicate { $0.year > 3 && limit > 5 }) == .test("year", .greater, .int(3)))
  }

  @Test func refusesArithmeticThatDoesNotFit() {
    let (huge, zero) = (Int.max, 0)
    #expect(code { _ = try tree(#Predicate { $0.year > huge + 1 }) } == .invalidValue)
    #expect(code { _ = try tree(#Predicate { $0.year > 1 / zero }) } == .invalidValue)
    let least = Int.min
    #expect(code { _ = try tree(#Predicate { $0.year > -least }) } == .invalidValue)
  }

  @Test func expandsConditionals() throws {
    let lent = PredicateTree.test("isLent", .equal, .bool(true))
    let notLent = PredicateTree.test("isLent", .notEqual, .bool(true))
    let (over, under) = (PredicateTree.test("year", .greater, .int(3)), PredicateTree.test("year", .less, .int(2)))
    let expected = PredicateTree.or([.and([lent, over]), .and([notLent, under])])
    #expect(try tree(#Predicate { $0.isLent ? $0.year > 3 : $0.year < 2 }) == expected)
    #expect(try tree(#Predicate { if $0.isLent { $0.year > 3 } else { $0.year < 2 } }) == expected)
    let values = PredicateTree.or([
      .and([lent, .test("year", .greater, .int(3))]), .and([notLent, .test("year", .greater, .int(5))]),
    ])
    #expect(try tree(#Predicate { $0.year > ($0.isLent ? 3 : 5) }) == values)
  }

  private static let cast = BookPredicate { book in
    typealias Year = PredicateExpressions.KeyPath<PredicateExpressions.Variable<SampleBook>, Int>
    let year = PredicateExpressions.build_KeyPath(root: book, keyPath: \.year)
    return PredicateExpressions.build_Equal(
      lhs: PredicateExpressions.ConditionalCast<Year, UInt8>(year), rhs: PredicateExpressions.build_NilLiteral())
  }

  private static let refused: [(what: String, predicate: BookPredicate)] = {
    // One by one: the compiler gives up on a list of them.
    var list: [(what: String, predicate: BookPredicate)] = []
    list.append(("a member of a nested value", #Predicate { $0.publisher.founded > 3 }))
    list.append(("a member of an optional nested value", #Predicate { $0.owner?.founded == 3 }))
    list.append(("the raw value of an enum", #Predicate { $0.genre.rawValue == "essay" }))
    list.append(("arithmetic with an element", #Predicate { $0.scores.contains { $0 + 1 > 3 } }))
    list.append(("how many a filter leaves", #Predicate { $0.tags.filter { $0 == "x" }.count > 1 }))
    list.append(("an element by its index", #Predicate { $0.tags[0] == "x" }))
    list.append(("the first element", #Predicate { $0.tags.first == "x" }))
    list.append(("the greatest element beside a property", #Predicate { $0.scores.max()! > $0.price }))
    list.append(("the greatest of a filtered array", #Predicate { $0.tags.filter { $0 == "x" }.max() == "x" }))
    list.append(("an array that contains a property", #Predicate { $0.tags.contains($0.title) }))
    list.append(("a closure that looks outside", #Predicate { b in b.tags.contains { $0 == b.title } }))
    list.append(("a string that contains a property", #Predicate { $0.title.contains($0.blurb ?? "") }))
    list.append(("an order of its own", #Predicate { $0.rank > $0.rank }))
    list.append(("a regular expression that looks ahead", #Predicate { $0.title.contains(/x(?=y)/) }))
    list.append(("a cast", cast))
    list.append(("part of an array", #Predicate { $0.tags.starts(with: ["x"]) }))
    list.append(("the size of a dictionary", #Predicate { $0.names.count == 1 }))
    return list
  }()

  @Test(arguments: refused.indices)
  func refusesWhatHasNoCounterpart(_ index: Int) {
    let (what, predicate) = Self.refused[index]
    do {
      let result = try tree(predicate)
      Issue.record("\(what) became \(result)")
    } catch {
      #expect(error.code == .unsupported, "\(what): \(error)")
    }
  }

  @Test func refusesAPropertyThatIsNotStored() {
    #expect(code { _ = try tree(#Predicate { $0.shelf == 3 }) } == .invalidQuery)
  }

  @Test func refusesAnUnwrappedConstantNil() {
    let none = none
    #expect(code { _ = try tree(#Predicate { $0.title == none! }) } == .invalidQuery)
  }

  @Test func refusesACastThatFails() {
    #expect(code { _ = try tree(#Predicate { $0.title.contains("x" as Character) }) } == .invalidQuery)
  }

  @Test func refusesAnExpressionThatIsTooDeep() {
    func negated(_ expression: some PredicateExpression<Bool>, times: Int) -> any PredicateExpression<Bool> {
      times == 0 ? expression : negated(PredicateExpressions.Negation(expression), times: times - 1)
    }
    let constant = PredicateExpressions.build_Arg(true)
    let translator = PredicateTranslator(root: PredicateExpressions.Variable<SampleBook>().key) { _ in nil }
    #expect(code { _ = try translator.condition(negated(constant, times: 100)) } == nil)
    #expect(code { _ = try translator.condition(negated(constant, times: 600)) } == .limitExceeded)
  }

  @Test func refusesTooManyCases() {
    let variable = PredicateExpressions.Variable<SampleBook>()
    let isLent = PredicateExpressions.build_KeyPath(root: variable, keyPath: \.isLent)
    func choices(_ last: some PredicateExpression<Int>, times: Int) -> any PredicateExpression<Int> {
      guard times > 0 else { return last }
      let value = PredicateExpressions.build_Arg(times)
      return choices(PredicateExpressions.build_Conditional(isLent, value, last), times: times - 1)
    }
    func equal(_ left: some PredicateExpression<Int>, _ right: some PredicateExpression<Int>)
      -> any PredicateExpression<Bool>
    {
      PredicateExpressions.build_Equal(lhs: left, rhs: right)
    }
    let year = PredicateExpressions.build_KeyPath(root: variable, keyPath: \.year)
    let translator = PredicateTranslator(root: variable.key) {
      ($0 as? PartialKeyPath<SampleBook>).flatMap(SampleBook.name)
    }
    let few = equal(choices(year, times: 5), choices(year, times: 5))
    let many = equal(choices(year, times: 40), choices(year, times: 40))
    #expect(code { _ = try translator.condition(few) } == nil)
    #expect(code { _ = try translator.condition(many) } == .limitExceeded)
  }

  @Test func refusesConstantsThatAreNotStored() {
    let nan = Decimal.nan
    #expect(code { _ = try tree(#Predicate { $0.cost == nan }) } == .unsupported)
  }

  @Test func comparesStringsByBytes() throws {
    let composed = "\u{E9}"
    let decomposed = "e\u{301}"
    let isSame = #Predicate<SampleBook> { _ in composed == decomposed }
    #expect(try tree(isSame) == .constant(false))
    #expect(try tree(#Predicate { $0.title == decomposed }) != tree(#Predicate { $0.title == composed }))
  }

  @Test func translatesSortDescriptors() throws {
    let descriptors = [
      SortDescriptor(\SampleBook.title, comparator: .lexical, order: .reverse), SortDescriptor(\SampleBook.year),
      SortDescriptor(\SampleBook.blurb, comparator: .lexical),
    ]
    let expected = [
      QueryTree.SortKey("title", isDescending: true), QueryTree.SortKey("year"), QueryTree.SortKey("blurb"),
    ]
    #expect(try sortKeys(descriptors, name: SampleBook.name) == expected)
    #expect(code { _ = try sortKeys([SortDescriptor(\SampleBook.shelf)], name: SampleBook.name) } == .invalidQuery)
  }

  @Test func refusesComparatorsThatItDoesNotHave() throws {
    #if canImport(Darwin)
      // Elsewhere Foundation has no other comparator than the lexical one.
      let localized = [
        SortDescriptor(\SampleBook.title), SortDescriptor(\SampleBook.title, comparator: .localized, order: .reverse),
      ]
      for descriptor in localized {
        #expect(code { _ = try sortKeys([descriptor], name: SampleBook.name) } == .unsupported)
      }
    #endif
    let lexical = SortDescriptor(\SampleBook.title, comparator: .lexical, order: .reverse)
    #expect(try sortKeys([lexical], name: SampleBook.name) == [.init("title", isDescending: true)])
    #expect(code { _ = try sortKeys([SortDescriptor(\SampleBook.rank)], name: SampleBook.name) } == .unsupported)
  }

  @Test func calculatesWithProperties() throws {
    let sum = Operand.arithmetic(.property(PropertyPath("year")), .add, .value(.int(1)))
    #expect(try tree(#Predicate { $0.year + 1 > 3 }) == .compare(sum, .greater, .value(.int(3))))
    let minus = Operand.arithmetic(.value(.int(-1)), .multiply, .property(PropertyPath("year")))
    #expect(try tree(#Predicate { -$0.year > 3 }) == .compare(minus, .greater, .value(.int(3))))
    let rest = Operand.arithmetic(.property(PropertyPath("year")), .remainder, .value(.int(2)))
    #expect(try tree(#Predicate { $0.year % 2 == 0 }) == .compare(rest, .equal, .value(.int(0))))
    let length = Operand.count(PropertyPath("title"))
    #expect(try tree(#Predicate { $0.title.count == 3 }) == .compare(length, .equal, .value(.int(3))))
  }
}
