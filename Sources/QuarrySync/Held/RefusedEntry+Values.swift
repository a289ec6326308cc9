import QuarryBackend

/// What a refused entry has written to one object.
struct RefusedValues {
  /// The values of columns. A counter has the difference, a set the elements that were put in.
  var values: SyncRow = [:]
  /// The elements that were taken out of sets.
  var takenOut: [SyncName: [Value]] = [:]
  var counters: Set<SyncName> = []
  var sets: Set<SyncName> = []
  /// Whether the entry has inserted the object: the values are all that it has.
  var isInsert = false
  var isDeletion = false
}

extension RefusedEntry {
  func written(_ change: ObjectChange) -> RefusedValues {
    var result = RefusedValues()
    result.isInsert = change.births.contains { $0.value.isWhole }
    result.isDeletion = change.births.isEmpty
    for (_, birth) in change.births.sorted(by: { $0.key < $1.key }) {
      for (column, register) in birth.columns where column != .claim { result.values[column] = register.value }
      for (column, counts) in birth.counts {
        guard let count = counts[entry.origin] else { continue }
        let before = entry.countedBefore[CounterKey(change.object, birth.root, column)] ?? Count()
        let step = count.without(before)
        result.values[column] = .int(Int64(bitPattern: step.plus &- step.minus))
        result.counters.insert(column)
      }
      for (column, elements) in birth.sets {
        let sorted = elements.keys.sorted { $0.precedes($1) }
        result.values[column] = .array(sorted.filter { elements[$0]?.isIn == true })
        result.takenOut[column] = sorted.filter { elements[$0]?.isIn == false }
        result.sets.insert(column)
      }
    }
    return result
  }
}

extension RefusedValues {
  /// The values to write where the object has these now.
  func applied(to row: SyncRow?) -> SyncRow {
    var result = values
    for column in counters {
      guard case .int(let step)? = values[column], case .int(let now)? = row?[column] else { continue }
      result[column] = .int(now &+ step)
    }
    for column in sets {
      guard case .array(let new)? = values[column], case .array(let now)? = row?[column] else { continue }
      let out = takenOut[column] ?? []
      result[column] = .array(now.filter { !out.contains($0) && !new.contains($0) } + new)
    }
    return result
  }
}
