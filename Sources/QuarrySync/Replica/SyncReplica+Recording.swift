package import QuarryBackend

/// What a local transaction did to one object, as it was captured.
package struct LocalChange: Sendable, Hashable {
  package var object: ObjectID
  /// Nil when the object was not there.
  package var before: SyncRow?
  /// Nil when the object was deleted.
  package var after: SyncRow?
  /// Whether the object is a seed, which every edit wins over: SYNC-7.
  package var isSeed: Bool

  package init(_ object: ObjectID, before: SyncRow?, after: SyncRow?, isSeed: Bool = false) {
    self.object = object
    self.before = before
    self.after = after
    self.isSeed = isSeed
  }
}

extension SyncReplica {
  /// Records what a local transaction did to the tables, as one entry of the log. What it wrote shows at once: SYNC-15.
  ///
  /// - Parameter changes: Each object that differs, once. The rows before are those of ``tables``, and the rows after keep
  ///   every constraint.
  /// - Returns: The entry; nil where nothing changed.
  /// - Throws: `invalidValue` or `limitExceeded` for a value that has no stored form, `schemaMismatch` for a model that is
  ///   not synced, `conflict` where a row before is not the table's. Nothing has changed then.
  package mutating func record(_ changes: [LocalChange]) throws(StorageError) -> SyncEntry? {
    let changes = changes.filter { $0.before != $0.after }.sorted { $0.object < $1.object }
    guard !changes.isEmpty else { return nil }
    var shown = tables
    for change in changes {
      try check(change)
      shown[change.object] = change.after
    }
    let stamp = newStamp()
    let written = changes.compactMap { objectChange($0, stamp) }
    let entry = author(written, stamp, seen: overwritten(by: written))
    var touched = Set(changes.map(\.object))
    touched.formUnion(keepVisible(shown))
    refresh(touched)
    return entry
  }

  /// Records rows that were written without a record, as entries of some objects each: rows from before sync, and what a
  /// migration has written.
  ///
  /// - Parameters:
  ///   - changes: Each object that differs, once, with the conditions of ``record(_:)``.
  ///   - size: The most objects in one entry.
  /// - Throws: As ``record(_:)``.
  package mutating func adopt(_ changes: [LocalChange], by size: Int) throws(StorageError) {
    var shown = tables
    for change in changes {
      try check(change)
      shown[change.object] = change.after
    }
    for start in stride(from: 0, to: changes.count, by: max(1, size)) {
      let part = changes[start..<min(start + max(1, size), changes.count)].sorted { $0.object < $1.object }
      let stamp = newStamp()
      author(part.compactMap { objectChange($0, stamp) }, stamp)
    }
    _ = keepVisible(shown)
    refresh()
  }

  private func check(_ change: LocalChange) throws(StorageError) {
    guard let model = schema.models[change.object.model] else {
      throw StorageError(.schemaMismatch, "the model is not synced", model: change.object.model.text)
    }
    guard tables[change.object] == change.before else {
      throw StorageError(.conflict, "the given old row differs from the row in the table", model: model.name.text)
    }
    _ = try NestedCoding.encode(change.object.key)
    for (column, value) in change.after ?? [:] {
      do {
        _ = try NestedCoding.encode(value)
      } catch {
        throw error.with(model: model.name.text, property: column.text)
      }
      switch (model.column(column)?.rule, value) {
      case (.counter, .int), (.set, .array), (.latest, _), (.maximum, _), (.minimum, _): break
      default:
        throw StorageError(
          .invalidValue, "the column cannot hold \(value.kind)", model: model.name.text, property: column.text)
      }
    }
  }

  func objectChange(_ change: LocalChange, _ stamp: Stamp) -> ObjectChange? {
    guard let model = schema.models[change.object.model] else { return nil }
    let change = withHiddenValues(change, model)
    let births = records[change.object] ?? [:]
    let deaths = births.mapValues { Death(of: $0, stamp) }
    guard let after = change.after else { return ObjectChange(change.object, deaths: deaths) }
    guard let before = change.before else {
      // An object of this key may be held: the insert takes its place.
      return ObjectChange(change.object, births: [stamp: newborn(model, after, stamp, change.isSeed)], deaths: deaths)
    }
    if isAgainstMerge(model, before, after) {
      var fresh = newborn(model, after, stamp, false)
      for (column, register) in births.revived(model.name, rules).columns where model.column(column) == nil {
        fresh.columns[column] = register
      }
      return ObjectChange(change.object, births: [stamp: fresh], deaths: deaths)
    }
    return ObjectChange(change.object, births: edits(model, births, before, after, stamp))
  }

  /// Of a part: what shows nil because it leads out of the part, or because the hub hides it, stays as it was written where the
  /// transaction has not changed it. Columns are also written with others of their group, and with all of a new birth.
  private func withHiddenValues(_ change: LocalChange, _ model: SyncModel) -> LocalChange {
    guard place != nil, let before = change.before, let after = change.after,
      let written = FlatObject(model, records[change.object] ?? [:])?.row
    else { return change }
    var change = change
    for column in Set(model.references.map(\.column)).union(model.blanks.compactMap { $0 }) {
      guard before[column]?.isNull == true, after[column]?.isNull == true, let value = written[column] else { continue }
      change.before?[column] = value
      change.after?[column] = value
    }
    return change
  }

  /// Whether a value moves against its column's merge: only a new birth forgets what was greater or less.
  private func isAgainstMerge(_ model: SyncModel, _ before: SyncRow, _ after: SyncRow) -> Bool {
    model.columns.contains { column in
      guard let old = before[column.name], let new = after[column.name] else { return false }
      let order = ValueOrder.compare(new, old)
      return column.rule == .maximum && order < 0 || column.rule == .minimum && order > 0
    }
  }

  private func newborn(_ model: SyncModel, _ row: SyncRow, _ stamp: Stamp, _ isSeed: Bool) -> BirthRecord {
    var birth = BirthRecord(root: stamp, isWhole: true)
    for column in model.columns {
      let value = row[column.name] ?? column.defaultValue
      switch column.rule {
      case .counter:
        guard !isSeed, case .int(let count) = value, count != 0 else { continue }
        birth.counts[column.name] = [id: Count(hlc: stamp.hlc).adding(count)]
      case .set:
        guard case .array(let elements) = value else { continue }
        birth.sets[column.name] = Dictionary(elements.map { ($0, SetElement(1, stamp)) }) { first, _ in first }
      case .latest, .maximum, .minimum:
        birth.columns[column.name] = Register(isSeed ? .zero : stamp, value)
      }
    }
    return birth
  }

  private func edits(
    _ model: SyncModel, _ births: Births, _ before: SyncRow, _ after: SyncRow, _ stamp: Stamp
  ) -> Births {
    var changed = Set(model.columns.map(\.name).filter { before[$0] != after[$0] })
    for group in model.groups where !changed.isDisjoint(with: group) { changed.formUnion(group) }
    let current = births.filter { $0.value.isWhole }.keys.max()
    return Births(
      uniqueKeysWithValues: births.map { birth, known in
        var edit = BirthRecord(root: known.root, isWhole: false)
        for column in model.columns where changed.contains(column.name) {
          let name = column.name
          switch column.rule {
          case .counter:
            guard birth == current, case .int(let old) = before[name], case .int(let new) = after[name] else {
              continue
            }
            var count = births.counts(name)[known.root]?[id] ?? Count()
            count.hlc = stamp.hlc
            edit.counts[name] = [id: count.adding(new &- old)]
          case .set:
            edit.sets[name] = Self.toggled(before[name], after[name], known.elements(name), stamp)
          case .latest, .maximum, .minimum:
            edit.columns[name] = Register(stamp, after[name] ?? .null)
          }
        }
        return (birth, edit)
      })
  }

  /// The elements that a transaction put in or took out, where this birth does not have it so yet.
  private static func toggled(
    _ before: Value?, _ after: Value?, _ known: [Value: SetElement], _ stamp: Stamp
  ) -> [Value: SetElement] {
    guard case .array(let old) = before, case .array(let new) = after else { return [:] }
    let wanted = Set(new)
    var result: [Value: SetElement] = [:]
    for element in wanted.symmetricDifference(old) {
      let length = known[element]?.length ?? 0
      if (length % 2 == 1) != wanted.contains(element) { result[element] = SetElement(length &+ 1, stamp) }
    }
    return result
  }

  /// Writes an entry of this replica.
  @discardableResult
  mutating func author(
    _ changes: [ObjectChange], _ stamp: Stamp, isRepair: Bool = false, seen: SeenRegisters = [:]
  ) -> SyncEntry {
    var countedBefore: [CounterKey: Count] = [:]
    for change in changes where !isRepair {
      let known = records[change.object] ?? [:]
      for birth in change.births.values {
        for column in birth.counts.keys {
          let key = CounterKey(change.object, birth.root, column)
          countedBefore[key] = known.counts(column)[birth.root]?[id] ?? Count()
        }
      }
    }
    let previous = knowledge.mark(id)
    let entry = SyncEntry(
      origin: id, mark: EntryMark(stamp.hlc, newTag(after: previous, changes)), previous: previous, changes: changes,
      isRepair: isRepair, countedBefore: countedBefore, seen: seen)
    absorb(entry.changes, own: true)
    knowledge.vector[id] = entry.mark
    log.append(entry)
    return entry
  }
}

extension Count {
  fileprivate func adding(_ difference: Int64) -> Count {
    var result = self
    if difference > 0 { result.plus &+= difference.magnitude } else { result.minus &+= difference.magnitude }
    return result
  }
}
