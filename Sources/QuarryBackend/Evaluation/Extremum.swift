import Foundation

/// The least or greatest value of a type of at most eight bytes, by ``ValueOrder``. NaN and zero come in the one form
/// that keys have, so that the result does not depend on the order of the rows.
final class BitsExtremum: Accumulator {
  private struct State {
    var bits: UInt64 = 0
    var isPresent = false
  }

  private let field: AggregateField
  private let isMaximum: Bool
  private var states: ContiguousArray<State> = []

  init(_ field: AggregateField, isMaximum: Bool) {
    self.field = field
    self.isMaximum = isMaximum
  }

  override func addGroup() { states.append(State()) }

  override func add(_ row: RowView, to group: Int) {
    guard let row = field.present(row) else { return }
    let bits = row.orderBits(field.slot)
    let state = states[group]
    if !state.isPresent || (isMaximum ? bits > state.bits : bits < state.bits) {
      states[group] = State(bits: bits, isPresent: true)
    }
  }

  override func result(of group: Int) -> Value {
    let state = states[group]
    guard state.isPresent else { return .null }
    let signed = Int64(bitPattern: state.bits ^ 1 << 63)
    return switch field.slot.type {
    case .bool: .bool(state.bits != 0)
    case .double: .double(FloatOrder.double(state.bits))
    case .date: .date(Date(timeIntervalSinceReferenceDate: FloatOrder.double(state.bits)))
    case .float: .float(FloatOrder.float(UInt32(truncatingIfNeeded: state.bits)))
    case .int8, .int16, .int32, .int64: .int(signed)
    default: Value(integer: state.bits)
    }
  }
}

/// The least or greatest value of a type of other size, by its key.
final class KeyExtremum: Accumulator {
  private var field: AggregateField
  private let layout: RowLayout
  private let isMaximum: Bool
  private let writer = KeyWriter()
  private var keys: ContiguousArray<[UInt8]?> = []

  init(_ field: AggregateField, _ layout: RowLayout, isMaximum: Bool) {
    self.field = field
    // The key of a value that is there.
    self.field.slot.isOptional = false
    self.layout = layout
    self.isMaximum = isMaximum
  }

  override func addGroup() { keys.append(nil) }

  override func add(_ row: RowView, to group: Int) throws(StorageError) {
    guard let row = field.present(row) else { return }
    writer.removeAll()
    try writer.append(row, field.slot, layout, isDescending: false, isLast: true)
    let order = keys[group].map { key in key.withUnsafeBytes { writer.bytes.compare($0) } }
    guard let order, isMaximum ? order <= 0 : order >= 0 else {
      keys[group] = Array(writer.bytes)
      return
    }
  }

  override func result(of group: Int) throws(StorageError) -> Value {
    guard let key = keys[group] else { return .null }
    let result: Result<Value, StorageError> = key.withUnsafeBytes { bytes in
      do throws(StorageError) {
        return .success(try Key.value(of: bytes, type: field.slot.type))
      } catch {
        return .failure(error.with(property: field.property))
      }
    }
    return try result.get()
  }
}
