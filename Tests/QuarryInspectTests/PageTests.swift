import QuarryBackend
import QuarryCore
import QuarryInspect
import Testing

@Suite struct PageTests {
  /// All keys, page by page in one direction.
  private func keys(_ request: PageRequest, _ inspector: StoreInspector) throws -> [Value] {
    var request = request
    var keys: [Value] = []
    repeat {
      let page = try inspector.page(request)
      keys += page.rows.map(\.key)
      request.place = page.next
    } while request.place != nil
    return keys
  }

  @Test(arguments: ["", "title", "-title", "-title,id", "title,-id", "pages,-title"])
  func pagesTogetherAreTheWhole(order: String) throws {
    let inspector = try Library.inspector(books: 95)
    let whole = try inspector.page(PageRequest(model: "Book", order: order, limit: 1_000)).rows.map(\.key)
    #expect(whole.count == 95)
    #expect(try keys(PageRequest(model: "Book", order: order, limit: 7), inspector) == whole)
  }

  @Test(arguments: ["", "title", "-title", "-title,id", "author.name", "-author.name,title"])
  func thePageBeforeIsThePageThatWas(order: String) throws {
    let inspector = try Library.inspector(books: 40)
    var request = PageRequest(model: "Book", order: order, limit: 9)
    let first = try inspector.page(request)
    #expect(first.previous == nil)
    request.place = first.next
    let second = try inspector.page(request)
    request.place = second.next
    let third = try inspector.page(request)
    request.place = third.previous
    let again = try inspector.page(request)
    #expect(again.rows.map(\.key) == second.rows.map(\.key))
    request.place = again.previous
    let start = try inspector.page(request)
    #expect(start.rows.map(\.key) == first.rows.map(\.key))
    #expect(start.previous == nil)
  }

  @Test func aPlaceSurvivesItsText() throws {
    let inspector = try Library.inspector(books: 40)
    var request = PageRequest(model: "Book", order: "-title", limit: 9)
    let place = try #require(try inspector.page(request).next)
    let text = try #require(place.text)
    #expect(try PagePlace(.after, text: text) == place)
    request.place = try PagePlace(.after, text: text)
    #expect(try inspector.page(request).rows.count == 9)
    // Of another order, it is refused.
    request.order = "title"
    #expect(throws: StorageError.self) { try inspector.page(request) }
  }

  @Test(arguments: ["", "x", "????", "e30", "eyJvZmZzZXQiOnsiXzAiOi01fX0", String(repeating: "A", count: 100_000)])
  func aTextThatIsNoPlaceIsRefused(text: String) {
    #expect(throws: StorageError.self) { try PagePlace(.after, text: text) }
  }

  @Test func countsAreOfTheModelAndOfTheCondition() throws {
    let inspector = try Library.inspector(books: 40)
    let page = try inspector.page(PageRequest(model: "Book", condition: "id < 5", limit: 3))
    #expect((page.total, page.matching, page.rows.count) == (40, 5, 3))
  }

  @Test(arguments: [
    ("title = = 'x'", 9), ("titel == 'x'", 1), ("id > 3 AND titel == 'x'", 12), ("title == 'x", 10),
  ])
  func aMistakeHasItsPlace(condition: String, column: Int) throws {
    let inspector = try Library.inspector()
    let error = try #require(throws: QueryTextError.self) {
      try inspector.page(PageRequest(model: "Book", condition: condition))
    }
    #expect(error.text == .condition)
    #expect(error.column == column, "\(error.message)")
    #expect(!error.message.hasPrefix("at column"))
  }

  @Test func aMistakeInTheOrderIsOneOfTheOrder() throws {
    let inspector = try Library.inspector()
    let error = try #require(throws: QueryTextError.self) {
      try inspector.page(PageRequest(model: "Book", order: "-nothing"))
    }
    #expect(error.text == .order)
  }

  @Test func limitsAndDeadlinesAreKept() throws {
    let inspector = try Library.inspector(books: 3)
    for limit in [0, -1, 1_001, .max] {
      #expect(throws: StorageError.self) { try inspector.page(PageRequest(model: "Book", limit: limit)) }
    }
    #expect(throws: StorageError.self) { try inspector.page(PageRequest(model: "Book"), until: Deadline(after: -1.0)) }
    #expect(throws: StorageError.self) { try inspector.page(PageRequest(model: "Nothing")) }
  }

  @Test func theRowsOfARangeAreCounted() throws {
    let inspector = try Library.inspector(books: 40)
    func read(_ condition: String, order: String = "") throws -> Int? {
      let request = PageRequest(model: "Book", condition: condition, order: order)
      return try inspector.rowsRead(request, by: inspector.explain(request))
    }
    #expect(try read("id < 5 AND title == 'x'") == 5)
    #expect(try read("(id < 5 AND title == 'x') AND (pages == nil AND id >= 2)", order: "-title") == 3)
    #expect(try read("title == 'x'") == 40)
    #expect(try read("id < 5 OR title == 'x'") == 40)
    #expect(try read("") == 40)
    #expect(try read("id < 0 AND id > 3 AND title == 'x'") == 0)
    #expect(throws: QueryTextError.self) { try read("titel == 'x'") }
  }

  @Test func aPageEndsBeforeItHoldsTooManyBytes() throws {
    let inspector = try Library.inspector()
    let long = String(repeating: "x", count: 1 << 20)
    for id in 0..<20 { try Library.insert("Book", Record(["id": .int(Int64(id)), "title": .string(long)]), inspector) }
    let page = try inspector.page(PageRequest(model: "Book", limit: 100))
    #expect(page.rows.count < 20)
    #expect(try keys(PageRequest(model: "Book", limit: 100), inspector).count == 20)
  }

  @Test func figuresAreGrouped() throws {
    let inspector = try Library.inspector(books: 25)
    let figures = try inspector.figures(GroupRequest(of: PageRequest(model: "Book"), by: "title"))
    #expect(figures.rows.map(\.values) == [["Book 0"], ["Book 1"], ["Book 2"]])
    #expect(figures.rows.map(\.figures) == [[10], [10], [5]])
  }
}
