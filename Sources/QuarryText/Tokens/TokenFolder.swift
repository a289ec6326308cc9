import Foundation

/// Folds words as the contract folds text with `[cd]` (TEXT-5): Foundation's folding without a locale.
///
/// Foundation folds almost all scalars one by one, by a table, and drops marks by two rules. What is not folded so is left
/// to Foundation itself, which takes some microseconds for a word.
struct TokenFolder {
  /// Of a longer word only the bytes up to here are folded, up to the last whole scalar.
  static let maximumLength = 256

  private let reader: ScalarReader

  init(_ reader: ScalarReader) {
    self.reader = reader
  }

  /// Appends the folded form of a range of the text.
  ///
  /// - Complexity: O(1): at most ``maximumLength`` bytes are read.
  func append(_ range: Range<Int>, to output: inout [UInt8]) {
    let start = output.count
    let end = limited(range)
    if !appendByTable(range.lowerBound..<end, to: &output) {
      output.removeSubrange(start...)
      appendByFoundation(range.lowerBound..<end, to: &output)
    }
  }

  /// Appends the scalars of a range without those that are attached to others.
  func appendPictographs(_ range: Range<Int>, to output: inout [UInt8]) {
    var place = range.lowerBound
    let end = limited(range)
    while place < end {
      let (scalar, length) = reader.scalarClass(at: place)
      if !scalar.wordBreak.isAttached { output.append(contentsOf: reader.bytes[place..<place + length]) }
      place += length
    }
  }

  /// The end of what is folded of a range.
  private func limited(_ range: Range<Int>) -> Int {
    guard range.count > Self.maximumLength else { return range.upperBound }
    var end = range.lowerBound + Self.maximumLength
    while end > range.lowerBound, reader.bytes[end] & 0xC0 == 0x80 { end -= 1 }
    return end
  }

  /// What happens to marks, by what stands before them.
  private enum Behind {
    /// The start of the word.
    case nothing
    /// A scalar that folds to one below U+0510: Latin, Greek or Cyrillic. All marks are dropped.
    case low
    /// Another scalar, which does not change: one mark below U+0510 is dropped.
    case high
    /// The mark that was dropped behind such a scalar.
    case dropped
    /// Another scalar, which changes: Foundation drops none.
    case changed
    /// A mark that was kept, with its combining class: Foundation brings marks into the order of their classes.
    case mark(UInt32)
  }

  /// - Returns: False when Foundation has to fold the range.
  private func appendByTable(_ range: Range<Int>, to output: inout [UInt8]) -> Bool {
    var place = range.lowerBound
    var behind = Behind.nothing
    while place < range.upperBound {
      let byte = reader.bytes[place]
      if byte < 0x80 {
        output.append(byte &- 65 < 26 ? byte | 0x20 : byte)
        behind = .low
        place += 1
        continue
      }
      let (value, length) = reader.scalar(at: place)
      place += length
      let scalar = ScalarClass(bits: reader.tables.classes[value])
      if scalar.isIgnorable || scalar.wordBreak == .format || scalar.wordBreak == .joiner { continue }
      if scalar.foldsIrregularly { return false }
      if scalar.isMark {
        switch behind {
        case .low: continue
        case .high where value < 0x510:
          behind = .dropped
          continue
        case .mark(let before) where before <= scalar.combiningClass && value >= 0x510 && !scalar.folds: break
        case .high where !scalar.folds: break
        default: return false
        }
        behind = .mark(scalar.combiningClass)
        Self.append(value, to: &output)
        continue
      }
      guard scalar.folds else {
        Self.append(value, to: &output)
        behind = value < 0x510 ? .low : .high
        continue
      }
      let target = reader.tables.foldings[value]
      if target >> 31 == 1 {
        let sequence = reader.tables.sequences[Int(target & ~(1 << 31))]
        for scalar in sequence { Self.append(scalar, to: &output) }
        behind = (sequence.last ?? 0) < 0x510 ? .low : .changed
      } else {
        Self.append(target, to: &output)
        behind = target < 0x510 ? .low : .changed
      }
    }
    return true
  }

  private func appendByFoundation(_ range: Range<Int>, to output: inout [UInt8]) {
    var kept: [UInt8] = []
    var place = range.lowerBound
    while place < range.upperBound {
      let (scalar, length) = reader.scalarClass(at: place)
      if !scalar.isIgnorable, scalar.wordBreak != .format, scalar.wordBreak != .joiner {
        kept.append(contentsOf: reader.bytes[place..<place + length])
      }
      place += length
    }
    let text = String(decoding: kept, as: UTF8.self)
    output.append(contentsOf: text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil).utf8)
  }

  @inline(__always)
  private static func append(_ scalar: UInt32, to output: inout [UInt8]) {
    let low = UInt8(truncatingIfNeeded: scalar & 0x3F | 0x80)
    if scalar < 0x80 {
      output.append(UInt8(truncatingIfNeeded: scalar))
    } else if scalar < 0x800 {
      output.append(UInt8(truncatingIfNeeded: scalar >> 6 | 0xC0))
      output.append(low)
    } else {
      let middle = UInt8(truncatingIfNeeded: scalar >> 6 & 0x3F | 0x80)
      if scalar < 0x1_0000 {
        output.append(UInt8(truncatingIfNeeded: scalar >> 12 | 0xE0))
      } else {
        output.append(UInt8(truncatingIfNeeded: scalar >> 18 | 0xF0))
        output.append(UInt8(truncatingIfNeeded: scalar >> 12 & 0x3F | 0x80))
      }
      output.append(middle)
      output.append(low)
    }
  }
}
