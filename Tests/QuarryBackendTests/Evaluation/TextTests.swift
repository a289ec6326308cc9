import Foundation
import QuarryTestSupport
import Testing

@testable import QuarryBackend

@Suite struct TextTests {
  static let samples = [
    "", "a", "A", "ab", "aB", "Ab\0c", "\0", "b", "ss", "SS", "ß", "straße", "STRASSE", "é", "e\u{301}", "É",
    "E\u{301}",
    "e", "E", "K", "k", "\u{212A}", "I", "i", "İ", "ı", "i\u{307}", "Σ", "σ", "ς", "ﬁ", "fi", "Å", "\u{212B}", "å", "ø",
    "か\u{3099}", "が", "😀", "😀A", "*", "?", "\\", "a*b", "a?b", "a\\b", "\u{37E}", ";", "aaaaaaaaab", "\u{301}",
  ]

  @Test(arguments: TextOperator.allCases, [0, 1, 2, 3] as [UInt8])
  func everySampleInEverySample(_ operation: TextOperator, _ options: UInt8) throws {
    let slot = Everything.slot("string")
    var generator = SeededGenerator(seed: 1)
    var row = Everything.random(&generator)
    for needle in Self.samples {
      let compiled = try CompiledPredicate(
        .text(slot: slot, operation, needle, TextOptions(rawValue: options)), Everything.layout)
      for text in Self.samples {
        row[slot] = .string(text)
        let result = try Everything.bytes(row).withUnsafeBytes { try compiled.matches($0) }
        let expected = Reference.matches(text, operation, needle, TextOptions(rawValue: options))
        #expect(result == expected, "\(text.debugDescription) \(operation)[\(options)] \(needle.debugDescription)")
      }
    }
  }

  static let folded: [(String, TextOperator, String, TextOptions, Bool)] = [
    ("STRASSE", .equal, "straße", .caseInsensitive, true),
    ("straße", .contains, "SS", .caseInsensitive, true),
    ("\u{212A}elvin", .hasPrefix, "k", .caseInsensitive, true),
    ("kelvin", .hasPrefix, "\u{212A}", .caseInsensitive, true),
    ("é", .equal, "e\u{301}", [], false),
    ("é", .equal, "e\u{301}", .caseInsensitive, false),
    ("é", .equal, "e\u{301}", .diacriticInsensitive, true),
    ("É", .equal, "é", .caseInsensitive, true),
    ("É", .equal, "é", .diacriticInsensitive, false),
    ("CAFÉ", .hasSuffix, "fe", [.caseInsensitive, .diacriticInsensitive], true),
    ("İ", .equal, "i", .caseInsensitive, false),
    ("İ", .equal, "i", [.caseInsensitive, .diacriticInsensitive], true),
    ("ı", .equal, "i", [.caseInsensitive, .diacriticInsensitive], false),
    ("I", .equal, "i", .caseInsensitive, true),
    ("A\0B", .equal, "a\0b", .caseInsensitive, true),
    ("A\0É", .equal, "a\0é", .caseInsensitive, true),
  ]

  @Test(arguments: folded.indices) func foldingIsWithoutALocale(_ index: Int) throws {
    let (text, operation, needle, options, expected) = Self.folded[index]
    let slot = Everything.slot("string")
    var generator = SeededGenerator(seed: 1)
    var row = Everything.random(&generator)
    row[slot] = .string(text)
    #expect(try matches(.text(slot: slot, operation, needle, options), Everything.bytes(row)) == expected)
  }

  /// Why ASCII does not have to go through Foundation.
  @Test func foundationFoldsASCIIAsTheQuickWayDoes() {
    let ascii = String(decoding: UInt8(0)..<128, as: UTF8.self)
    #expect(Reference.fold(ascii, .diacriticInsensitive) == ascii)
    #expect(Reference.fold(ascii, .caseInsensitive).utf8.elementsEqual(ascii.utf8.map { 65...90 ~= $0 ? $0 + 32 : $0 }))
  }

  @Test func emptyNeedleMatchesAllButNil() throws {
    let slot = Everything.slot("stringMaybe")
    var generator = SeededGenerator(seed: 1)
    var row = Everything.random(&generator)
    for operation in [TextOperator.contains, .hasPrefix, .hasSuffix] {
      row[slot] = .string("x")
      #expect(try matches(.text(slot: slot, operation, "", []), Everything.bytes(row)))
      row[slot] = .null
      #expect(try !matches(.text(slot: slot, operation, "", []), Everything.bytes(row)))
    }
  }

  static let patterns: [(String, String, Bool)] = [
    ("", "", true), ("", "*", true), ("", "?", false), ("abc", "a*c", true), ("abc", "a?c", true), ("abc", "a?", false),
    ("aXbXc", "*X*c", true), ("aXbXc", "*X?", true), ("a*c", "a\\*c", true), ("abc", "a\\*c", false), ("é", "?", true),
    ("e\u{301}", "?", false), ("e\u{301}", "??", true), ("😀", "?", true), ("a\\", "a\\", true),
    ("a\\b", "a\\\\b", true),
    ("mississippi", "m*iss*ip*i", true), ("mississippi", "m*iss*ss*ssi*", false), ("abab", "*ab", true),
  ]

  @Test(arguments: patterns.indices) func like(_ index: Int) {
    let (text, pattern, expected) = Self.patterns[index]
    let result = Array(text.utf8).withUnsafeBytes { LikePattern(pattern).matches($0) }
    #expect(result == expected)
  }

  @Test func likeDoesNotNeedUTF8() {
    let bytes: [UInt8] = [0x80, 0xFF, 0xC3, 0x41]
    #expect(bytes.withUnsafeBytes { LikePattern("*A").matches($0) })
    #expect(bytes.withUnsafeBytes { !LikePattern("??????").matches($0) })
  }

  @Test(arguments: [1, 2, 3, 7, 8, 9, 63, 64, 65, 66, 100, 200]) func searchFindsWhatIsThere(_ length: Int) {
    var generator = SeededGenerator(seed: UInt64(length))
    for _ in 0..<400 {
      // Two letters only, so that much is nearly the same.
      let haystack = (0..<Int.random(in: 0...400, using: &generator)).map { _ in
        UInt8.random(in: 0..<20, using: &generator) == 0 ? UInt8(ascii: "b") : UInt8(ascii: "a")
      }
      let start = Int.random(in: 0...max(0, haystack.count - length), using: &generator)
      var needle = Array(haystack[start...].prefix(length))
      if Bool.random(using: &generator) {
        needle = (0..<length).map { _ in UInt8.random(in: 97...98, using: &generator) }
      } else if Bool.random(using: &generator), !needle.isEmpty {
        needle[Int.random(in: 0..<needle.count, using: &generator)] ^= 3
      }
      let text = String(decoding: needle, as: UTF8.self)
      let found = haystack.withUnsafeBytes { ByteNeedle(text).isContained(in: $0) }
      let expected = Reference.matches(String(decoding: haystack, as: UTF8.self), .contains, text, [])
      #expect(found == expected)
    }
  }

  @Test func longNeedleInATextMuchLikeIt() {
    let haystack = [UInt8](repeating: 97, count: 1_000_000)
    let needle = String(repeating: "a", count: 250_000) + "b" + String(repeating: "a", count: 250_000)
    #expect(haystack.withUnsafeBytes { !ByteNeedle(needle).isContained(in: $0) })
  }

  @Test func textInURLs() throws {
    let slot = Everything.slot("url")
    var generator = SeededGenerator(seed: 1)
    var row = Everything.random(&generator)
    row[slot] = .url(URL(string: "https://example.org/Straße")!)
    #expect(try matches(.text(slot: slot, .hasPrefix, "https://example", []), Everything.bytes(row)))
    #expect(try matches(.text(slot: slot, .contains, "EXAMPLE", .caseInsensitive), Everything.bytes(row)))
  }
}
