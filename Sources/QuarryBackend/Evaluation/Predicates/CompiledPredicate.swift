/// A predicate made ready for the rows of one layout, read from their bytes without decoding.
///
/// Rows of every age are understood; a slot that an older row does not have holds its default. Not changed by use, but
/// not Sendable: each cursor compiles its own.
public final class CompiledPredicate {
  private let test: RowTest
  let layout: RowLayout

  /// Compiles the predicate.
  ///
  /// - Parameters:
  ///   - predicate: The predicate, bound to the model of the rows.
  ///   - layout: The layout of the rows.
  /// - Throws: `invalidQuery` for a slot that the layout lacks, or a constant of another type than its slot. `invalidValue` for a
  ///   default of another type than its slot.
  public init(_ predicate: BoundPredicate, _ layout: RowLayout) throws(StorageError) {
    self.layout = layout
    test = try PredicateCompiler(layout: layout, defaults: DefaultRow(layout)).test(predicate)
  }

  /// Whether the row fulfils the predicate.
  ///
  /// - Parameter row: A row of the layout, in the row format, of whatever age.
  /// - Throws: `corrupt`.
  public func matches(_ row: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    try test.matches(try RowView(row, layout))
  }

  /// Moves the rows that fulfil the predicate to the front, in their order.
  ///
  /// Each part of a conjunction runs over 64 rows at once; that is quickest for rows that were all written with the
  /// same slots and without a checksum.
  ///
  /// - Parameter count: How many rows there are in the buffer, from its beginning.
  /// - Returns: How many are left.
  /// - Throws: `corrupt`.
  public func filter(
    _ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>, count: Int
  ) throws(StorageError) -> Int {
    guard let base = rows.baseAddress else { return 0 }
    let count = min(count, rows.count)
    var start = 0
    var kept = 0
    while start < count {
      let length = min(RowSpan.capacity, count &- start)
      var mask = try mask(base + start, length)
      if mask == ~0, kept == start {
        kept &+= length
      } else {
        while mask != 0 {
          base[kept] = base[start &+ mask.trailingZeroBitCount]
          kept &+= 1
          mask &= mask &- 1
        }
      }
      start &+= length
    }
    return kept
  }

  /// The tests that a row has to pass, each of them.
  var conjunction: [RowTest] { (test as? AndTest)?.tests ?? [test] }

  /// Which of at most 64 rows fulfil the predicate, as bits.
  private func mask(_ rows: UnsafePointer<UnsafeRawBufferPointer>, _ count: Int) throws(StorageError) -> UInt64 {
    let result: Result<UInt64?, StorageError> = RowSpan.withSpan(of: rows, count, layout) { span in
      guard let span else { return .success(nil) }
      let all = ~0 as UInt64 &>> UInt64(truncatingIfNeeded: RowSpan.capacity &- count)
      do throws(StorageError) {
        return .success(try test.mask(span, all))
      } catch {
        return .failure(error)
      }
    }
    if let mask = try result.get() { return mask }
    var mask: UInt64 = 0
    for index in 0..<count where try matches(rows[index]) { mask |= 1 &<< UInt64(truncatingIfNeeded: index) }
    return mask
  }
}
