import QuarryConformanceKit
import QuarryCore
import QuarryText

/// Random texts of many scripts, searched by a reference that knows neither the tokenizer nor an index.
///
/// The words of each text are written down by hand, as runs of letters: a run of several letters is one without spaces, in
/// which a query finds what stands side by side.
enum SearchScriptCases {
  private struct Piece: Sendable {
    let text: String
    let runs: [[String]]

    init(_ text: String, _ runs: [[String]]) { (self.text, self.runs) = (text, runs) }
  }

  private static let pieces: [Piece] = [
    Piece("Swift", [["swift"]]), Piece("swift", [["swift"]]), Piece("ÉCOLE", [["ecole"]]), Piece("école", [["ecole"]]),
    Piece("Straße", [["strasse"]]), Piece("STRASSE", [["strasse"]]), Piece("Ωμέγα", [["ωμεγα"]]),
    Piece("Москва", [["москва"]]),
    Piece("foo_bar", [["foo"], ["bar"]]), Piece("bar", [["bar"]]), Piece("well-known", [["well"], ["known"]]),
    Piece("a@b.com", [["a"], ["b"], ["com"]]), Piece("3.14", [["3.14"]]), Piece("iPhone15", [["iphone15"]]),
    Piece("don't", [["don"], ["t"]]), Piece("👍🏽", [["👍"]]), Piece("東京都", [["東", "京", "都"]]), Piece("京都", [["京", "都"]]),
    Piece("東", [["東"]]), Piece("カタカナ", [["カ", "タ", "カ", "ナ"]]), Piece("タカ", [["タ", "カ"]]),
    Piece("ไทย", [["ไ", "ท", "ย"]]),
    Piece("…", []), Piece("--", []), Piece("«»", []),
  ]

  /// A letter with the number of its run in the text.
  private struct Letter: Equatable {
    let term: String
    let run: Int
  }

  private static func letters(_ pieces: [Piece]) -> [Letter] {
    pieces.flatMap(\.runs).enumerated().flatMap { number, run in run.map { Letter(term: $0, run: number) } }
  }

  private static func text(_ pieces: [Piece]) -> String { pieces.map(\.text).joined(separator: " ") }

  /// Whether the pieces of a phrase stand in a text, one behind the other.
  private static func has(_ phrase: [Piece], in text: [Piece]) -> Bool {
    let (looked, letters) = (letters(phrase), letters(text))
    guard !looked.isEmpty, letters.count >= looked.count else { return false }
    return (0...letters.count - looked.count).contains { start in
      looked.indices.allSatisfy { place in
        let letter = letters[start + place]
        guard letter.term == looked[place].term else { return false }
        // Letters side by side in the query stand side by side in the text.
        let isJoined = place > 0 && looked[place].run == looked[place - 1].run
        return !isJoined || letter.run == letters[start + place - 1].run
      }
    }
  }

  private typealias Texts = (title: [Piece], body: [Piece]?, labels: [[Piece]])

  private static func some(_ random: inout SeededGenerator, upTo count: Int) -> [Piece] {
    (0..<Int.random(in: 0...count, using: &random)).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &random)]
    }
  }

  private static func leaflet(_ id: Int, _ texts: Texts) -> Leaflet {
    Leaflet(id, text(texts.title), texts.body.map(text), labels: texts.labels.map(text))
  }

  private static func query(_ random: inout SeededGenerator, depth: Int) -> (query: SearchQuery, finds: (Texts) -> Bool)
  {
    switch Int.random(in: 0..<(depth == 0 ? 3 : 6), using: &random) {
    case 0, 1, 2:
      let phrase = some(&random, upTo: 2) + [pieces[Int.random(in: 0..<pieces.count, using: &random)]]
      return (
        .phrase(text(phrase)),
        { texts in ([texts.title, texts.body ?? []] + texts.labels).contains { has(phrase, in: $0) } }
      )
    case 3:
      let parts = (0..<2).map { _ in query(&random, depth: depth - 1) }
      return (.all(parts.map(\.query)), { texts in parts.allSatisfy { $0.finds(texts) } })
    case 4:
      let parts = (0..<2).map { _ in query(&random, depth: depth - 1) }
      return (.any(parts.map(\.query)), { texts in parts.contains { $0.finds(texts) } })
    default:
      let part = query(&random, depth: depth - 1)
      return (.not(part.query), { texts in !part.finds(texts) })
    }
  }

  static let all: [ConformanceCase] =
    (1...8).map { number in
      ConformanceCase(
        "SEARCH.scripts-\(number)", ["SEARCH-2", "SEARCH-5", "SEARCH-6", "SEARCH-11", "SEARCH-14", "SEARCH-22"],
        "Random queries find in random texts of many scripts what their words say.", within: .seconds(120)
      ) { kit in
        var random = kit.random(9_100 + number)
        let store = try kit.store(Leaflet.self)
        var model: [Int: Texts] = [:]
        for _ in 0..<3 {
          try store.write { tx in
            for _ in 0..<12 {
              let id = Int.random(in: 0..<30, using: &random)
              if model[id] != nil, Bool.random(using: &random) {
                try tx.delete(Leaflet.self, id)
                model[id] = nil
              } else {
                let body = Bool.random(using: &random) ? some(&random, upTo: 6) : nil
                let texts: Texts = (some(&random, upTo: 4), body, (0..<2).map { _ in some(&random, upTo: 2) })
                try tx.upsert(leaflet(id, texts))
                model[id] = texts
              }
            }
          }
          for _ in 0..<12 {
            let (query, finds) = query(&random, depth: 2)
            let due = model.filter { finds($0.value) }.keys.sorted()
            try expectEqual(try store.fetch(Leaflet.where { $0.search(query) }).map(\.id), due, "\(query)")
          }
        }
        try expectEqual(try store.check(), [])
      }
    }
    + (1...4).map { number in
      ConformanceCase(
        "SEARCH.ranked-\(number)", ["SEARCH-17", "SEARCH-18", "SEARCH-27"],
        "Random objects have the scores of the formula after random writes.", within: .seconds(120)
      ) { kit in
        var random = kit.random(9_500 + number)
        let store = try kit.store(Leaflet.self)
        var model: [Int: Leaflet] = [:]
        for round in 1...4 {
          try store.write { tx in
            for _ in 0..<10 {
              let leaflet = PlainWords.leaflet(Int.random(in: 0..<25, using: &random), &random)
              if Int.random(in: 0..<4, using: &random) == 0 {
                try tx.delete(Leaflet.self, leaflet.id)
                model[leaflet.id] = nil
              } else {
                try tx.upsert(leaflet)
                model[leaflet.id] = leaflet
              }
            }
          }
          let leaflets = Array(model.values)
          for words in [["swift"], ["unit", "of"], ["the", "work", "swift"]] {
            try SearchRankCases.expectRanked(store, words, leaflets, "in round \(round)")
          }
        }
      }
    }
}
