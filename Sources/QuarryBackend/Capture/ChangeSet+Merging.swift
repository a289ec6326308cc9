extension ChangeSet {
  /// Adds what a later commit changed, so that the two are as one: an object that was added and removed is no change.
  ///
  /// If only one of them captured rows for a model, the model is only known to have changed.
  ///
  /// - Parameter later: The changes of the commit that follows the commits of this change set.
  /// - Complexity: O(n + m) for the changes of the two.
  public mutating func merge(_ later: ChangeSet) {
    isUnknown = isUnknown || later.isUnknown
    guard !isUnknown else {
      models = [:]
      return
    }
    for (model, changes) in later.models {
      switch (models[model], changes) {
      case (nil, _): models[model] = changes
      case (.objects(let first)?, .objects(let second)):
        let merged = Self.merge(first, second)
        switch merged {
        case nil: models[model] = .unknown
        case let merged? where merged.isEmpty: models[model] = nil
        case let merged?: models[model] = .objects(merged)
        }
      default: models[model] = .unknown
      }
    }
  }

  /// - Returns: nil where they do not go together.
  private static func merge(_ first: [Change], _ second: [Change]) -> [Change]? {
    var merged: [Change] = []
    merged.reserveCapacity(first.count + second.count)
    var (a, b) = (0, 0)
    while a < first.count || b < second.count {
      if b == second.count || a < first.count && first[a].key < second[b].key {
        merged.append(first[a])
        a += 1
      } else if a == first.count || second[b].key < first[a].key {
        merged.append(second[b])
        b += 1
      } else {
        guard let both = merge(first[a], second[b]) else { return nil }
        if let change = both { merged.append(change) }
        a += 1
        b += 1
      }
    }
    return merged
  }

  /// - Returns: The two changes of one object as one, which may be none; nil where they do not go together.
  private static func merge(_ first: Change, _ second: Change) -> Change?? {
    let hasRows = (first.old ?? first.new) != nil
    guard hasRows == ((second.old ?? second.new) != nil) else { return nil }
    let wasThere = first.kind != .insertion
    let isThere = second.kind != .deletion
    switch (wasThere, isThere) {
    case (false, false): return .some(nil)
    case (false, true): return Change(key: first.key, kind: .insertion, new: second.new)
    case (true, false): return Change(key: first.key, kind: .deletion, old: first.old)
    case (true, true):
      if hasRows, first.old == second.new { return .some(nil) }
      return Change(key: first.key, kind: .update, old: first.old, new: second.new)
    }
  }

  /// Bytes of the keys and rows, roughly: what keeping it costs.
  public var byteCount: Int {
    models.values.reduce(0) { sum, changes in
      guard case .objects(let changes) = changes else { return sum }
      return changes.reduce(sum) { $0 + $1.byteCount }
    }
  }
}
