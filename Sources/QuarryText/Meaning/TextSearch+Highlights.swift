/// A part of a text that shows where a query found something.
public struct SearchSnippet: Hashable, Sendable {
  /// The part of the text.
  public var range: Range<String.Index>
  /// The ranges in it that the query looks for, in order, without overlaps.
  public var highlights: [Range<String.Index>]
  /// Whether words of the text stand before the part.
  public var omitsStart: Bool
  /// Whether words of the text follow the part.
  public var omitsEnd: Bool
}

extension TextSearch {
  /// The ranges of a text that the query looks for, in order, without overlaps.
  ///
  /// They are words, and phrases from their first word to their last. Negated parts of the query have none. A text that the
  /// query does not find as a whole has the ranges of the parts that are found.
  ///
  /// - Parameter text: A text in any language; its own ranges are returned.
  /// - Complexity: O(n) in the length of the text, for each prefix of the query.
  public func highlights(in text: String) -> [Range<String.Index>] {
    Self.indices(of: Self.united(marks(in: text).map(\.range)), in: text)
  }

  /// The part of a text, with at most the given number of words, that has the most different parts of the query, and of such
  /// parts the most occurrences.
  ///
  /// The first of equal parts is chosen; without any occurrence, the beginning of the text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - words: The largest number of words. Less than 1 counts as 1. A longer phrase is shown whole.
  /// - Returns: Nil for a text without words.
  /// - Complexity: O(n) in the length of the text, for each prefix of the query.
  public func snippet(of text: String, words: Int) -> SearchSnippet? {
    let words = UInt32(clamping: max(1, words))
    let marks = marks(in: text)
    let window = Self.bestWindow(marks, words)
    var start = window?.lowerBound ?? 0
    let end = max(window?.upperBound ?? 0, start &+ words &- 1)
    if let window {
      // What is left of the words is shown before and behind.
      let rest = words > UInt32(window.count) ? words - UInt32(window.count) : 0
      start = window.lowerBound - min(window.lowerBound, rest / 2)
    }
    let last = window.map { max($0.upperBound, start &+ words &- 1) } ?? end
    var range: Range<Int>?
    var omitsEnd = false
    Tokenizer().forEachToken(of: text) { _, kind, token, position in
      guard position <= last else {
        omitsEnd = true
        return false
      }
      // The second letter of the last pair is another position.
      if position >= start, kind != .pair || position < last {
        range = (range?.lowerBound ?? token.lowerBound)..<max(range?.upperBound ?? 0, token.upperBound)
      }
      return true
    }
    guard var range else { return nil }
    for mark in marks where mark.positions.lowerBound >= start && mark.positions.upperBound <= last {
      range = min(range.lowerBound, mark.range.lowerBound)..<max(range.upperBound, mark.range.upperBound)
    }
    let shown = marks.map(\.range).filter { $0.lowerBound >= range.lowerBound && $0.upperBound <= range.upperBound }
    return SearchSnippet(
      range: Self.indices(of: [range], in: text)[0], highlights: Self.indices(of: Self.united(shown), in: text),
      omitsStart: start > 0, omitsEnd: omitsEnd)
  }

  /// The positions from the first to the last mark of the best window.
  private static func bestWindow(_ marks: [Mark], _ words: UInt32) -> ClosedRange<UInt32>? {
    let marks = marks.sorted {
      ($0.positions.lowerBound, $0.positions.upperBound) < ($1.positions.lowerBound, $1.positions.upperBound)
    }
    var best: (leaves: Int, marks: Int, range: ClosedRange<UInt32>)?
    var counts: [Int: Int] = [:]
    var first = 0
    for (index, mark) in marks.enumerated() {
      counts[mark.leaf, default: 0] += 1
      while first < index, mark.positions.upperBound &- marks[first].positions.lowerBound >= words {
        let leaf = marks[first].leaf
        let count = (counts[leaf] ?? 1) - 1
        counts[leaf] = count == 0 ? nil : count
        first += 1
      }
      let value = (counts.count, index - first + 1)
      if best.map({ value > ($0.leaves, $0.marks) }) ?? true {
        let end = marks[first...index].reduce(0) { max($0, $1.positions.upperBound) }
        best = (value.0, value.1, marks[first].positions.lowerBound...end)
      }
    }
    return best?.range
  }

  /// Ranges in the order of their starts, with those that overlap united.
  private static func united(_ ranges: [Range<Int>]) -> [Range<Int>] {
    var result: [Range<Int>] = []
    for range in ranges {
      if let last = result.last, range.lowerBound < last.upperBound {
        result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        result.append(range)
      }
    }
    return result
  }

  private static func indices(of ranges: [Range<Int>], in text: String) -> [Range<String.Index>] {
    let utf8 = text.utf8
    var place = (offset: 0, index: utf8.startIndex)
    return ranges.map { range in
      let start = utf8.index(place.index, offsetBy: range.lowerBound - place.offset)
      let end = utf8.index(start, offsetBy: range.count)
      place = (range.upperBound, end)
      return start..<end
    }
  }
}
