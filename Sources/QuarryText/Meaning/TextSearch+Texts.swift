extension TextSearch {
  /// The positions of the patterns in one text.
  private struct Occurrences {
    /// The positions of each pattern, ascending.
    var positions: [[UInt32]]
    /// The ranges of the tokens at these positions.
    var ranges: [[Range<Int>]]
  }

  private func occurrences(in text: String, withRanges: Bool) -> Occurrences {
    let patterns = terms.patterns
    var found = Occurrences(
      positions: [[UInt32]](repeating: [], count: patterns.count),
      ranges: [[Range<Int>]](repeating: [], count: patterns.count))
    var exact: [UInt64: [Int]] = [:]
    var prefixes: [Int] = []
    for (index, pattern) in patterns.enumerated() {
      if pattern.isPrefix {
        prefixes.append(index)
      } else {
        exact[pattern.term.withUnsafeBufferPointer(Self.hash), default: []].append(index)
      }
    }
    terms.tokenizer.forEachToken(of: text) { term, _, range, position in
      func add(_ index: Int) {
        // A letter and its pair may begin with the same prefix: the position counts once, with the letter.
        if found.positions[index].last == position { return }
        found.positions[index].append(position)
        if withRanges { found.ranges[index].append(range) }
      }
      if let candidates = exact[Self.hash(term)] {
        for index in candidates where patterns[index].matches(term) { add(index) }
      }
      for index in prefixes where patterns[index].matches(term) { add(index) }
      return true
    }
    return found
  }

  /// FNV-1a.
  private static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash
  }

  /// Whether the query finds a text.
  ///
  /// - Complexity: O(n) in the length of the text, for each prefix of the query.
  public func matches(_ text: String) -> Bool {
    let found = occurrences(in: text, withRanges: false)
    let isFound = leaves.map { leaf in
      LeafMatcher.starts(of: leaf) { found.positions[$0][...] }.contains { !$0.isEmpty }
    }
    func matches(_ node: Node) -> Bool {
      switch node {
      case .leaf(let index): isFound[index]
      case .all(let nodes): nodes.allSatisfy(matches)
      case .any(let nodes): nodes.contains(where: matches)
      case .not(let node): !matches(node)
      }
    }
    return matches(root)
  }

  /// A part of a text that the query looks for: a word, or a phrase from its first word to its last.
  struct Mark {
    var range: Range<Int>
    var positions: ClosedRange<UInt32>
    var leaf: Int
  }

  /// The parts of a text that are looked for, in the order of their ranges. Negated parts of the query have none.
  func marks(in text: String) -> [Mark] {
    let found = occurrences(in: text, withRanges: true)
    var marks: [Mark] = []
    for (index, leaf) in leaves.enumerated() where leaf.counts {
      let starts = LeafMatcher.starts(of: leaf) { found.positions[$0][...] }
      for (phrase, starts) in zip(leaf.phrases, starts) {
        guard let first = phrase.elements.first, let last = phrase.elements.last else { continue }
        var begin = 0
        var end = 0
        for start in starts {
          // The starts ascend, and so do the places of both terms.
          let (firsts, lasts) = (found.positions[first.pattern], found.positions[last.pattern])
          while begin < firsts.count, firsts[begin] < start { begin += 1 }
          while end < lasts.count, lasts[end] < start + last.offset { end += 1 }
          guard begin < firsts.count, end < lasts.count else { break }
          let from = found.ranges[first.pattern][begin].lowerBound
          let to = found.ranges[last.pattern][end].upperBound
          marks.append(Mark(range: from..<to, positions: start...start + phrase.length, leaf: index))
        }
      }
    }
    return marks.sorted { ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound) }
  }
}
