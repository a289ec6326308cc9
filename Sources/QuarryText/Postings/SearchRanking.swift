/// A text that a query found.
public struct SearchHit: Hashable, Sendable {
  /// The number of the document.
  public var document: UInt64
  /// How well it fits, a multiple of 1/1024. Larger is better.
  public var score: Double

  /// Creates a hit.
  ///
  /// - Parameters:
  ///   - document: The number of the document.
  ///   - score: The score, greater for a better hit.
  public init(document: UInt64, score: Double) {
    self.document = document
    self.score = score
  }
}

/// BM25 with k1 = 1.2 and b = 0.75.
///
/// Only additions, multiplications and divisions of IEEE 754 are used, in one order, so that each machine has the same scores.
package struct SearchRanking {
  static let k1 = 1.2
  static let b = 0.75

  private let documents: Double
  private let averageLength: Double

  /// - Parameters:
  ///   - documents: The number of documents.
  ///   - length: The number of words in all of them.
  package init(documents: Int, length: UInt64) {
    self.documents = Double(documents)
    averageLength = documents == 0 || length == 0 ? 1 : Double(length) / Double(documents)
  }

  /// The weight of what the given number of documents have: ln(1 + (N - n + 0.5) / (n + 0.5)).
  func weight(documents found: Int) -> Double {
    Self.logarithm(1 + (documents - Double(found) + 0.5) / (Double(found) + 0.5))
  }

  /// What one word or phrase adds to the score of a document.
  ///
  /// - Parameters:
  ///   - frequency: How often the document has it.
  ///   - length: The number of words in the document.
  ///   - weight: Its ``weight(documents:)``.
  func score(frequency: Int, length: UInt64, weight: Double) -> Double {
    let frequency = Double(frequency)
    let norm = Self.k1 * (1 - Self.b + Self.b * Double(length) / averageLength)
    return weight * frequency * (Self.k1 + 1) / (frequency + norm)
  }

  /// The score as a multiple of 1/1024, ties rounded away from zero.
  static func quantised(_ score: Double) -> Double { (score * 1024).rounded() / 1024 }

  /// The natural logarithm of a number that is at least 1.
  package static func logarithm(_ number: Double) -> Double {
    guard number >= 1, number.isFinite else { return 0 }
    // 2 ln((1 + r) / (1 - r)) as its series; the significand is brought near 1, so that 16 terms are enough.
    var exponent = Double(number.exponent)
    var significand = number.significand
    if significand > 1.414_213_562_373_095_1 {
      significand /= 2
      exponent += 1
    }
    let ratio = (significand - 1) / (significand + 1)
    let square = ratio * ratio
    var sum = 0.0
    var index = 31.0
    while index >= 1 {
      sum = sum * square + 1 / index
      index -= 2
    }
    return exponent * 0.693_147_180_559_945_3 + 2 * ratio * sum
  }
}
