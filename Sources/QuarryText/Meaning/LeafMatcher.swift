/// Where a leaf of a search stands in one text, by the positions of its terms.
enum LeafMatcher {
  /// The positions at which each phrase of the leaf begins. All are empty when the leaf is not found.
  ///
  /// - Parameters:
  ///   - leaf: The leaf.
  ///   - positions: The positions of a pattern in the text, ascending.
  /// - Complexity: O(n log n) in the number of positions.
  static func starts(of leaf: TextSearch.Leaf, _ positions: (Int) -> ArraySlice<UInt32>) -> [[UInt32]] {
    guard leaf.canMatch else { return [] }
    let found = leaf.phrases.map { starts(of: $0, positions) }
    guard let distance = leaf.distance else { return found }
    return near(found, leaf.phrases.map(\.length), within: distance)
  }

  /// Where a phrase begins.
  private static func starts(of phrase: TextSearch.Phrase, _ positions: (Int) -> ArraySlice<UInt32>) -> [UInt32] {
    guard let first = phrase.elements.first else { return [] }
    var result = Array(positions(first.pattern))
    for element in phrase.elements.dropFirst() {
      if result.isEmpty { return [] }
      let others = positions(element.pattern)
      var place = others.startIndex
      result.removeAll { start in
        let wanted = UInt64(start) + UInt64(element.offset)
        while place < others.endIndex, UInt64(others[place]) < wanted { place += 1 }
        return place == others.endIndex || UInt64(others[place]) != wanted
      }
    }
    return result
  }

  /// Of each phrase the places that lie, with a place of every other phrase, in a window of the given length.
  private static func near(_ found: [[UInt32]], _ lengths: [UInt32], within distance: UInt32) -> [[UInt32]] {
    let none = [[UInt32]](repeating: [], count: found.count)
    if found.contains(where: \.isEmpty) { return none }
    // Windows begin where a phrase begins.
    let candidates = found.joined().sorted()
    var places = [Int](repeating: 0, count: found.count)
    var windows: [UInt32] = []
    for candidate in candidates where windows.last != candidate {
      let end = UInt64(candidate) + UInt64(distance)
      var isWindow = true
      for (index, starts) in found.enumerated() {
        while places[index] < starts.count, starts[places[index]] < candidate { places[index] += 1 }
        guard places[index] < starts.count else { return kept(found, lengths, distance, windows) }
        if UInt64(starts[places[index]]) + UInt64(lengths[index]) > end { isWindow = false }
      }
      if isWindow { windows.append(candidate) }
    }
    return kept(found, lengths, distance, windows)
  }

  /// The places that lie whole in a window.
  private static func kept(
    _ found: [[UInt32]], _ lengths: [UInt32], _ distance: UInt32, _ windows: [UInt32]
  ) -> [[UInt32]] {
    zip(found, lengths).map { starts, length in
      // The last window that begins at the place or before it reaches furthest.
      var place = 0
      return starts.filter { start in
        while place < windows.count, windows[place] <= start { place += 1 }
        guard place > 0 else { return false }
        return UInt64(start) + UInt64(length) <= UInt64(windows[place - 1]) + UInt64(distance)
      }
    }
  }
}
