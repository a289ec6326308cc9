import QuarryCore
import QuarryText

/// Searches that read every text and know no index: the words of texts by the tokenizer alone, compared one by one.
enum NaiveSearch {
  /// Whether an object has what a query looks for.
  static func finds(_ query: SearchQuery, _ fields: [[String]]) -> Bool {
    let texts = fields.flatMap { $0 }
    return query.fold(
      leaf: { leaf in
        let search = try? TextSearch(leaf)
        return texts.contains { search?.matches($0) ?? false }
      },
      all: { $0.allSatisfy { $0 } }, any: { $0.contains(true) }, not: { !$0 })
  }

  /// The texts of the searched properties of an article.
  static func fields(_ article: Article) -> [[String]] {
    [[article.title], article.body.map { [$0] } ?? [], article.tags]
  }

  /// The keys of the articles that a query finds.
  static func keys(_ query: SearchQuery, _ articles: some Sequence<Article>) -> Set<String> {
    Set(articles.filter { finds(query, fields($0)) }.map(\.id))
  }

  /// The keys in the order of their scores, for a query of single words.
  static func ranked(_ words: [String], _ articles: [Article]) -> [(id: String, score: Double)] {
    func count(_ word: String, _ texts: [String]) -> Int {
      texts.reduce(0) { $0 + Tokenizer().tokens(of: $1).count { $0.text == word } }
    }
    func length(_ texts: [String]) -> Int {
      texts.reduce(0) { $0 + Int(Tokenizer().forEachToken(of: $1) { _, _, _, _ in true }) }
    }
    let weights = [3, 1, 1]
    let lengths = articles.map { article in
      zip(fields(article), weights).reduce(0) { $0 + length($1.0) * $1.1 }
    }
    let average = Double(lengths.reduce(0, +)) / Double(articles.count)
    var scores = [Double](repeating: 0, count: articles.count)
    var isFound = [Bool](repeating: true, count: articles.count)
    for word in words {
      let frequencies = articles.map { article in
        zip(fields(article), weights).reduce(0) { $0 + count(word, $1.0) * $1.1 }
      }
      let found = Double(frequencies.count { $0 > 0 })
      let weight = SearchRanking.logarithm(1 + (Double(articles.count) - found + 0.5) / (found + 0.5))
      for (place, frequency) in frequencies.enumerated() {
        isFound[place] = isFound[place] && frequency > 0
        let f = Double(frequency)
        let norm = 1.2 * (1 - 0.75 + 0.75 * Double(lengths[place]) / average)
        scores[place] += weight * f * 2.2 / (f + norm)
      }
    }
    return articles.indices.filter { isFound[$0] }.map { (articles[$0].id, (scores[$0] * 1024).rounded() / 1024) }
      .sorted { ($1.score, $0.id) < ($0.score, $1.id) }
  }
}
