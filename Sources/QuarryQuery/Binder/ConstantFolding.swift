import QuarryBackend

/// Decides conditions without a property, by the rules of predicates.
enum ConstantFolding {
  /// - Throws: `invalidQuery` when the two are not comparable.
  static func holds(_ left: Value, _ comparison: Comparison, _ right: Value) throws(StorageError) -> Bool {
    guard left.isNull || right.isNull || left.isComparable(with: right) else {
      throw StorageError(.invalidQuery, "\(left.text) is \(left.kind) and cannot be compared with \(right.kind)")
    }
    return PredicateEquality.holds(left, comparison, right)
  }
}

extension Value {
  fileprivate func isComparable(with other: Value) -> Bool {
    switch (self, other) {
    case (.bool, .bool), (.string, .string), (.date, .date), (.data, .data), (.uuid, .uuid), (.url, .url),
      (.array, .array), (.object, .object):
      true
    default: isNumber && other.isNumber
    }
  }

  var isNumber: Bool {
    switch self {
    case .int, .uint, .float, .double, .decimal: true
    default: false
    }
  }
}
