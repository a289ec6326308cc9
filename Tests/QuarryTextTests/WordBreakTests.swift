import Foundation
import Testing

@testable import QuarryText

/// The official test of word boundaries, in the version of the tables.
@Suite struct WordBreakTests {
  /// The boundaries of a text in bytes.
  private func boundaries(_ text: String) -> [Int] {
    var text = text
    return text.withUTF8 { bytes in
      let breaks = WordBreaks(ScalarReader(bytes))
      var places = [0]
      while let last = places.last, last < bytes.count { places.append(breaks.end(of: last)) }
      return places
    }
  }

  @Test func boundariesAreThoseOfTheOfficialTest() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../Unicode/WordBreakTest.txt").standardizedFileURL
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    #expect(lines.first == "# WordBreakTest-\(Tokenizer.unicodeVersion).txt")
    var count = 0
    for line in lines where !line.hasPrefix("#") {
      var text = ""
      var expected: [Int] = []
      for word in line.split(separator: " ") {
        if word == "÷" {
          expected.append(text.utf8.count)
        } else if word != "×" {
          let scalar = try #require(UInt32(word, radix: 16).flatMap(Unicode.Scalar.init))
          text.unicodeScalars.append(scalar)
        }
      }
      #expect(boundaries(text) == expected, "\(line)")
      count += 1
    }
    #expect(count == 1823)
  }

  @Test func textsWithoutEndOfSegmentsAreReadInLinearTime() {
    // Each connector looks ahead over the marks behind it.
    let text = String(repeating: "a:" + String(repeating: "\u{301}", count: 50), count: 20_000)
    let clock = ContinuousClock()
    let time = clock.measure { _ = boundaries(text) }
    #expect(time < .seconds(20))
  }
}
