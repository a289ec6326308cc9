import Foundation
import Testing

@testable import QuarryText

/// What queries mean: texts that are read, and postings, have the answers of the reference.
@Suite struct SearchMeaningTests {
  @Test(arguments: [
    ("Grüße aus KÖLN", "grusse", true), ("Grüße aus KÖLN", "köln grüße", true), ("a b c", "\"a c\"", false),
    ("john.smith@example.com", "smith", true), ("john.smith@example.com", "john.smith@example.com", true),
    ("john.smith@example.com", "example.com", true), ("smith john example com", "john.smith@example.com", false),
    ("foo_bar", "bar", true), ("foo bar", "foo_bar", true), ("foobar", "foo_bar", false),
    ("iPhone15", "iphone", false), ("iPhone15", "iphone*", true), ("iPhone 15", "iphone15", false),
    ("l’amour", "amour", true), ("l’amour", "l'amour", true), ("1,000", "1000", false), ("3.14", "3", false),
    ("3.14", "3*", true), ("東京都庁", "東京", true), ("東京都庁", "京都", true), ("東京都庁", "東", true), ("東京都庁", "東都", false),
    ("東 京", "東京", false), ("ภาษาไทย", "ไทย", true), ("한국어를", "한국", true), ("カタカナ", "タカ", true),
    ("ΟΔΥΣΣΕΥΣ", "οδυσσεύς", true), ("مَرْحَبًا", "مرحبا", false), ("nice 👍🏽", "👍", true), ("abc", "-java", true),
    ("java", "-java", false), ("swift", "swift -java", true), ("", "-java", true), ("anything", "", false),
    ("anything", "!!!", false),
  ])
  func finds(text: String, typed: String, isFound: Bool) throws {
    #expect(try TextSearch(SearchQuery(typed: typed)).matches(text) == isFound)
  }

  @Test func near() throws {
    func finds(_ text: String, _ words: [String], _ distance: Int) throws -> Bool {
      try TextSearch(.near(words, within: distance)).matches(text)
    }
    #expect(try finds("a x x b", ["a", "b"], 3))
    #expect(try finds("b x x a", ["a", "b"], 3))
    #expect(try !finds("a x x b", ["a", "b"], 2))
    #expect(try finds("a x x x b a", ["a", "b"], 1))
    #expect(try finds("a b x c", ["a b", "c"], 3))
    #expect(try !finds("a b x c", ["a b", "c"], 2))
    #expect(try finds("c a b", ["a b", "c"], 2))
    #expect(try !finds("a b", ["a", "!"], 9))
    #expect(try !finds("a b", [], 9))
    #expect(try finds("a", ["a", "a"], 0))
  }

  @Test func postingsAnswerAsTheReference() throws {
    var random = RandomTexts(seed: 11)
    var found = 0
    for _ in 0..<40 {
      var texts: [UInt64: String] = [:]
      for _ in 0..<random.number(0...40) {
        texts[UInt64(random.number(0...200))] = random.sentence(words: 0...25)
      }
      var index = PostingsIndex()
      for (document, text) in texts.shuffled(using: &random) { try index.insert(document, text) }
      let naive = NaiveSearch(texts)
      for _ in 0..<25 {
        let query = query(&random, depth: 3)
        let search = try TextSearch(query)
        let expected = naive.documents(matching: query)
        #expect(index.documents(matching: search) == expected, "\(query)")
        #expect(texts.filter { search.matches($0.value) }.keys.sorted() == expected, "\(query)")
        let hits = index.ranked(search)
        #expect(hits.map(\.document).sorted() == expected, "\(query)")
        for hit in hits {
          #expect(abs(hit.score - naive.score(query, of: hit.document)) < 0.6 / 1024, "\(query) of \(hit.document)")
        }
        for (before, hit) in zip(hits, hits.dropFirst()) {
          #expect((hit.score, before.document) < (before.score, hit.document))
        }
        #expect(index.ranked(search, limit: 3) == Array(hits.prefix(3)))
        found += expected.count
      }
    }
    #expect(found > 1000)
  }

  private func query(_ random: inout RandomTexts, depth: Int) -> SearchQuery {
    switch random.number(0...(depth == 0 ? 6 : 11)) {
    case 0...2: return .word(random.word())
    case 3: return .phrase(random.sentence(words: 1...3))
    case 4, 5:
      let word = random.word().unicodeScalars
      return .prefix(String(word.prefix(random.number(1...max(1, word.count)))))
    case 6:
      let words = (0..<random.number(1...3)).map { _ in random.word() }
      return .near(words, within: random.number(0...8))
    case 7, 8:
      return .all((0..<random.number(0...3)).map { _ in query(&random, depth: depth - 1) })
    case 9, 10:
      return .any((0..<random.number(0...3)).map { _ in query(&random, depth: depth - 1) })
    default: return .not(query(&random, depth: depth - 1))
    }
  }

  @Test func theOrderOfInsertionHasNoEffect() throws {
    var random = RandomTexts(seed: 17)
    let texts = (0..<60).map { (UInt64($0), random.sentence(words: 1...12)) }
    func index(_ texts: [(UInt64, String)]) throws -> PostingsIndex {
      var index = PostingsIndex()
      for (document, text) in texts { try index.insert(document, text) }
      return index
    }
    let first = try index(texts)
    var second = try index(texts.reversed())
    #expect(first == second)
    // What is removed leaves nothing.
    try second.insert(1000, "swift extra")
    try second.remove(1000, "swift extra")
    #expect(first == second)
    // Parts that are merged are the whole.
    var merged = try index(Array(texts[40...]))
    try merged.merge(index(Array(texts[..<40])))
    #expect(merged == first)
    let search = try TextSearch(.any("swift", "of", .prefix("sto")))
    #expect(merged.ranked(search) == first.ranked(search))
  }

  @Test func queriesOfRandomTexts() {
    var random = RandomTexts(seed: 23)
    for _ in 0..<5000 {
      let text = random.text(length: 0...30)
      #expect(TextProperties.queryDefect(of: text) == nil, "\(TextProperties.hexadecimal(text))")
    }
  }
}
