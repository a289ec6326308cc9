import Foundation

/// The least or greatest value of a type of at most eight bytes, by ``ValueOrder``. NaN and zero come in the one form
/// that keys have, so that the result does not depend on the order of the rows.
final class BitsExtremum: SlotAccumulator {
  private struct State {
    var bits: UInt64 = 0
    var isPresent = false
  }

  private let isMaximum: Bool
  private var states: ContiguousArray<State> = []

  init(_ slot: RowLayout.Slot, _ property: String, _ defaults: DefaultRow, isMaximum: Bool) {
    self.isMaximum = isMaximum
    super.init(slot, property, defaults)
  }

  override func addGroup() { states.append(State()) }

  override var bytes: Int { states.count * MemoryLayout<State>.stride }

  override func add(_ rows: GroupedRows) throws(StorageError) {
    var states: ContiguousArray<State> = []
    swap(&states, &self.states)
    defer { swap(&states, &self.states) }
    // The greatest of the inverted bits is the least.
    let flip: UInt64 = isMaximum ? 0 : ~0
    try forEach(rows) { row, group in
      let bits = row.orderBits(slot)
      let state = states[group]
      if !state.isPresent || bits ^ flip > state.bits ^ flip { states[group] = State(bits: bits, isPresent: true) }
    }
  }

  override func result(of group: Int) -> Value {
    let state = states[group]
    guard state.isPresent else { return .null }
    let signed = Int64(bitPattern: state.bits ^ 1 << 63)
    return switch slot.type {
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
final class KeyExtremum: SlotAccumulator {
  private static let arrayHeader = 32

  private let layout: RowLayout
  private let isMaximum: Bool
  private let writer = KeyWriter()
  private var keys: ContiguousArray<[UInt8]?> = []
  /// Bytes of the keys, each an array of its own.
  private var keyBytes = 0

  init(
    _ slot: RowLayout.Slot, _ property: String, _ defaults: DefaultRow, _ layout: RowLayout, isMaximum: Bool
  ) {
    self.layout = layout
    self.isMaximum = isMaximum
    super.init(slot, property, defaults)
  }

  override func addGroup() { keys.append(nil) }

  override var bytes: Int { keys.count * MemoryLayout<[UInt8]?>.stride + keyBytes }

  override func add(_ rows: GroupedRows) throws(StorageError) {
    // The key of a value that is there.
    var present = slot
    present.isOptional = false
    try forEach(rows) { row, group throws(StorageError) in
      writer.removeAll()
      try writer.append(row, present, layout, isDescending: false, isLast: true)
      let order = keys[group].map { key in key.withUnsafeBytes { writer.bytes.compare($0) } }
      if let order, isMaximum ? order <= 0 : order >= 0 { return }
      keyBytes += writer.bytes.count - (keys[group]?.count ?? -Self.arrayHeader)
      keys[group] = Array(writer.bytes)
    }
  }

  override func result(of group: Int) throws(StorageError) -> Value {
    guard let key = keys[group] else { return .null }
    do throws(StorageError) {
      return try key.withBytes { bytes throws(StorageError) in try Key.value(of: bytes, type: slot.type) }
    } catch {
      throw error.with(property: property)
    }
  }
}
