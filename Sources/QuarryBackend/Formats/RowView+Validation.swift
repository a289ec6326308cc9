import Foundation

extension RowView {
  /// A row without slots: what stands for bytes that are not a row.
  @usableFromInline
  init(unreadable: Void) {
    self.init(
      base: EmptyRow.bytes, byteCount: 0, slotCount: 0, nulls: RowLayout.headerBytes, variable: RowLayout.headerBytes)
  }

  /// The view of a row whose header was checked before with this layout.
  ///
  /// - Parameter shape: The layout's ``RowLayout/current``, passed separately so that most rows do not touch the layout.
  @inlinable @inline(__always)
  public init(checked bytes: UnsafeRawBufferPointer, _ shape: RowLayout.Shape, _ layout: Unmanaged<RowLayout>) {
    self = RowView(bytes, shape) ?? RowView(checkedUnusual: bytes, layout.takeUnretainedValue())
  }

  @usableFromInline
  init(checkedUnusual bytes: UnsafeRawBufferPointer, _ layout: RowLayout) {
    do throws(StorageError) {
      try self.init(bytes, layout)
    } catch {
      // Not reached with bytes that were checked.
      self.init(unreadable: ())
    }
  }

  /// Whether one look at the null bits and one at the variable bytes show that no slot can fail to be read: what most rows are.
  package func isSound(_ layout: RowLayout) -> Bool {
    isWhole(layout.current) && hasSoundTexts(layout)
  }

  /// Checks every slot, so that reading it afterwards cannot fail.
  ///
  /// - Parameter layout: The layout that the view was made with.
  /// - Throws: `corrupt` for the first slot that is nil and not optional, lies outside the row, or holds no value of its type.
  public func validate(_ layout: RowLayout) throws(StorageError) {
    if hasForbiddenNull(layout) {
      for slot in layout.slots where !isAbsent(slot) && isNull(slot) && !slot.isOptional {
        throw RowView.damaged("slot \(slot.index) is nil but not optional")
      }
    }
    if hasSoundTexts(layout) { return }
    for slot in layout.checkedSlots where !isAbsent(slot) && !isNull(slot) {
      switch slot.type {
      case .string:
        let bytes = try bytes(slot)
        if !bytes.isASCII, String(validating: bytes, as: UTF8.self) == nil {
          throw RowView.damaged("slot \(slot.index) is not UTF-8")
        }
      case .data: _ = try bytes(slot)
      case .decimal: _ = try decimal(slot)
      case .url: _ = try url(slot)
      case .nested, .array: _ = try NestedCoding.decode(try bytes(slot))
      default: break
      }
    }
  }

  /// Whether one pass over all variable bytes shows that each slot is sound: the rows of most models, most of the time.
  private func hasSoundTexts(_ layout: RowLayout) -> Bool {
    guard slotCount == layout.slots.count, !layout.textOffsets.isEmpty else { return layout.checkedSlots.isEmpty }
    var end = 0
    for offset in layout.textOffsets {
      let next = Int(UInt32(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
      guard next >= end else { return false }
      end = next
    }
    return variable &+ end <= byteCount && UnsafeRawBufferPointer(start: base + variable, count: end).isASCII
  }

  /// Whether a slot that is not optional is null. In a row of another age it may be said of one that is not.
  package func hasForbiddenNull(_ layout: RowLayout) -> Bool {
    guard slotCount == layout.slots.count else { return true }
    var found: UInt8 = 0
    for (index, required) in layout.requiredNulls.enumerated() {
      found |= base.load(fromByteOffset: nulls &+ index, as: UInt8.self) & required
    }
    return found != 0
  }
}

private enum EmptyRow {
  /// Eight zero bytes that live as long as the process; they are never written to, so that threads can share them.
  nonisolated(unsafe) static let bytes: UnsafeRawPointer = {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: 8)
    return UnsafeRawPointer(memory)
  }()
}
