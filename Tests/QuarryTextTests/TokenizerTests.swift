import Testing

@testable import QuarryText

@Suite struct TokenizerTests {
  private func terms(_ text: String) -> [String] {
    Tokenizer().tokens(of: text).map { "\($0.text)@\($0.position)" }
  }

  @Test(arguments: [
    ("Hello, World!", "hello@0 world@1"),
    ("john.smith@example.com", "john@0 smith@1 example@2 com@3"),
    ("foo_bar __init__", "foo@0 bar@1 init@2"),
    ("iPhone15 H2O 2nd", "iphone15@0 h2o@1 2nd@2"),
    ("can't can’t l'amour", "can@0 t@1 can@2 t@3 l@4 amour@5"),
    ("3.14 1,000.50 192.168.0.1 v1.2 5. 3.5kg", "3.14@0 1,000.50@1 192.168.0.1@2 v1.2@3 5@4 3.5kg@5"),
    ("well-known C++ C# .NET", "well@0 known@1 c@2 c@3 net@4"),
    ("U.S.A. a.1", "u@0 s@1 a@2 a@3 1@4"),
    ("東京都", "東@0 東京@0 京@1 京都@1 都@2"),
    ("東 京", "東@0 京@1"),
    ("第3章", "第@0 3@1 章@2"),
    ("カー食", "カ@0 カー@0 ー@1 ー食@1 食@2"),
    ("한국", "한@0 한국@0 국@1"),
    ("กำ", "ก@0 กำ@0 ำ@1"),
    ("צה\"ל", "צה@0 ל@1"),
    ("👍🏽 👍", "👍@0 👍@1"),
    ("🇩🇪🇫🇷", "🇩🇪@0 🇫🇷@1"),
    ("❤️x", "❤@0 x@1"),
    ("١٢٫٥", "١٢٫٥@0"),
    ("½ ² Ⅷ", "½@0 ²@1 ⅷ@2"),
    ("", ""), ("…—!? \u{0}\n", ""),
  ])
  func examples(text: String, expected: String) {
    #expect(terms(text).joined(separator: " ") == expected)
  }

  @Test func rangesAreThoseOfTheText() {
    let text = "Grüße, 東京!"
    let parts = Tokenizer().tokens(of: text).map { String(decoding: Array(text.utf8)[$0.range], as: UTF8.self) }
    #expect(parts == ["Grüße", "東", "東京", "京"])
  }

  @Test func partsOfHangulSyllablesStayTogether() {
    #expect(
      Tokenizer().tokens(of: "\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}").count { $0.kind == .single } == 2)
  }

  @Test func randomTextsHaveTheProperties() {
    var random = RandomTexts(seed: 1)
    for _ in 0..<30_000 {
      let text = random.text()
      let defect = TextProperties.defect(of: text)
      #expect(defect == nil, "\(TextProperties.hexadecimal(text))")
    }
  }

  @Test func theShortcutForASCIIHasTheSameTokens() {
    var random = RandomTexts(seed: 2)
    for index in 0..<20_000 {
      let text = index % 2 == 0 ? random.text(length: 0...20) : random.sentence(words: 0...5)
      var tokens: [Token] = []
      var copy = text
      copy.withUTF8 { bytes in
        var walk = TokenWalk(ScalarReader(bytes), usesShortcut: false) { term, kind, range, position in
          tokens.append(Token(kind: kind, term: Array(term), range: range, position: position))
          return true
        }
        walk.walk()
      }
      #expect(Tokenizer().tokens(of: text) == tokens, "\(TextProperties.hexadecimal(text))")
    }
  }

  @Test func aWalkEndsWhereItIsAskedTo() {
    var count = 0
    let positions = Tokenizer().forEachToken(of: "a b c d") { _, _, _, _ in
      count += 1
      return count < 2
    }
    #expect(count == 2)
    #expect(positions == 2)
  }

  /// Tokenizers that are wrong on purpose: the properties find each.
  @Test(arguments: PlantedFault.allCases)
  func thePropertiesFind(fault: PlantedFault) {
    var random = RandomTexts(seed: 3)
    let isFound = (0..<2000).contains { _ in
      let text = random.sentence(words: 1...4)
      return TextProperties.defect(of: text, tokens: { fault.tokens(of: $0) }) != nil
    }
    #expect(isFound)
  }
}

/// Faults of tokenizers.
enum PlantedFault: CaseIterable {
  case losesSingles, losesLast, keepsCase, keepsMarks, cutsRanges, cutsScalars, repeatsPosition, skipsPosition
  case swapsPair, reverses, emptyTerm

  func tokens(of text: String) -> [Token] {
    var tokens = Tokenizer().tokens(of: text)
    func change(_ body: (Token) -> Token) { tokens = tokens.map(body) }
    switch self {
    case .losesSingles: tokens.removeAll { $0.kind == .single && $0.position > 0 }
    case .losesLast: if tokens.count > 1 { tokens.removeLast() }
    case .keepsCase, .keepsMarks:
      change { token in
        guard token.kind == .word else { return token }
        let raw = String(decoding: Array(text.utf8)[token.range], as: UTF8.self)
        let term = self == .keepsCase ? raw : raw.lowercased()
        return Token(kind: .word, term: Array(term.utf8), range: token.range, position: token.position)
      }
    case .cutsRanges:
      change { token in
        guard token.kind == .word, token.range.count > 1 else { return token }
        let range = token.range.lowerBound + 1..<token.range.upperBound
        return Token(kind: .word, term: token.term, range: range, position: token.position)
      }
    case .cutsScalars:
      change { token in
        guard token.kind == .single else { return token }
        let range = token.range.lowerBound..<token.range.upperBound - 1
        return Token(kind: .single, term: token.term, range: range, position: token.position)
      }
    case .repeatsPosition: change { Token(kind: $0.kind, term: $0.term, range: $0.range, position: 0) }
    case .skipsPosition: change { Token(kind: $0.kind, term: $0.term, range: $0.range, position: $0.position * 2) }
    case .swapsPair:
      change { token in
        guard token.kind == .pair else { return token }
        return Token(kind: .pair, term: token.term.reversed(), range: token.range, position: token.position)
      }
    case .reverses: tokens.reverse()
    case .emptyTerm: change { Token(kind: $0.kind, term: [], range: $0.range, position: $0.position) }
    }
    return tokens
  }
}
