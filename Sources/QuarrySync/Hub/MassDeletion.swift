import QuarryBackend

/// A merge that would remove more than 100 objects and at least half of a model, and was stopped: SYNC-38.
package struct MassDeletion: Error, Sendable, Hashable, CustomStringConvertible {
  /// The most objects of a model that one merge removes without asking.
  static let limit = 100

  package var model: String
  /// The objects that it would remove, of all that there are.
  package var count: Int
  package var total: Int

  package var description: String {
    "stopped: the changes of the other store delete \(count) of \(total) \(model); allow \(count) deletes to take them"
  }
}

/// The objects that a peer's changes have removed since both last knew the same.
struct Removals {
  /// The most that are allowed without asking.
  let allowed: Int
  private(set) var counts: [SyncName: Int]

  init(allowed: Int, _ counts: [SyncName: Int]) {
    self.allowed = allowed
    self.counts = counts
  }

  /// Adds what one transaction has removed.
  ///
  /// - Throws: `limitExceeded` with a ``MassDeletion`` as its cause, inside the transaction.
  mutating func add(_ work: StoredWork) throws(StorageError) {
    for (name, count) in work.removed {
      counts[name, default: 0] += count
      try check(name, counts[name] ?? 0, work, isDone: true)
    }
  }

  /// Counts what the entries of an answer would remove, before any of them is taken.
  ///
  /// - Throws: As ``add(_:)``.
  func check(_ entries: [SyncEntry], _ work: StoredWork) throws(StorageError) {
    var deleted: [SyncName: Set<ObjectID>] = [:]
    for change in entries.flatMap(\.changes) {
      if change.births.isEmpty, !change.deaths.isEmpty {
        deleted[change.object.model, default: []].insert(change.object)
      } else {
        deleted[change.object.model]?.remove(change.object)
      }
    }
    for (name, objects) in deleted {
      guard objects.count + (counts[name] ?? 0) > MassDeletion.limit, let table = work.schema.tables[name] else {
        continue
      }
      var count = counts[name] ?? 0
      for object in objects where try table.find(object, in: work.transaction) != nil { count += 1 }
      try check(name, count, work, isDone: false)
    }
  }

  private func check(_ name: SyncName, _ removed: Int, _ work: StoredWork, isDone: Bool) throws(StorageError) {
    guard removed > max(MassDeletion.limit, allowed), let table = work.schema.tables[name] else { return }
    let now = try work.transaction.count(BoundQuery(everyRowOf: table.schema))
    let total = now + (isDone ? removed : counts[name] ?? 0)
    guard removed >= total - removed else { return }
    let cause = MassDeletion(model: table.schema.name, count: removed, total: total)
    throw StorageError(.limitExceeded, cause.description, model: cause.model, cause: cause)
  }
}
