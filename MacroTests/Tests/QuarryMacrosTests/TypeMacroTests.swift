import Testing

@testable import QuarryMacros

@Suite("What @Model says of types")
struct TypeMacroTests {
  @Test("A type that is not built in is checked once, on the line of its property")
  func checkedType() {
    let expansion = Expansion(
      """
      @Model struct B {
        let id: Int

        var genres: [Genre?]
      }
      """)
    #expect(expansion.messages == [])
    let check = """
      #sourceLocation(file: "Test.swift", line: 4)
          typealias _genresType = QuarryCore.StoredForm<Genre>.Value
      #sourceLocation()
      """
    func squeezed(_ text: String) -> String { text.filter { !$0.isWhitespace } }
    #expect(squeezed(expansion.text).contains(squeezed(check)))
    let call = """
      #sourceLocation(file: "Test.swift", line: 4)
          QuarryCore.StoredTypeCheck.elements(Genre.self)
      #sourceLocation()
      """
    #expect(squeezed(expansion.text).contains(squeezed(call)))
    #expect(expansion.text.split(separator: "Genre", omittingEmptySubsequences: false).count == 4, "named nowhere else")
    #expect(expansion.text.contains("row.set(1, self.genres as [Columns._genresType?])"))
    #expect(expansion.text.contains("row.get(1, as: [Columns._genresType?].self)"))
  }

  @Test("A built-in type needs no check", arguments: ["Int", "Swift.Int", "Foundation.UUID?", "[URL]"])
  func uncheckedType(type: String) {
    let text = Expansion("@Model struct B { let id: Int; var a: \(type) }").text
    #expect(!text.contains("StoredForm") && !text.contains("StoredTypeCheck"))
  }

  @Test("Names that mean something else behind a type", arguments: ["`Type`", "`Protocol`"])
  func namesOfTypes(name: String) {
    let expansion = Expansion("@Model struct B { let id: Int; var \(name): Int }")
    #expect(expansion.messages == [])
    #expect(expansion.text.contains(", \\.\(name), Int.self)"))
    #expect(expansion.text.contains("self.\(name) = try row.get(1)"))
    #expect(expansion.text.contains("var \(name) = QuarryCore.Column<Int>"))
  }
}
