import QuarryBackend
import QuarryCore
import QuarryData
import QuarryInspect
import Testing

@Suite struct ExportTests {
  private func text(_ request: PageRequest, _ format: ExportFormat, _ inspector: StoreInspector) throws -> String {
    let file = try SpooledInput(named: "the export")
    _ = try inspector.export(request, as: format, to: file)
    let source = try ByteSource(file)
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    var text: [UInt8] = []
    while true {
      let count = try bytes.withUnsafeMutableBytes { try source.read(into: $0) }
      if count == 0 { break }
      text += bytes[..<count]
    }
    return String(decoding: text, as: UTF8.self)
  }

  @Test func allPagesAreExportedInTheirOrder() throws {
    let inspector = try Library.inspector(books: 25)
    let request = PageRequest(
      model: "Book", condition: "id >= 22", order: "-id", columns: ["title", "id", "pages"], limit: 1)
    #expect(
      try text(request, .csv, inspector) == "title,id,pages\nBook 2,24,\nBook 2,23,\nBook 2,22,\n")
    #expect(
      try text(request, .jsonl, inspector).hasPrefix("{\"title\":\"Book 2\",\"id\":24,\"pages\":null}\n"))
    #expect(try text(PageRequest(model: "Book", condition: "id < 0"), .json, inspector) == "[]\n")
  }

  @Test func mistakesAndDeadlinesAreErrors() throws {
    let inspector = try Library.inspector(books: 25)
    let file = try SpooledInput(named: "the export")
    #expect(throws: QueryTextError.self) {
      try inspector.export(PageRequest(model: "Book", condition: "(("), as: .csv, to: file)
    }
    #expect(throws: StorageError.self) {
      try inspector.export(PageRequest(model: "Book", columns: ["no"]), as: .csv, to: file)
    }
    #expect(throws: StorageError.self) {
      try inspector.export(PageRequest(model: "Book"), as: .csv, to: file, until: Deadline(after: -1.0))
    }
  }

  @Test func groupsAreInTheOrderOfTheirValues() throws {
    let inspector = try Library.inspector(books: 25)
    var request = GroupRequest(of: PageRequest(model: "Book"), by: "title")
    request.order = .value
    let figures = try inspector.figures(request)
    #expect(figures.rows.map(\.values) == [["Book 0"], ["Book 1"], ["Book 2"]])
    try Library.insert("Book", Record(["id": 100, "title": "A"]), inspector)
    #expect(try inspector.figures(request).rows.first?.values == ["A"])
  }

  @Test func groupsHaveSeveralFiguresAndAConditionOfTheirOwn() throws {
    let inspector = try Library.inspector(books: 25)
    var request = GroupRequest(
      of: PageRequest(model: "Book"), by: "author.name, title", figures: "count, median(id) as middle, distinct(author)"
    )
    request.having = "count > 5"
    request.order = .names("-middle")
    let figures = try inspector.figures(request)
    #expect(figures.properties == ["author.name", "title"])
    #expect(figures.figures == ["count", "middle", "distinct(author)"])
    #expect(figures.rows.map(\.values) == [["Jane Austen", "Book 1"], ["Jane Austen", "Book 0"]])
    #expect(figures.rows.map(\.figures) == [[10, 14.5, 1], [10, 4.5, 1]])
    for (groups, terms) in [("", "count"), ("title", ""), ("titel", "count"), ("title", "mode(id)"), ("title", "sum(")]
    {
      #expect(throws: StorageError.self) {
        try inspector.figures(GroupRequest(of: PageRequest(model: "Book"), by: groups, figures: terms))
      }
    }
  }
}
