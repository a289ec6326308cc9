/// Finds what a person may have meant by a name that is not there.
public enum NearestName {
  /// The words that follow a message about an unknown name: the nearest name, else the first of those there are.
  ///
  /// The distance of two names counts bytes to insert, remove, replace or exchange with their neighbour (optimal string
  /// alignment). ASCII letters count as the same in either case.
  ///
  /// - Parameters:
  ///   - name: The unknown name.
  ///   - names: The names that exist. Without any, the result is empty.
  /// - Complexity: O(n · m) for each name, for lengths n and m of at most 126 bytes.
  public static func suggestion(for name: String, among names: [String]) -> String {
    let typed = folded(name)
    let measured = names.map { (name: $0, distance: distance(typed, folded($0))) }
    if let nearest = measured.min(by: { $0.distance < $1.distance }),
      nearest.distance <= max(1, min(typed.count, nearest.name.utf8.count) / 2)
    {
      return "; did you mean \(nearest.name)?"
    }
    guard !names.isEmpty else { return "" }
    if names.count == 1 { return "; the only one is \(names[0])" }
    return "; there are \(names.prefix(8).joined(separator: ", "))\(names.count > 8 ? ", …" : "")"
  }

  private static func folded(_ name: String) -> [UInt8] {
    // Longer names are not allowed, so what follows cannot make one nearer; a hostile name costs no more.
    Array(SchemaNames.folded(name).prefix(Schema.maximumNameBytes * 2))
  }

  /// The number of bytes to insert, remove, replace or exchange with their neighbour.
  static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var beforeLast = [Int](repeating: 0, count: right.count + 1)
    var last = Array(0...right.count)
    for (row, byte) in left.enumerated() {
      var current = last
      current[0] = row + 1
      for (column, other) in right.enumerated() {
        var best = min(last[column] + (byte == other ? 0 : 1), last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, byte == right[column - 1], left[row - 1] == other {
          best = min(best, beforeLast[column - 1] + 1)
        }
        current[column + 1] = best
      }
      beforeLast = last
      last = current
    }
    return last[right.count]
  }
}
