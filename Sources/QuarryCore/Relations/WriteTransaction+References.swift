public import QuarryBackend

// References have keys of objects that are stored: contract, REL. A row's references are checked before it is written, so that a
// refused statement has done nothing. References that cannot be checked yet are checked again at the statement's end, or at the
// end of `deferringReferences`.

/// A reference that may lead nowhere.
struct PendingReference: Hashable {
  /// The model and the slot that have it.
  var source: ModelID
  var slot: Int
  /// The primary key of the other object.
  var key: Key
  /// Whether there was an object with the key, which is removed.
  var isRemoved: Bool
}

extension WriteTransaction {
  /// Runs the body as one statement with respect to references, and checks all of them when it ends.
  ///
  /// Inside the body, references may lead to objects that are added later, or are removed. It is a savepoint: when the body
  /// throws, or a reference leads nowhere at its end, the body's writes are undone. It nests, and the outermost one checks.
  ///
  /// - Parameter body: Makes the calls whose references are checked together.
  /// - Returns: The body's result.
  /// - Throws: The body's errors. `missingReference` or `referenced` when a reference leads nowhere at the end;
  ///   `transactionEnded`, `wrongThread`.
  @discardableResult
  public func deferringReferences<R>(_ body: () throws -> R) throws -> R {
    let mark = pendingReferences.count
    do {
      return try savepoint {
        referenceDeferrals += 1
        defer { referenceDeferrals -= 1 }
        let result = try body()
        try check()
        if referenceDeferrals == 1 { try settlePending(from: 0) }
        return result
      }
    } catch {
      forgetPending(from: mark)
      throw error
    }
  }

  // MARK: - Before rows are written

  /// Checks the references of rows that are about to be added or replaced.
  ///
  /// - Parameter mayFollow: Whether more rows of the same statement come.
  @usableFromInline
  func checkReferences(
    _ map: ReferenceMap, _ model: ModelID, _ rows: borrowing RowBatch, _ policy: UpsertPolicy = .replace,
    mayFollow: Bool = false
  ) throws(StorageError) {
    for reference in map.references(of: model) {
      // Each key is looked up once, whatever the number of rows that have it.
      var places: [Key: Int] = [:]
      var keys: [Key] = []
      var last: [UInt8] = []
      try rows.forEach { place, row throws(StorageError) in
        try withTarget(of: reference, row) { key throws(StorageError) in
          guard place == 0 || !last.elementsEqual(key) else { return }
          last.removeAll(keepingCapacity: true)
          last.append(contentsOf: key)
          let wanted = Key(last)
          if places.updateValue(place, forKey: wanted) == nil { keys.append(wanted) }
        }
      }
      guard !keys.isEmpty, !areForeseen(keys, reference.target.id) else { continue }
      let missing = try writer.missing(reference.target.id, keys)
      if !missing.isEmpty {
        try lacking(reference, Set(missing.map { keys[$0] }), rows, policy, mayFollow: mayFollow)
      }
    }
  }

  /// Whether the statement has asked for these keys already, and found them all.
  private func areForeseen(_ keys: [Key], _ model: ModelID) -> Bool {
    guard !foreseen.isEmpty, let known = foreseen[model] else { return false }
    return keys.allSatisfy(known.contains)
  }

  /// Decides on keys that no stored object has: objects of the same statement may have them.
  private func lacking(
    _ reference: ReferenceMap.Reference, _ missing: Set<Key>, _ rows: borrowing RowBatch, _ policy: UpsertPolicy,
    mayFollow: Bool
  ) throws(StorageError) {
    let model = reference.source
    // For rows with one primary key the last counts.
    var last: [Key: Int] = [:]
    try rows.forEach { place, row throws(StorageError) in last[try Key(of: row, reference.layout)] = place }
    let isOfItself = reference.target.id == model.id
    var isReplaced = true
    if case .merge(let slots) = policy { isReplaced = slots.contains(reference.slot) }
    try rows.forEach { place, row throws(StorageError) in
      try withTarget(of: reference, row) { bytes throws(StorageError) in
        let key = Key(copying: bytes)
        guard missing.contains(key), !isOfItself || last[key] == nil else { return }
        let own = try Key(of: row, reference.layout)
        guard last[own] == place else { return }
        if !isReplaced, try isStored(model.id, own) { return }
        try pend(
          reference, key, mayFollow: mayFollow, KeyText.text(of: RowView(row, reference.layout), reference.layout))
      }
    }
  }

  /// Checks the references of one row.
  ///
  /// - Parameters:
  ///   - slots: The slots that are written; nil for all.
  ///   - unlessStored: Whether nothing is written where a row with the primary key is stored.
  @usableFromInline
  func checkReferences(
    _ map: ReferenceMap, _ model: ModelID, _ row: UnsafeRawBufferPointer, slots: [Int]?, unlessStored: Bool
  ) throws(StorageError) {
    for reference in map.references(of: model) where slots?.contains(reference.slot) ?? true {
      try withTarget(of: reference, row) { key throws(StorageError) in
        if try writer.row(reference.target.id, key) != nil { return }
        let target = Key(copying: key)
        let own = try Key(of: row, reference.layout)
        if reference.target.id == model, own == target { return }
        if unlessStored, try isStored(model, own) { return }
        try pend(
          reference, target, mayFollow: false, KeyText.text(of: RowView(row, reference.layout), reference.layout))
      }
    }
  }

  /// Checks the references that assignments set.
  @usableFromInline
  func checkReferences(
    _ map: ReferenceMap, _ query: BoundQuery, _ assignments: [BoundAssignment]
  ) throws(StorageError) {
    for reference in map.references(of: query.model) {
      for assignment in assignments where assignment.slot == reference.slot {
        let property = reference.property
        guard assignment.operation == .set else {
          throw StorageError(
            .invalidQuery, "a reference can be set, but not calculated", model: reference.source.name,
            property: property.name)
        }
        guard !assignment.value.isNull else { continue }
        let key = try Key.primary(assignment.value, reference.target)
        if try isStored(reference.target.id, key) { continue }
        var any = query
        any.limit = Swift.min(1, query.limit ?? 1)
        guard let referrer = try firstKey(any, reference) else { continue }
        try pend(reference, key, mayFollow: false, referrer)
      }
    }
  }

  private func pend(
    _ reference: ReferenceMap.Reference, _ key: Key, mayFollow: Bool, _ own: String?
  ) throws(StorageError) {
    guard mayFollow || referenceDeferrals > 0 else {
      throw .missingReference(
        reference.property, reference.source, target: reference.text(of: key), key: own)
    }
    addPending(PendingReference(source: reference.source.id, slot: reference.slot, key: key, isRemoved: false))
  }

  // MARK: - The end of a statement

  /// The argument for ``settleReferences(from:)`` and ``forgetPending(from:)``.
  @usableFromInline var pendingMark: Int { pendingReferences.count }

  /// Ends a statement: the targets of its pending references must exist by now, unless the check is deferred.
  @usableFromInline
  func settleReferences(from mark: Int) throws(StorageError) {
    if pendingReferences.count > mark, referenceDeferrals == 0 { try settlePending(from: mark) }
  }

  /// Forgets what a statement has left open that is undone.
  @usableFromInline
  func forgetPending(from mark: Int) {
    guard pendingReferences.count > mark else { return }
    for pending in pendingReferences[mark...] { knownPending.remove(pending) }
    pendingReferences.removeSubrange(mark...)
  }

  func addPending(_ pending: PendingReference) {
    if knownPending.insert(pending).inserted { pendingReferences.append(pending) }
  }

  private func settlePending(from mark: Int) throws(StorageError) {
    guard let map = references else { return forgetPending(from: mark) }
    let open = pendingReferences[mark...]
    for reference in map.all {
      let concerned = open.filter { $0.source == reference.source.id && $0.slot == reference.slot }
      guard !concerned.isEmpty else { continue }
      for place in try writer.missing(reference.target.id, concerned.map(\.key)) {
        let pending = concerned[place]
        let query = try reference.referrers([reference.value(of: pending.key)], limit: 1)
        guard let own = try firstKey(query, reference) else { continue }
        let text = reference.text(of: pending.key)
        throw pending.isRemoved
          ? .referenced(reference.target, key: text, by: reference.source, reference.property, referrerKey: own)
          : .missingReference(reference.property, reference.source, target: text, key: own)
      }
    }
    forgetPending(from: mark)
  }

  // MARK: - The schema

  /// Checks a schema that this transaction has changed, before it is committed.
  func checkSchemaReferences() throws(StorageError) {
    guard hasNewSchema || checksReferencesLate else { return }
    try backend.schema.checkReferences()
    try ReferenceMap(backend.schema)?.checkAll(in: backend)
  }

  /// Checks references when the transaction commits, and not before: for a caller that stores the whole content of a store.
  package func checkReferencesAtCommit() {
    checksReferencesLate = true
    references = nil
  }

  // MARK: - Parts

  /// Calls the body with the key that a row refers to, if it refers to one.
  private func withTarget(
    of reference: ReferenceMap.Reference, _ row: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) {
    let writer = referenceKeys
    guard try reference.target(of: row, writer) else { return }
    // The key without the mark of what may be nil.
    let isOptional = reference.layout.slots[reference.slot].isOptional
    try body(isOptional ? UnsafeRawBufferPointer(rebasing: writer.bytes.dropFirst()) : writer.bytes)
  }

  private func isStored(_ model: ModelID, _ key: Key) throws(StorageError) -> Bool {
    try key.bytes.withBytes { (bytes) throws(StorageError) in try writer.row(model, bytes) != nil }
  }

  /// The primary key of the first row of a query over the model that has the reference, as text.
  func firstKey(_ query: BoundQuery, _ reference: ReferenceMap.Reference) throws(StorageError) -> String? {
    var text: String?
    try writer.cursor(query).forEach { row throws(StorageError) in
      text = KeyText.text(of: try RowView(row, reference.layout), reference.layout) ?? "?"
      return false
    }
    return text
  }
}

extension ReferenceMap.Reference {
  /// The value of a key of the model that is referred to.
  func value(of key: Key) throws(StorageError) -> Value {
    try key.value(of: target.keyProperty.type)
  }

  /// A key of the model that is referred to, as text.
  func text(of key: Key) -> String? {
    key.bytes.withBytes { KeyText.text(of: $0, target) }
  }

  /// The rows that refer to objects with these keys, in the order of the reference's index.
  func referrers(_ values: [Value], limit: Int? = nil) -> BoundQuery {
    let predicate: BoundPredicate =
      values.count == 1
      ? .compare(slot: slot, .equal, values[0])
      : .oneOf(slot: slot, values.sorted { ValueOrder.compare($0, $1) < 0 })
    let order =
      slot == source.primaryKey
      ? [BoundSortKey(slot: slot)] : [BoundSortKey(slot: slot), BoundSortKey(slot: source.primaryKey)]
    return BoundQuery(
      model: source.id, predicate: predicate, order: order, limit: limit, projection: [source.primaryKey])
  }
}
