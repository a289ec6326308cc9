import QuarryBackend

/// An object that a client has edited without having seen an edit of the hub's: SYNC-11.
///
/// The three rows differ in the plain columns that both have written. In all other columns they have the merged value.
package struct SyncConflict: Sendable, Hashable {
  package var object: ObjectID
  /// What the client's author had seen.
  package var base: SyncRow
  /// What the hub has.
  package var theirs: SyncRow
  /// What the client wrote.
  package var mine: SyncRow
}

/// Makes one row of a conflict. An error refuses the entry.
package typealias SyncResolver = @Sendable (SyncConflict) throws -> SyncRow

/// Why a conflict has no result: the entry is refused.
enum UnresolvedConflict: Error, CustomStringConvertible {
  /// The words of the resolver's error.
  case thrown(String)
  case takesValue(SyncName)
  case missesReference(SyncName, column: SyncName)

  var description: String {
    switch self {
    case .thrown(let words): words
    case .takesValue(let model): "the resolver of \(model.text) takes a unique value of another object"
    case .missesReference(let model, let column):
      "the resolver of \(model.text) refers by \(column.text) to an object that is not there"
    }
  }
}

extension SyncReplica {
  /// Of a hub: sets the program for conflicts in the plain columns of a model.
  package mutating func resolve(_ model: SyncName, by resolver: @escaping SyncResolver) {
    resolvers[model] = resolver
    rules.resolved.insert(model)
  }

  /// The registers that edits write over, in models that the hub of this client resolves.
  ///
  /// A register says all that its author had seen of a column: the hub compares its stamp with the one that it has. The vector of a
  /// later push would be too high, because the author may pull between the edit and the push.
  func overwritten(by changes: [ObjectChange]) -> SeenRegisters {
    guard hasHub, !rules.resolved.isEmpty else { return [:] }
    var seen: SeenRegisters = [:]
    for change in changes where rules.resolved.contains(change.object.model) {
      guard let row = view.rows[change.object], let stamps = view.stamps[change.object] else { continue }
      for (_, edit) in change.births where !edit.isWhole {
        for column in edit.columns.keys where rules.rule(change.object.model, column) == .latest {
          guard let stamp = stamps[column], let value = row[column] else { continue }
          seen[change.object, default: [:]][column] = Register(stamp, value)
        }
      }
    }
    return seen
  }

  /// Asks the hub's program about the conflicts of an entry.
  ///
  /// - Parameters:
  ///   - seen: What its author had seen.
  ///   - joined: This replica with the entry, and `view` of it.
  /// - Returns: The objects with other values than the merged ones.
  func resolve(
    _ entry: SyncEntry, _ seen: SeenRegisters, _ joined: SyncReplica, _ view: SyncView
  ) throws(UnresolvedConflict) -> [LocalChange] {
    var results: [LocalChange] = []
    for change in entry.changes {
      guard let resolver = resolvers[change.object.model], let merged = view.rows[change.object],
        let conflict = conflict(in: change, entry.stamp, seen[change.object] ?? [:], joined, merged)
      else { continue }
      let result: SyncRow
      do {
        result = try resolver(conflict)
      } catch {
        throw .thrown((error as? StorageError)?.message ?? "\(error)")
      }
      if result != merged { results.append(LocalChange(change.object, before: merged, after: result)) }
    }
    guard !results.isEmpty else { return [] }
    var trial = joined
    trial.absorb(trial.objectChanges(results, Stamp(trial.clock.last &+ 1, id)), own: true)
    try check(results, SyncView(trial.records, schema))
    return results
  }

  /// The conflict of one object; nil where its author had seen what the hub has in all columns that it wrote.
  private func conflict(
    in change: ObjectChange, _ stamp: Stamp, _ seen: [SyncName: Register], _ joined: SyncReplica, _ merged: SyncRow
  ) -> SyncConflict? {
    guard !seen.isEmpty, let row = view.rows[change.object], let stamps = view.stamps[change.object] else { return nil }
    // An edit of a birth that is deleted here is held, and changes nothing.
    let edits = change.births.filter { joined.records[change.object]?[$0.key]?.isWhole == true }.values
    var conflict = SyncConflict(object: change.object, base: merged, theirs: merged, mine: merged)
    var isConflict = false
    for (column, base) in seen {
      guard schema.models[change.object.model]?.column(column)?.rule == .latest, stamps[column] != base.stamp,
        let mine = edits.compactMap({ $0.columns[column] }).first(where: { $0.stamp == stamp })
      else { continue }
      isConflict = true
      conflict.base[column] = base.value
      conflict.theirs[column] = row[column]
      conflict.mine[column] = mine.value
    }
    return isConflict ? conflict : nil
  }

  /// Refuses results that take a visible unique value, or refer to what is not there. What was not loaded is loaded before the
  /// entry is judged again.
  private func check(_ results: [LocalChange], _ view: SyncView) throws(UnresolvedConflict) {
    for result in results {
      let object = result.object
      guard let model = schema.models[object.model] else { continue }
      if takesValue(object, view) { throw .takesValue(model.name) }
      for (column, reference) in model.references {
        guard let key = result.after?[column], !key.isNull, key != result.before?[column] else { continue }
        let target = ObjectID(reference.model, key)
        guard loaded?.contains(target) == false || view.isShown(target) else {
          throw .missesReference(model.name, column: column)
        }
      }
    }
  }

  /// Writes what the program has made of conflicts, as an entry of the hub behind the one that was joined.
  mutating func write(_ resolutions: [LocalChange]) {
    guard !resolutions.isEmpty else { return }
    let before = (tables, records)
    let stamp = newStamp()
    author(objectChanges(resolutions, stamp), stamp)
    settle(before, Set(resolutions.map(\.object)))
  }

  private func objectChanges(_ changes: [LocalChange], _ stamp: Stamp) -> [ObjectChange] {
    changes.sorted { $0.object < $1.object }.compactMap { objectChange($0, stamp) }
  }
}
