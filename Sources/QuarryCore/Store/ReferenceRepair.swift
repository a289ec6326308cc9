import QuarryBackend

/// Repairs references that lead to nothing. They become nil where they may be nil. Otherwise the objects that have them are
/// removed, and the delete rules of the objects that refer to those are followed.
///
/// Every object that is removed is handed to the keeper first, also an object that a `cascade` removes. A `deny` cannot refuse a
/// repair: its reference becomes nil, or its object is removed.
final class ReferenceRepair {
  private let transaction: WriteTransaction
  private let map: ReferenceMap
  private let keeper: any UnreadableRowKeeper
  /// The keys of removed objects, whose referrers were not searched for yet.
  private var pending: [(model: ModelSchema, keys: [Key])] = []
  private var removedCounts: [ObjectIdentifier: Int] = [:]
  private var clearedCounts: [ObjectIdentifier: Int] = [:]

  /// Nil for a schema without references.
  init?(_ transaction: WriteTransaction, _ keeper: any UnreadableRowKeeper) {
    guard let map = ReferenceMap(transaction.backend.schema) else { return nil }
    self.map = map
    self.transaction = transaction
    self.keeper = keeper
  }

  func run(_ report: inout RepairReport) throws {
    for reference in map.all {
      // Searched for before anything of this reference is changed: the referrers of objects that are removed below are followed.
      let dangling = try DanglingReferences(reference, in: transaction.backend, keeping: .max)
      for found in dangling.found {
        try mend(reference, [found.target], removes: !reference.property.isOptional)
      }
      while let (model, keys) = pending.popLast() { try followRules(model, keys) }
    }
    for reference in map.all {
      let name = "\(reference.source.name).\(reference.property.name)"
      if let count = clearedCounts[ObjectIdentifier(reference)] {
        report.actions.append(
          count == 1
            ? "1 reference \(name) to an object that is not there was made nil"
            : "\(count) references \(name) to objects that are not there were made nil")
      }
      if let count = removedCounts[ObjectIdentifier(reference)] {
        report.removedRows += count
        report.actions.append(
          "\(count) \(count == 1 ? "object" : "objects") of \(reference.source.name) whose \(reference.property.name) refers to an "
            + "object that is not there \(count == 1 ? "was" : "were") taken out")
      }
    }
  }

  private func followRules(_ model: ModelSchema, _ keys: [Key]) throws {
    for reference in map.references(to: model.id) {
      let removes = reference.rule == .cascade || reference.rule == .deny && !reference.property.isOptional
      try mend(reference, keys, removes: removes)
    }
  }

  /// Sets the references to these keys to nil, or removes the objects that have them.
  private func mend(_ reference: ReferenceMap.Reference, _ targets: [Key], removes: Bool) throws {
    var values: [Value] = []
    for key in targets { values.append(try reference.value(of: key)) }
    let referrers = reference.referrers(values)
    guard removes else {
      let count = try transaction.updateRows(
        referrers, [BoundAssignment(slot: reference.slot, operation: .set, value: .null)])
      if count > 0 { clearedCounts[ObjectIdentifier(reference), default: 0] += count }
      return
    }
    let (rows, keys) = try read(referrers, of: reference)
    guard !rows.isEmpty else { return }
    for row in rows { try keeper.keep(row) }
    removedCounts[ObjectIdentifier(reference), default: 0] += try transaction.writer.delete(reference.source.id, keys)
    pending.append((reference.source, keys))
  }

  private func read(
    _ referrers: BoundQuery, of reference: ReferenceMap.Reference
  ) throws(StorageError) -> (rows: [UnreadableRow], keys: [Key]) {
    let source = reference.source
    var whole = referrers
    whole.projection = nil
    var rows: [UnreadableRow] = []
    var keys: [Key] = []
    try transaction.backend.cursor(whole).forEach { row throws(StorageError) in
      let view = try RowView(row, reference.layout)
      var columns: [Value.Member] = []
      for slot in source.liveSlots {
        let value = CompoundKeyBytes.shown(
          try view.value(reference.layout.slots[slot], reference.layout), source.properties[slot].keyMembers)
        columns.append(Value.Member(source.properties[slot].name, value))
      }
      let target = reference.layout.slots[reference.slot]
      let reason =
        "\(reference.property.name) refers to \(reference.target.name) "
        + "\(KeyText.text(try view.value(target, reference.layout), reference.property.keyMembers) ?? "?"), which is not there"
      let key = try Key(of: row, reference.layout)
      rows.append(
        UnreadableRow(
          model: source.name, key: KeyText.text(of: view, reference.layout) ?? "?", reason: reason,
          content: .columns(columns)))
      keys.append(key)
      return true
    }
    return (rows, keys)
  }
}
