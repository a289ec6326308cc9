import QuarryBackend

// The joins of records: commutative, associative and idempotent, SYNC-6.

extension Register {
  /// The register that wins.
  func joined(_ other: Register, _ rule: MergeRule) -> Register {
    if rule == .maximum || rule == .minimum {
      let order = ValueOrder.compare(value, other.value)
      if order != 0 { return (order > 0) == (rule == .maximum) ? self : other }
    }
    if stamp != other.stamp { return stamp > other.stamp ? self : other }
    if value == other.value { return self }
    return value.syncBytes.lexicographicallyPrecedes(other.value.syncBytes) ? other : self
  }
}

extension [SyncName: [ReplicaID: Count]] {
  mutating func join(_ other: Counts) {
    merge(other) { mine, theirs in mine.merging(theirs) { $0.joined($1) } }
  }
}

extension [SyncName: [Value: SetElement]] {
  mutating func join(_ other: SetElements) {
    merge(other) { mine, theirs in mine.merging(theirs) { Swift.max($0, $1) } }
  }
}

extension BirthRecord {
  func joined(_ other: BirthRecord, _ model: SyncName, _ rules: MergeRules) -> BirthRecord {
    var result = self
    result.root = max(root, other.root)
    result.isWhole = isWhole || other.isWhole
    result.columns.join(other.columns, model, rules)
    result.counts.join(other.counts)
    result.sets.join(other.sets)
    return result
  }

  /// All stamps of a birth, its own too.
  func stamps(_ birth: Stamp) -> [Stamp] {
    var result = [birth]
    result += columns.values.map(\.stamp)
    for counts in counts.values { result += counts.map { Stamp($0.value.hlc, $0.key) } }
    for elements in sets.values { result += elements.values.map(\.stamp) }
    return result
  }
}

extension [SyncName: Register] {
  mutating func join(_ other: [SyncName: Register], _ model: SyncName, _ rules: MergeRules) {
    for (column, register) in other {
      self[column] = self[column].map { $0.joined(register, rules.rule(model, column)) } ?? register
    }
  }
}

extension Death {
  func joined(_ other: Death) -> Death {
    var result = self
    result.stamp = max(stamp, other.stamp)
    result.columns.merge(other.columns) { max($0, $1) }
    result.counts.join(other.counts)
    result.sets.join(other.sets)
    return result
  }
}

extension Births {
  /// For each root, the counts of a column in these births.
  func counts(_ column: SyncName) -> [Stamp: [ReplicaID: Count]] {
    var roots: [Stamp: [ReplicaID: Count]] = [:]
    for birth in values {
      guard let counts = birth.counts[column], !counts.isEmpty else { continue }
      roots[birth.root, default: [:]].merge(counts) { $0.joined($1) }
    }
    return roots
  }

  /// One birth with all that these have, stamps too. Counts keep their root, so that two revivals count once: SYNC-8.
  func revived(_ model: SyncName, _ rules: MergeRules) -> BirthRecord {
    var result = BirthRecord(root: values.map(\.root).min() ?? .zero, isWhole: true)
    for (_, birth) in sorted(by: { $0.key < $1.key }) {
      result.columns.join(birth.columns, model, rules)
      result.sets.join(birth.sets)
    }
    for column in Set(values.flatMap(\.counts.keys)) {
      var sums: [ReplicaID: Count] = [:]
      for counts in counts(column).values {
        for (replica, count) in counts {
          let sum = sums[replica] ?? Count()
          sums[replica] = Count(
            plus: sum.plus &+ count.plus, minus: sum.minus &+ count.minus,
            hlc: values.map { $0.counts[column]?[replica]?.hlc ?? 0 }.max() ?? 0)
        }
      }
      result.counts[column] = sums
    }
    return result
  }
}
