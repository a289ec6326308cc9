import QuarryText
import Testing

@Suite struct HighlightTests {
  private func marked(_ text: String, _ query: SearchQuery) throws -> String {
    let ranges = try TextSearch(query).highlights(in: text)
    var result = ""
    var place = text.startIndex
    for range in ranges {
      result += text[place..<range.lowerBound] + "[" + text[range] + "]"
      place = range.upperBound
    }
    return result + text[place...]
  }

  @Test func wordsAndPhrases() throws {
    #expect(try marked("Swift, swift and Schwift.", "swift") == "[Swift], [swift] and Schwift.")
    #expect(try marked("the unit, of work; work", .phrase("unit of work")) == "the [unit, of work]; work")
    #expect(try marked("Grüße", .prefix("gru")) == "[Grüße]")
    #expect(try marked("東京都庁へ", .all("東京都", "庁")) == "[東京都][庁]へ")
    #expect(try marked("東京都", .any("東京", "京都")) == "[東京都]")
    #expect(try marked("a b c", .all("a", .not("c"))) == "[a] b c")
    #expect(try marked("a x x x a b", .near("a", "b", within: 1)) == "a x x x [a] [b]")
    #expect(try marked("nothing", .any([])) == "nothing")
    #expect(try marked("🇩🇪é 👍🏽!", .any("👍", "e")) == "🇩🇪[é] [👍🏽]!")
  }

  @Test func snippets() throws {
    func snippet(_ text: String, _ query: SearchQuery, _ words: Int) throws -> String? {
      try TextSearch(query).snippet(of: text, words: words).map { snippet in
        var result = snippet.omitsStart ? "…" : ""
        var place = snippet.range.lowerBound
        for range in snippet.highlights {
          result += text[place..<range.lowerBound] + "[" + text[range] + "]"
          place = range.upperBound
        }
        return result + text[place..<snippet.range.upperBound] + (snippet.omitsEnd ? "…" : "")
      }
    }
    let text = "one two three four five six seven eight nine ten. one more"
    #expect(try snippet(text, "six", 3) == "…five [six] seven…")
    #expect(try snippet(text, "one", 3) == "[one] two three…")
    #expect(try snippet(text, "more", 4) == "…one [more]")
    #expect(try snippet(text, .any("two", "eight", "nine"), 3) == "…[eight] [nine] ten…")
    #expect(try snippet(text, .phrase("three four five six"), 2) == "…[three four five six]…")
    #expect(try snippet(text, "absent", 2) == "one two…")
    #expect(try snippet("日本語の文章です", "文章", 4) == "…の[文章]で…")
    #expect(try snippet("?!", "a", 2) == nil)
    #expect(try snippet("a", "a", -5) == "[a]")
  }
}
