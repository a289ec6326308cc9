package import QuarryBackend

/// The tables of a store at one vector, for a comparison by halves: SYNC-41.
package struct DigestSource: Sendable {
  private let tables: [SyncName: [(object: ObjectID, row: SyncRow)]]
  package let knowledge: Knowledge

  package init(_ replica: SyncReplica) {
    let sorted = replica.tables.sorted { $0.key < $1.key }.map { (object: $0.key, row: $0.value) }
    tables = Dictionary(grouping: sorted) { $0.object.model }
    knowledge = replica.knowledge
  }

  private func rows(_ range: DigestRange) -> [(object: ObjectID, row: SyncRow)] {
    (tables[range.model] ?? []).filter { range.contains($0.object.key) }
  }

  /// The digest of the objects in a range.
  ///
  /// - Complexity: O(n) for n objects of the model.
  package func digest(_ range: DigestRange) -> SyncDigest {
    SyncDigest.content(Dictionary(rows(range).map { ($0.object, $0.row) }) { first, _ in first })
  }

  /// The ranges that differ, each with less than 64 objects on either side; empty where the tables are equal.
  ///
  /// - Throws: `conflict` where the stores do not know the same entries: their tables may differ then.
  package func differences(_ other: DigestSource) throws(StorageError) -> [DigestRange] {
    guard knowledge == other.knowledge else {
      throw StorageError(
        .conflict, "the stores do not have the same changes, so their digests may differ: replicate them first")
    }
    var found: [DigestRange] = []
    var todo = Set(tables.keys).union(other.tables.keys).sorted(by: >).map { DigestRange($0) }
    while let range = todo.popLast() {
      guard digest(range) != other.digest(range) else { continue }
      let (mine, theirs) = (rows(range), other.rows(range))
      let larger = mine.count >= theirs.count ? mine : theirs
      guard larger.count >= 64 else {
        found.append(range)
        continue
      }
      let middle = larger[larger.count / 2 - 1].object.key
      todo.append(DigestRange(range.model, after: middle, through: range.through))
      todo.append(DigestRange(range.model, after: range.after, through: middle))
    }
    return found
  }
}
