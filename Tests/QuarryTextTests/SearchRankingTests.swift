import Foundation
import Testing

@testable import QuarryText

@Suite struct SearchRankingTests {
  @Test func theLogarithmIsThatOfTheSystem() {
    var random = RandomTexts(seed: 13)
    for _ in 0..<100_000 {
      let number = 1 + Double.random(in: 0...1, using: &random) * pow(10, Double(random.number(-12...12)))
      let error = abs(SearchRanking.logarithm(number) - log(number))
      #expect(error <= 1e-15 * max(1, log(number)), "\(number)")
    }
    #expect(SearchRanking.logarithm(1) == 0)
  }

  /// Two documents of 1 and 3 words: ln(1 + 1.5 / 1.5) for a word that one of them has.
  @Test func aScoreThatWasCalculatedByHand() throws {
    var index = PostingsIndex()
    try index.insert(1, "swift")
    try index.insert(2, "a b c")
    let hits = index.ranked(try TextSearch("swift"))
    // ln 2 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 1 / 2)) = 0.871385…
    #expect(hits == [SearchHit(document: 1, score: (0.871_385 * 1024).rounded() / 1024)])
  }

  @Test func rareWordsAndShortTextsAreBetterAndTiesAreInOrder() throws {
    var index = PostingsIndex()
    try index.insert(9, "common rare")
    try index.insert(8, "common common")
    try index.insert(3, "common plain")
    try index.insert(2, "common plain")
    try index.insert(1, "common and a long text with more words than the others have")
    let hits = index.ranked(try TextSearch(.any("common", "rare")))
    #expect(hits.map(\.document) == [9, 8, 2, 3, 1])
    #expect(index.ranked(try TextSearch(.all("common", .not("rare")))).map(\.document) == [8, 2, 3, 1])
    #expect(index.ranked(try TextSearch(.not("common"))).isEmpty)
    #expect(index.ranked(try TextSearch(.all([]))).map(\.score) == [0, 0, 0, 0, 0])
    #expect(PostingsIndex().ranked(try TextSearch("a")).isEmpty)
  }
}
