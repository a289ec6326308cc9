import Foundation
import QuarryBackend
import Testing

@testable import QuarryText

@Suite struct StemmerTests {
  private func stem(_ word: String) -> String? {
    SearchLanguage.english.stem(of: Array(word.utf8)).map { String(decoding: $0.dropFirst(), as: UTF8.self) }
  }

  @Test(arguments: [
    // Step 1a.
    ("caresses", "caress"), ("ties", "tie"), ("cries", "cri"), ("gas", "gas"), ("gaps", "gap"), ("kiwis", "kiwi"),
    ("this", "this"), ("corpus", "corpus"), ("kiss", "kiss"),
    // Step 1b.
    ("agreed", "agre"), ("feed", "feed"), ("proceed", "proceed"), ("succeeds", "succeed"), ("exceedingly", "exceed"),
    ("luxuriated", "luxuri"), ("hopping", "hop"), ("hoped", "hope"), ("added", "add"), ("egged", "egg"),
    ("sing", "sing"),
    ("troubling", "troubl"), ("pasted", "paste"), ("paste", "paste"), ("dying", "die"), ("vying", "vie"),
    ("flying", "fli"),
    ("inning", "inning"), ("outings", "outing"), ("evening", "evening"), ("interesting", "interest"),
    // Step 1c.
    ("cry", "cri"), ("by", "by"), ("say", "say"), ("sky", "sky"), ("youth", "youth"), ("yy", "yy"), ("ayy", "ayi"),
    // Steps 2 to 5.
    ("relational", "relat"), ("biologist", "biolog"), ("analogies", "analog"), ("hopefully", "hope"),
    ("vietnamization", "vietnam"), ("generically", "generic"), ("effectiveness", "effect"), ("formative", "format"),
    ("electricity", "electr"), ("adoption", "adopt"), ("onion", "onion"), ("rate", "rate"), ("controlling", "control"),
    ("fall", "fall"), ("argument", "argument"), ("replacement", "replac"),
    // The regions.
    ("generate", "generat"), ("generous", "generous"), ("communism", "communism"), ("arsenal", "arsenal"),
    ("universal", "universal"), ("university", "universiti"), ("organization", "organiz"),
    ("international", "internat"),
    ("emergency", "emergenc"), ("laterally", "lateral"),
    // Words with stems of their own.
    ("skis", "ski"), ("skies", "sky"), ("idly", "idl"), ("gently", "gentl"), ("ugly", "ugli"), ("early", "earli"),
    ("only", "onli"), ("singly", "singl"), ("news", "news"), ("howe", "howe"), ("atlas", "atlas"), ("cosmos", "cosmos"),
    ("bias", "bias"), ("andes", "andes"),
    // Short words.
    ("", ""), ("a", "a"), ("as", "as"), ("ing", "ing"), ("ied", "ie"), ("sss", "sss"),
  ])
  func words(word: String, expected: String) { #expect(stem(word) == expected) }

  // Other letters than a to z.
  @Test(arguments: ["mp3s", "naïves", "Running", "3", "東京", "ß", "runs\u{1}"])
  func wordsWithoutStems(_ word: String) { #expect(stem(word) == nil) }

  @Test func aStemOfAnyLettersIsNotLongerAndStays() {
    var random = RandomTexts(seed: 31)
    let letters = Array("aeiouybdglnrst".utf8)
    for _ in 0..<20_000 {
      let word = random.bytes(0...14).map { letters[Int($0) % letters.count] }
      guard let term = SearchLanguage.english.stem(of: word) else {
        Issue.record("\(word) has no stem")
        return
      }
      #expect(term.first == 1 && term.count <= word.count + 1)
      #expect(term.dropFirst().allSatisfy { $0 &- 97 < 26 }, "\(String(decoding: word, as: UTF8.self))")
    }
    #expect(SearchLanguage.english.stem(of: [UInt8](repeating: 121, count: 256))?.count == 257)
  }

  @Test func stemsFollowTheirWords() {
    func tokens(_ text: String, _ language: SearchLanguage?) -> [Token] {
      Tokenizer(language: language).tokens(of: text)
    }
    let text = "The cats’ 3 Cafés, 東京 mp3s don't👍"
    let all = tokens(text, .english)
    #expect(
      all.filter { $0.kind == .stem }.map(\.text) == ["\u{1}the", "\u{1}cat", "\u{1}cafe", "\u{1}don", "\u{1}t"])
    #expect(all.filter { $0.kind != .stem } == tokens(text, nil))
    for (word, stem) in zip(all, all.dropFirst()) where stem.kind == .stem {
      #expect(word.kind == .word && word.range == stem.range && word.position == stem.position)
    }
    let count = Tokenizer(language: .english).forEachToken(of: "runs far") { _, kind, _, _ in kind != .stem }
    #expect(count == 1)
  }

  @Test(arguments: [
    ("she runs", "running", true), ("she runs", "runn*", false), ("she runs", "run*", true), ("running", "runn*", true),
    ("the cats sleeping", "\"cat sleeps\"", true), ("the cats sleeping", "\"cat slee\"*", true),
    ("the cats sleeping", "\"cat sleeps\"*", false), ("generously", "general", false), ("mp3s", "mp3", false),
    ("don't", "dons", true), ("Cafés", "cafe", true), ("a b", "-bs", true), ("go bees", "-bee", false),
  ])
  func meaning(text: String, typed: String, isFound: Bool) throws {
    let search = try TextSearch(SearchQuery(typed: typed), language: .english)
    #expect(search.language == .english)
    #expect(search.matches(text) == isFound)
    var index = PostingsIndex(language: .english)
    try index.insert(7, text)
    // An index has its own language.
    #expect(index.documents(matching: try TextSearch(SearchQuery(typed: typed))) == (isFound ? [7] : []))
    try index.remove(7, text)
    #expect(index.terms.isEmpty)
  }

  @Test func indexesOfDifferentLanguagesAreNotMerged() throws {
    var index = PostingsIndex(language: .english)
    #expect { try index.merge(PostingsIndex()) } throws: { ($0 as? StorageError)?.code == .invalidValue }
  }

  @Test func markedWordsAreThoseOfTheText() throws {
    let text = "Running, runs; runner. Cafés"
    let search = try TextSearch(SearchQuery(typed: "run cafe \"runs runner\""), language: .english)
    #expect(search.highlights(in: text).map { String(text[$0]) } == ["Running", "runs; runner", "Cafés"])
    #expect(try TextSearch(SearchQuery(typed: "run")).highlights(in: text).isEmpty)
  }
}
