import Foundation
import QuarrySeeds

/// Texts to search in: words by Zipf's law, or the lines of a file.
struct Corpus {
  let name: String
  let texts: [String]
  var byteCount: Int { texts.reduce(0) { $0 + $1.utf8.count } }

  /// Texts of random words: the word of rank r comes as often as 1/r.
  ///
  /// - Parameters:
  ///   - count: How many texts.
  ///   - words: The least and the largest number of words of a text.
  init(_ name: String, count: Int, words: ClosedRange<Int>, vocabulary: Int = 100_000) {
    self.name = name
    let vocabulary = (1...vocabulary).map(Self.word)
    var sums: [Double] = []
    var sum = 0.0
    for rank in 1...vocabulary.count {
      sum += 1 / Double(rank)
      sums.append(sum)
    }
    var random = SeededGenerator(seed: 42)
    texts = (0..<count).map { _ in
      (0..<Int.random(in: words, using: &random)).map { _ in
        let place = Double.random(in: 0..<sum, using: &random)
        var (low, high) = (0, sums.count - 1)
        while low < high {
          let middle = (low + high) / 2
          if sums[middle] <= place { low = middle + 1 } else { high = middle }
        }
        return vocabulary[low]
      }.joined(separator: " ")
    }
  }

  /// The lines of a file that are not empty.
  init(linesOf file: String) throws {
    name = URL(fileURLWithPath: file).lastPathComponent
    texts = try String(contentsOf: URL(fileURLWithPath: file), encoding: .utf8).split(separator: "\n").map(String.init)
  }

  /// A word of syllables: common ones are short.
  private static func word(_ rank: Int) -> String {
    let syllables = [
      "ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "va", "we", "xi", "yo",
      "zu",
    ]
    var rest = rank
    var text = ""
    while rest > 0 {
      text += syllables[rest % syllables.count]
      rest /= syllables.count
    }
    return text
  }

  /// What is looked for in the texts.
  struct Searches {
    var rare: [String] = []
    var common: [String] = []
    var twoCommon: [(String, String)] = []
    var beginnings: [String] = []
    var phrases: [String] = []
  }

  func searches(_ count: Int) -> Searches {
    var frequencies: [String: Int] = [:]
    for text in texts {
      for word in Set(text.lowercased().split { !$0.isLetter }) { frequencies[String(word), default: 0] += 1 }
    }
    let words = frequencies.filter { $0.key.utf8.count > 1 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    var searches = Searches()
    searches.common = words.prefix(count).map(\.key)
    searches.twoCommon = (0..<count).map { (words[$0].key, words[($0 + 7) % count].key) }
    searches.rare = words.filter { $0.value >= 2 && $0.value <= 5 }.prefix(count).map(\.key)
    searches.beginnings = Array(Set(words.prefix(count * 20).map { String($0.key.prefix(2)) }).sorted().prefix(count))
    var random = SeededGenerator(seed: 7)
    while searches.phrases.count < count {
      let words = texts[Int.random(in: 0..<texts.count, using: &random)].split { !$0.isLetter }
      guard words.count > 2 else { continue }
      let first = Int.random(in: 0..<words.count - 1, using: &random)
      searches.phrases.append("\(words[first]) \(words[first + 1])".lowercased())
    }
    return searches
  }
}
