import Foundation
import QuarryBackend
import QuarryText

// Prints each word of the standard input with its stem, and the time for a word with and without one.

var words: [String] = []
while let line = readLine() { words.append(line) }

/// The time for each word, and the stems behind their marks.
func divide(_ words: [String], _ language: SearchLanguage?) -> (time: Duration, stems: [UInt8]) {
  let tokenizer = Tokenizer(language: language)
  var stems: [UInt8] = []
  stems.reserveCapacity(words.count * 8)
  let start = ContinuousClock.now
  for word in words {
    tokenizer.forEachToken(of: word) { term, kind, _, _ in
      if kind == .stem { stems.append(contentsOf: term) }
      return true
    }
  }
  return ((ContinuousClock.now - start) / max(1, words.count), stems)
}

let plain = divide(words, nil).time
let (time, stems) = divide(words, .english)
for (word, stem) in zip(words, stems.split(separator: 1)) { print("\(word)\t\(String(decoding: stem, as: UTF8.self))") }
FileHandle.standardError.write(Data("\(words.count) words, \(time) for each, without stems \(plain)\n".utf8))
