import QuarryQuery

/// The conditions that an AND or an OR has, as a program adds them one by one.
///
/// They are kept in chunks, of which each is less than half as long as its neighbour towards the middle. A condition that is
/// built in a loop is therefore not copied as a whole with every step: an addition copies O(log n) parts on average.
struct ConditionParts: Sendable {
  /// The chunks before the others, the last one first.
  private var front: [[PredicateTree]] = []
  private var back: [[PredicateTree]] = []
  private(set) var count = 0

  init(_ parts: [PredicateTree]) {
    back = [parts]
    count = parts.count
  }

  /// All parts in their order.
  var all: [PredicateTree] {
    var parts: [PredicateTree] = []
    parts.reserveCapacity(count)
    for chunk in front.reversed() { parts += chunk }
    for chunk in back { parts += chunk }
    return parts
  }

  /// The parts of the left condition, followed by the parts of the right one.
  static func + (left: ConditionParts, right: ConditionParts) -> ConditionParts {
    // The shorter one is added to the longer one.
    if left.count >= right.count {
      var parts = left
      parts.append(right.all)
      return parts
    }
    var parts = right
    parts.prepend(left.all)
    return parts
  }

  private mutating func append(_ chunk: [PredicateTree]) {
    count += chunk.count
    var chunk = chunk
    while let last = back.last, last.count <= chunk.count * 2 {
      chunk = last + chunk
      back.removeLast()
    }
    back.append(chunk)
  }

  private mutating func prepend(_ chunk: [PredicateTree]) {
    count += chunk.count
    var chunk = chunk
    while let first = front.last, first.count <= chunk.count * 2 {
      chunk += first
      front.removeLast()
    }
    front.append(chunk)
  }
}
