import Foundation

/// Applies the assignments of a set-based update to rows.
///
/// Arithmetic is in the column's type. An integer or Decimal that does not fit is `invalidValue`. Floating point rounds in the
/// column's width. A Decimal with too many digits is rounded, halves away from zero. Nil stays nil under arithmetic.
public final class RowAssigner {
  private let layout: RowLayout
  private let model: ModelSchema
  private let writer: RowWriter
  private let defaults: DefaultRow
  /// For each slot, the assignments to it in their order.
  private let assignments: [[BoundAssignment]]
  /// The slots that are assigned to.
  private let assigned: [RowLayout.Slot]
  /// For plain rows, when only slots of fixed width are assigned to.
  private let patch: RowPatch?

  /// Creates an assigner for rows of a layout.
  ///
  /// - Parameters:
  ///   - assignments: The assignments, applied to a slot in their order.
  ///   - layout: The layout of the rows.
  ///   - model: The model of the rows, for checks and messages.
  /// - Throws: `invalidQuery` for a slot that the layout does not have, the primary key, and arithmetic on a type that has none.
  ///   `invalidValue` for a default of another type than its slot.
  public init(
    _ assignments: [BoundAssignment], _ layout: RowLayout, _ model: ModelSchema
  ) throws(StorageError) {
    self.layout = layout
    self.model = model
    writer = RowWriter(layout)
    defaults = try DefaultRow(layout)
    var bySlot = [[BoundAssignment]](repeating: [], count: layout.slots.count)
    for assignment in assignments {
      guard layout.slots.indices.contains(assignment.slot), model.properties.indices.contains(assignment.slot) else {
        throw .noSlot(assignment.slot, model)
      }
      guard assignment.slot != layout.primaryKey else {
        throw .keyChange(.invalidQuery, model: model.name, property: model.keyProperty.name)
      }
      let type = layout.slots[assignment.slot].type
      guard assignment.operation == .set || type.isNumeric else {
        throw StorageError(
          .invalidQuery, "\(assignment.operation.rawValue) is not defined for the type \(type.name)", model: model.name,
          property: model.properties[assignment.slot].name)
      }
      bySlot[assignment.slot].append(assignment)
    }
    self.assignments = bySlot
    assigned = layout.slots.filter { !bySlot[Int($0.index)].isEmpty }
    patch = assigned.allSatisfy { $0.variableIndex < 0 } ? RowPatch(layout) : nil
  }

  /// The row after the assignments, written with all slots of the layout.
  ///
  /// - Parameter row: A row of the layout, of whatever age; it is not changed.
  /// - Returns: Bytes that are valid until the next call.
  /// - Throws: `invalidValue` when a result does not fit or a value has another type than its slot, `missingValue` for
  ///   nil where it is not allowed, with the property; `corrupt`.
  public func apply(_ row: UnsafeRawBufferPointer) throws(StorageError) -> UnsafeRawBufferPointer {
    let view = try RowView(row, layout)
    if let patch, RowPatch.isPlain(row, layout) {
      patch.begin(row)
      for slot in assigned {
        let value = try value(slot, view)
        do throws(StorageError) { try patch.set(slot, value) } catch { throw named(error, slot, view) }
      }
      return patch.bytes
    }
    writer.begin()
    for slot in layout.slots {
      if assignments[Int(slot.index)].isEmpty {
        try copy(slot, view)
      } else {
        let value = try value(slot, view)
        do throws(StorageError) { try writer.set(slot, value: value) } catch { throw named(error, slot, view) }
      }
    }
    return try writer.finish()
  }

  private func named(_ error: StorageError, _ slot: RowLayout.Slot, _ row: RowView) -> StorageError {
    error.with(
      model: model.name, property: model.properties[Int(slot.index)].name, key: KeyText.text(of: row, layout))
  }

  private func copy(_ slot: RowLayout.Slot, _ row: RowView) throws(StorageError) {
    let row = defaults.row(for: slot, in: row)
    if !row.isNull(slot) { try writer.copy(slot, from: row, layout) }
  }

  /// The slot's value after the assignments to it.
  private func value(_ slot: RowLayout.Slot, _ row: RowView) throws(StorageError) -> Value {
    let assignments = assignments[Int(slot.index)]
    var value = assignments[0].operation == .set ? .null : try row.value(slot, layout)
    // By their places, because an iterator hands out copies.
    for place in assignments.indices {
      do throws(StorageError) {
        value = try Self.result(value, assignments[place].operation, assignments[place].value, slot.type)
      } catch {
        throw named(error, slot, row)
      }
    }
    return value
  }

  /// The value after one assignment.
  static func result(
    _ old: Value, _ operation: AssignmentOperation, _ operand: Value, _ type: PropertyType
  ) throws(StorageError) -> Value {
    if operation == .set { return operand }
    if old.isNull || operand.isNull { return .null }
    switch (old, operand) {
    case (.float(let a), .float(let b)) where type == .float: return .float(calculate(a, operation, b))
    case (.double(let a), .double(let b)) where type == .double: return .double(calculate(a, operation, b))
    case (.decimal(let a), .decimal(let b)) where type == .decimal:
      let left = try DecimalParts(a)
      let right = try DecimalParts(b)
      let result =
        switch operation {
        case .multiply: DecimalParts.product(left, right)
        case .subtract: DecimalParts.sum(left, right.negated)
        case .add, .set: DecimalParts.sum(left, right)
        }
      guard let result else { throw .resultDoesNotFit(type) }
      return .decimal(result.decimal)
    default:
      guard let range = type.integerRange, let a = old.integer, let b = operand.integer else {
        throw StorageError(.invalidValue, "\(operand.kind) is not a value of the type \(type.name)")
      }
      let (result, overflowed) =
        switch operation {
        case .multiply: a.multipliedReportingOverflow(by: b)
        case .subtract: a.subtractingReportingOverflow(b)
        case .add, .set: a.addingReportingOverflow(b)
        }
      guard !overflowed, range.contains(result) else { throw .resultDoesNotFit(type) }
      return Value(integer: result)
    }
  }

  private static func calculate<F: BinaryFloatingPoint>(_ a: F, _ operation: AssignmentOperation, _ b: F) -> F {
    switch operation {
    case .set: b
    case .add: a + b
    case .subtract: a - b
    case .multiply: a * b
    }
  }
}
