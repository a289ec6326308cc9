import QuarryBackend

/// A place between the values of one column, in the bytes of the ascending key format: before or after every component
/// that begins with these bytes.
struct KeyBoundary: Sendable, Hashable {
  var bytes: [UInt8]
  var isAfter: Bool

  static func before(_ bytes: [UInt8]) -> KeyBoundary { KeyBoundary(bytes: bytes, isAfter: false) }
  static func after(_ bytes: [UInt8]) -> KeyBoundary { KeyBoundary(bytes: bytes, isAfter: true) }

  /// The least key that lies after the cut, behind the prefix; nil when there is none.
  ///
  /// A descending column has the bytes of its components inverted, which turns the order around: what was before the
  /// cut is after it then.
  func key(behind prefix: [UInt8], isDescending: Bool) -> [UInt8]? {
    let own = isDescending ? bytes.map { ~$0 } : bytes
    let whole = prefix.isEmpty ? own : prefix + own
    return isAfter == isDescending ? whole : KeyRange.successor(ofPrefix: whole)
  }

  /// Whether this cut lies before the other.
  func precedes(_ other: KeyBoundary) -> Bool {
    switch (ascending, other.ascending) {
    case (nil, _): false
    case (_, nil): true
    case (let left?, let right?): left.lexicographicallyPrecedes(right)
    }
  }

  private var ascending: [UInt8]? { isAfter ? KeyRange.successor(ofPrefix: bytes) : bytes }
}

/// The values of one column between two cuts.
struct Interval: Sendable, Hashable {
  var lower: KeyBoundary
  var upper: KeyBoundary

  var isEmpty: Bool { !lower.precedes(upper) }

  /// The values that are in both.
  func intersection(_ other: Interval) -> Interval {
    Interval(
      lower: lower.precedes(other.lower) ? other.lower : lower,
      upper: upper.precedes(other.upper) ? upper : other.upper)
  }

  /// The keys behind a prefix whose next component is in the interval; nil when there are none.
  func range(behind prefix: [UInt8], isDescending: Bool) -> KeyRange? {
    let first = isDescending ? upper : lower
    let last = isDescending ? lower : upper
    guard let from = first.key(behind: prefix, isDescending: isDescending) else { return nil }
    let range = KeyRange(lower: from, upper: last.key(behind: prefix, isDescending: isDescending))
    return range.isEmpty ? nil : range
  }
}

extension KeyRange {
  /// Whether no key can be in the range.
  package var isEmpty: Bool {
    guard let upper else { return false }
    return !(lower ?? []).lexicographicallyPrecedes(upper)
  }

  /// The keys that are in both ranges.
  func intersection(_ other: KeyRange) -> KeyRange {
    var result = self
    if let bound = other.lower, (result.lower ?? []).lexicographicallyPrecedes(bound) { result.lower = bound }
    if let bound = other.upper {
      if let own = result.upper, own.lexicographicallyPrecedes(bound) { return result }
      result.upper = bound
    }
    return result
  }
}
