/// Up to 64 rows of one age, whose headers were checked: what a test runs over at once.
///
/// The pointers are lent by the caller of ``CompiledPredicate/filter(_:count:)`` for that call, and a batch does not
/// outlive it. Every row has at least `variable` bytes.
struct RowSpan {
  let bases: UnsafePointer<UnsafeRawPointer>
  let rows: UnsafePointer<UnsafeRawBufferPointer>
  let count: Int
  let slotCount: Int
  /// Where the null bits begin.
  let nulls: Int
  /// Where the variable part begins.
  let variable: Int

  static let capacity = 64

  @inline(__always)
  func view(_ index: Int) -> RowView {
    RowView(base: bases[index], byteCount: rows[index].count, slotCount: slotCount, nulls: nulls, variable: variable)
  }

  /// Which of the rows whose bits are set fulfil a condition.
  @inline(__always)
  func mask(
    _ active: UInt64, _ condition: (RowView) throws(StorageError) -> Bool
  ) throws(StorageError) -> UInt64 {
    var rest = active
    var mask: UInt64 = 0
    while rest != 0 {
      let index = rest.trailingZeroBitCount
      rest &= rest &- 1
      if try condition(view(index)) { mask |= 1 &<< UInt64(truncatingIfNeeded: index) }
    }
    return mask
  }
}

extension RowSpan {
  /// Hands rows over as a batch; nil when their headers differ or are not plain.
  @inline(__always)
  static func withSpan<R>(
    of rows: UnsafePointer<UnsafeRawBufferPointer>, _ count: Int, _ layout: RowLayout, _ body: (RowSpan?) -> R
  ) -> R {
    withUnsafeTemporaryAllocation(of: UnsafeRawPointer.self, capacity: capacity) { bases in
      body(bases.baseAddress.flatMap { span(rows, count, layout, $0) })
    }
  }

  @inline(__always)
  private static func span(
    _ rows: UnsafePointer<UnsafeRawBufferPointer>, _ count: Int, _ layout: RowLayout,
    _ bases: UnsafeMutablePointer<UnsafeRawPointer>
  ) -> RowSpan? {
    guard let first = rows[0].baseAddress, rows[0].count >= RowLayout.headerBytes else { return nil }
    let stored = first.loadUnaligned(as: UInt32.self)
    let header = UInt32(littleEndian: stored)
    let slots = Int(header >> 16)
    // Version 1 and no flags.
    guard header & 0xFFFF == layout.current.header & 0xFFFF, slots <= layout.slots.count else { return nil }
    let nulls = slots == layout.slots.count ? layout.current.nulls : layout.fixedEnds[slots]
    let variable = nulls &+ (slots &+ 7) &>> 3
    for index in 0..<count {
      let row = rows[index]
      guard let base = row.baseAddress, row.count >= variable, base.loadUnaligned(as: UInt32.self) == stored else {
        return nil
      }
      (bases + index).initialize(to: base)
    }
    return RowSpan(bases: bases, rows: rows, count: count, slotCount: slots, nulls: nulls, variable: variable)
  }
}

/// One test of a compiled predicate. Immutable once made.
class RowTest {
  /// The cost of a test relative to a comparison of numbers, so that cheap tests come first in a conjunction.
  var cost: Int { 1 }

  /// Whether the row fulfils the test.
  func matches(_ row: RowView) throws(StorageError) -> Bool { false }

  /// Which of the rows whose bits are set fulfil the test.
  func mask(_ span: RowSpan, _ active: UInt64) throws(StorageError) -> UInt64 {
    try span.mask(active) { row throws(StorageError) in try matches(row) }
  }
}

/// A test of one slot.
class SlotTest: RowTest {
  final let slot: RowLayout.Slot
  /// The view into `defaults`, here so that a row costs no counting of references.
  private final let defaultView: RowView
  private final let defaults: DefaultRow

  init(_ slot: RowLayout.Slot, _ defaults: DefaultRow) {
    self.slot = slot
    self.defaults = defaults
    defaultView = defaults.view
  }

  /// The row to read the slot in: the row of defaults where this one is older than the slot.
  @inline(__always)
  final func present(_ row: RowView) -> RowView {
    row.isAbsent(slot) ? defaultView : row
  }
}

final class ConstantTest: RowTest {
  let result: Bool

  init(_ result: Bool) {
    self.result = result
  }

  override var cost: Int { 0 }
  override func matches(_ row: RowView) -> Bool { result }
  override func mask(_ span: RowSpan, _ active: UInt64) -> UInt64 { result ? active : 0 }
}

final class NotTest: RowTest {
  private let test: RowTest

  init(_ test: RowTest) {
    self.test = test
  }

  override var cost: Int { test.cost }
  override func matches(_ row: RowView) throws(StorageError) -> Bool { try !test.matches(row) }
  override func mask(_ span: RowSpan, _ active: UInt64) throws(StorageError) -> UInt64 {
    active & ~(try test.mask(span, active))
  }
}

/// Tests of which the cheapest are made first, so that the others need not be made.
class JoinedTest: RowTest {
  final let tests: [RowTest]
  private let total: Int

  init(_ tests: [RowTest]) {
    self.tests = tests.enumerated().sorted { ($0.element.cost, $0.offset) < ($1.element.cost, $1.offset) }
      .map(\.element)
    total = tests.reduce(0) { min($0 + $1.cost, 1 << 20) }
  }

  override final var cost: Int { total }
}

final class AndTest: JoinedTest {
  override func matches(_ row: RowView) throws(StorageError) -> Bool {
    for test in tests where try !test.matches(row) { return false }
    return true
  }

  override func mask(_ span: RowSpan, _ active: UInt64) throws(StorageError) -> UInt64 {
    var mask = active
    for test in tests {
      mask = try test.mask(span, mask)
      if mask == 0 { break }
    }
    return mask
  }
}

final class OrTest: JoinedTest {
  override func matches(_ row: RowView) throws(StorageError) -> Bool {
    for test in tests where try test.matches(row) { return true }
    return false
  }

  override func mask(_ span: RowSpan, _ active: UInt64) throws(StorageError) -> UInt64 {
    var found: UInt64 = 0
    for test in tests {
      let rest = active & ~found
      if rest == 0 { break }
      found |= try test.mask(span, rest)
    }
    return found
  }
}
