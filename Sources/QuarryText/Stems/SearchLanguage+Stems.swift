package import QuarryBackend

// A stem is a term of its own, behind a byte with which no word begins. An index therefore has both, the word as it is written for
// beginnings, and its stem for words and phrases.

extension SearchLanguage {
  /// The byte before a stem.
  private static let mark: UInt8 = 1

  /// The version of the language's rules. Stems of different versions are not compared.
  package var version: UInt64 { UInt64(EnglishStemmer.version) }

  /// The term of a word's stem; nil for a word that is compared as it is written.
  package func stem(of term: [UInt8]) -> [UInt8]? {
    var stem: [UInt8] = []
    return setStem(of: term, in: &stem) ? stem : nil
  }

  /// Makes a buffer the term of a word's stem.
  ///
  /// - Returns: False for a word with other letters than a to z, which has none.
  func setStem(of term: [UInt8], in stem: inout [UInt8]) -> Bool {
    guard term.allSatisfy({ $0 &- UInt8(ascii: "a") < 26 }) else { return false }
    stem.removeAll(keepingCapacity: true)
    stem.append(Self.mark)
    stem.append(contentsOf: term)
    let count = stem.withUnsafeMutableBufferPointer { bytes in
      EnglishStemmer.stem(UnsafeMutableBufferPointer(rebasing: bytes[1...]))
    }
    stem.removeSubrange((count + 1)...)
    return true
  }
}
