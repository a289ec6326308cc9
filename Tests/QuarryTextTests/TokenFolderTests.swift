import Foundation
import Testing

@testable import QuarryText

/// Terms are folded as the contract says (TEXT-5): as Foundation folds.
@Suite struct TokenFolderTests {
  private func folded(_ text: String) -> [UInt8] {
    var text = text
    return text.withUTF8 { bytes in
      var output: [UInt8] = []
      TokenFolder(ScalarReader(bytes)).append(0..<bytes.count, to: &output)
      return output
    }
  }

  private func foldedByFoundation(_ text: String) -> [UInt8] {
    Array(text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil).utf8)
  }

  @Test func eachScalarFoldsAsInFoundation() {
    var wrong: [String] = []
    for value in UInt32(1)...0x10_FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let known = ScalarClass(bits: UnicodeTables.shared.classes[value])
      if known.isIgnorable || known.wordBreak == .format || known.wordBreak == .joiner { continue }
      // Of scalars that neither fold nor are marks a sample is tried.
      guard known.folds || known.isMark || known.foldsIrregularly || value % 61 == 0 else { continue }
      for text in [String(scalar), "a\(scalar)", "א\(scalar)", "\(scalar)\u{301}"] {
        if folded(text) != foldedByFoundation(text) { wrong.append(TextProperties.hexadecimal(text)) }
      }
    }
    #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(20))")
  }

  @Test func sequencesFoldAsInFoundation() {
    var random = RandomTexts(seed: 5)
    for _ in 0..<20_000 {
      var text = ""
      for scalar in random.text(length: 1...6).unicodeScalars where scalar != "\0" {
        let known = ScalarClass(bits: UnicodeTables.shared.classes[scalar.value])
        if known.isIgnorable || known.wordBreak == .format || known.wordBreak == .joiner { continue }
        text.unicodeScalars.append(scalar)
      }
      #expect(folded(text) == foldedByFoundation(text), "\(TextProperties.hexadecimal(text))")
    }
  }

  @Test(arguments: [
    ("Straße", "strasse"), ("ΟΔΥΣΣΕΥΣ", "οδυσσευσ"), ("Ёлка", "елка"), ("e\u{301}te\u{301}", "ete"), ("ﬁn", "fin"),
    ("İstanbul", "istanbul"), ("soft\u{AD}hyphen", "softhyphen"), ("می\u{200C}خواهم", "میخواهم"), ("ø", "ø"),
  ])
  func examples(text: String, term: String) {
    #expect(String(decoding: folded(text), as: UTF8.self) == term)
  }

  @Test func longWordsAreCutBetweenScalars() {
    #expect(folded(String(repeating: "a", count: 1000)).count == 256)
    #expect(folded("x" + String(repeating: "Ж", count: 1000)).count == 255)
    #expect(folded(String(repeating: "\u{10FFFF}", count: 1000)).count == 256)
  }
}
