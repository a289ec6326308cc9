import Foundation
import QuarryBackend
import QuarryText

/// What must hold for every text. The tests try samples, and scripts/fuzz-text tries millions.
enum TextProperties {
  /// What is wrong with how a text is divided, and with how it is used as a query; nil when nothing is.
  static func defect(
    of text: String, tokens: (String) -> [Token] = { Tokenizer().tokens(of: $0) }
  ) -> String? {
    let tokens = tokens(text)
    return orderDefect(text, tokens) ?? lossDefect(text, tokens) ?? foldingDefect(text, tokens) ?? pairDefect(tokens)
      ?? stemDefect(text, tokens)
  }

  /// Ranges lie on boundaries of scalars, and ranges and positions ascend.
  private static func orderDefect(_ text: String, _ tokens: [Token]) -> String? {
    let bytes = Array(text.utf8)
    func isBoundary(_ place: Int) -> Bool { place == bytes.count || place < bytes.count && bytes[place] & 0xC0 != 0x80 }
    var last: Token?
    for token in tokens {
      if token.range.isEmpty || token.term.isEmpty { return "an empty token at \(token.range)" }
      if !isBoundary(token.range.lowerBound) || !isBoundary(token.range.upperBound) {
        return "\(token.range) is not between scalars"
      }
      let expected = last.map { $0.kind == .single && token.kind == .pair ? $0.position : $0.position + 1 }
      if let expected, token.position != expected { return "position \(token.position) in place of \(expected)" }
      if last == nil, token.position != 0 { return "the first position is \(token.position)" }
      if let last {
        let overlaps = token.range.lowerBound < last.range.upperBound
        let mayOverlap = token.kind == .pair && last.kind == .single || token.kind == .single && last.kind == .pair
        if overlaps && !mayOverlap || token.range.lowerBound < last.range.lowerBound {
          return "\(token.range) is not behind \(last.range)"
        }
      }
      last = token
    }
    return nil
  }

  /// Every letter and number lies in a token.
  private static func lossDefect(_ text: String, _ tokens: [Token]) -> String? {
    var place = 0
    var index = 0
    for scalar in text.unicodeScalars {
      let end = place + UTF8.width(scalar)
      if isLetterOrNumber(scalar) {
        while index < tokens.count, tokens[index].range.upperBound < end { index += 1 }
        guard index < tokens.count, tokens[index].range.lowerBound <= place else {
          return "U+\(String(scalar.value, radix: 16)) at \(place) is in no token"
        }
      }
      place = end
    }
    return nil
  }

  /// The letters and numbers of Unicode 15.0; the library may know a later version.
  private static func isLetterOrNumber(_ scalar: Unicode.Scalar) -> Bool {
    guard let age = scalar.properties.age, age.major < 15 || age == (15, 0) else { return false }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: return true
    case .decimalNumber, .letterNumber, .otherNumber: return true
    default: return false
    }
  }

  /// Terms are what Foundation folds the range to, without what no reader sees.
  private static func foldingDefect(_ text: String, _ tokens: [Token]) -> String? {
    let bytes = Array(text.utf8)
    for token in tokens where (token.kind == .word || token.kind == .single) && token.range.count <= 256 {
      var kept = ""
      for scalar in String(decoding: bytes[token.range], as: UTF8.self).unicodeScalars where isVisible(scalar) {
        kept.unicodeScalars.append(scalar)
      }
      let folded = kept.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
      if !folded.utf8.elementsEqual(token.term) {
        return "\(hexadecimal(kept)) folds to \(hexadecimal(token.text)), and to \(hexadecimal(folded)) in Foundation"
      }
    }
    return nil
  }

  /// Format characters and what is not shown have no effect.
  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    if properties.generalCategory == .format { return false }
    return !properties.isDefaultIgnorableCodePoint || isLetterOrNumber(scalar)
  }

  /// A pair is the two letters that it covers, one behind the other.
  private static func pairDefect(_ tokens: [Token]) -> String? {
    for (index, token) in tokens.enumerated() where token.kind == .pair {
      guard index > 0, index + 1 < tokens.count else { return "a pair without its letters" }
      let (first, second) = (tokens[index - 1], tokens[index + 1])
      guard first.kind == .single, second.kind == .single, first.position == token.position,
        second.position == token.position + 1, first.term + second.term == token.term,
        first.range.lowerBound == token.range.lowerBound, second.range.upperBound == token.range.upperBound,
        first.range.upperBound == second.range.lowerBound
      else { return "the pair at \(token.range) is not its letters" }
    }
    return nil
  }

  /// In a language the same tokens come, and stems behind words.
  private static func stemDefect(_ text: String, _ tokens: [Token]) -> String? {
    let all = Tokenizer(language: .english).tokens(of: text)
    if all.filter({ $0.kind != .stem }) != tokens { return "in a language other tokens come" }
    var word: Token?
    for token in all {
      defer { word = token }
      guard token.kind == .stem else { continue }
      guard let word, word.kind == .word, word.range == token.range, word.position == token.position,
        token.term.first == 1, token.term.count <= word.term.count + 1, !word.term.contains(1),
        token.term.dropFirst().allSatisfy({ $0 &- 97 < 26 })
      else { return "the stem at \(token.range) is not that of a word" }
    }
    return nil
  }

  /// What is wrong with a text as a query; nil when nothing is.
  static func queryDefect(of text: String) -> String? {
    let query = SearchQuery(typed: text)
    do {
      guard try SearchQuery(parsing: query.description) == query else { return "\(query) is read as another query" }
      _ = try TextSearch(query)
      // A text is found by itself.
      let words = Tokenizer().tokens(of: text)
      guard !words.isEmpty else { return query.isEmpty ? nil : "\(query) without a word" }
      let search = try TextSearch(.phrase(text))
      if !search.matches(text) { return "the text is not found by itself" }
      if try !TextSearch(.phrase(text), language: .english).matches(text) {
        return "in a language the text is not found by itself"
      }
      for range in search.highlights(in: text)
      where range.isEmpty || text[range].utf8.count != text.utf8.distance(from: range.lowerBound, to: range.upperBound)
      {
        return "a highlight is no part of the text"
      }
      if search.snippet(of: text, words: 3)?.range.isEmpty ?? true { return "no snippet" }
    } catch {
      return error.code == .limitExceeded ? nil : "\(query): \(error)"
    }
    return nil
  }

  /// What is wrong with how bytes are read as a list of postings; nil when nothing is.
  static func postingsDefect(of bytes: [UInt8]) -> String? {
    do {
      let list = try PostingList(decoding: bytes)
      return list.encoded() == bytes ? nil : "the list is written as other bytes"
    } catch {
      return error.code == .corrupt || error.code == .schemaTooNew ? nil : "another error: \(error)"
    }
  }

  static func hexadecimal(_ text: String) -> String {
    text.unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: " ")
  }
}
