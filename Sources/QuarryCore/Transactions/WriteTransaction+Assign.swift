public import QuarryBackend

extension WriteTransaction {
  /// Changes columns of one object: see ``WriteScope/assign(_:_:_:)``.
  @inlinable
  func assignTo<M: Model>(
    _ key: M.PrimaryKey, _ type: M.Type, _ assign: (inout Assignments<M>) -> Void
  ) throws(StorageError) {
    let binding = try context.binding(M.self)
    try checkWrite(binding.model)
    var assignments = Assignments<M>()
    let mark = beginStatement()
    do throws(StorageError) {
      assign(&assignments)
      try checkUse(binding.model)
      let row = rowWriter(binding, M.modelDefinition.number)
      row.begin()
      let keySlot = binding.layout.keySlot
      guard keySlot.type == M.PrimaryKey.storedType.type else {
        throw binding.misuse(binding.layout.primaryKey, M.PrimaryKey.self)
      }
      try write(key, to: row, keySlot)
      if try write(assignments.list, to: row, binding) {
        try update(row, binding)
      } else {
        let bound = try bind(assignments.list, binding)
        guard let old = try storedRow(key, binding) else { throw Self.missing(binding, key) }
        try update(old, bound, binding)
      }
    } catch {
      try undoStatement(mark)
      throw error.with(model: binding.name, key: key.keyText)
    }
    try endStatement()
  }

  /// Sets a slot to a value, by code of the value's type.
  @inlinable
  func write(_ value: some Storable, to row: RowWriter, _ slot: RowLayout.Slot) throws(StorageError) {
    beginCoding()
    defer { endCoding() }
    try value.write(FieldWriter(writer: .passUnretained(row), slot: slot))
  }

  /// Sets the columns of a row to their assigned values, and notes these columns in ``assignedSlots``.
  ///
  /// - Returns: Whether the assignment is complete: false where there is something to calculate, to convert or to report.
  @usableFromInline
  func write(_ list: AssignmentList, to row: RowWriter, _ binding: ModelBinding) throws(StorageError) -> Bool {
    guard list.failure == nil, list.count > 0, let slot = try write(list.first, to: row, binding) else {
      return false
    }
    // The array of the previous update is kept where it fits, because creating one costs as much as setting a column.
    if assignedSlots.count != 1 || assignedSlots[0] != slot { assignedSlots = [slot] }
    for element in list.others {
      guard let slot = try write(element, to: row, binding), !assignedSlots.contains(slot) else { return false }
      assignedSlots.append(slot)
    }
    return true
  }

  /// Sets a column of a row to the value that is assigned to it.
  ///
  /// - Returns: Its slot, or nil when it was not set.
  private func write(
    _ element: AssignmentList.Element, to row: RowWriter, _ binding: ModelBinding
  ) throws(StorageError) -> Int? {
    guard element.operation == .set, element.index >= 0, element.index < binding.slotCount else { return nil }
    let slot = binding.slots[element.index]
    guard slot.type == element.type, slot.type != .nested, slot.type != .array,
      slot.isOptional || !element.value.isNull,
      !binding.schema.isOfKey(Int(slot.index))
    else { return nil }
    do throws(StorageError) {
      try row.set(slot, value: element.value)
    } catch {
      throw binding.about(element.index, error)
    }
    return Int(slot.index)
  }

  /// Replaces the assigned columns of the stored row with the columns of this one.
  @usableFromInline
  func update(_ row: RowWriter, _ binding: ModelBinding) throws(StorageError) {
    let row = try row.finish()
    try context.limits.checkRow(row, binding)
    try updateRow(binding.model, row, slots: assignedSlots)
  }

  /// Applies assignments to a stored row.
  @usableFromInline
  func update(
    _ old: UnsafeRawBufferPointer, _ bound: [BoundAssignment], _ binding: ModelBinding
  ) throws(StorageError) {
    guard !bound.isEmpty else { return }
    let assigner = try RowAssigner(bound, binding.layout, binding.schema)
    defer { withExtendedLifetime(assigner) {} }
    let row = try assigner.apply(old)
    try context.limits.checkRow(row, binding)
    try updateRow(binding.model, row, slots: bound.map(\.slot))
  }

  /// The assignments with names as slots.
  @usableFromInline
  func bind(_ list: AssignmentList, _ binding: ModelBinding) throws(StorageError) -> [BoundAssignment] {
    let trees = try list.trees(binding)
    do throws(StorageError) {
      return try binding.binder.bind(assignments: trees)
    } catch {
      throw error.with(model: binding.name)
    }
  }
}
