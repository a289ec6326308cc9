/// Comparisons of one fixed-width field that every row of a result passes.
///
/// An engine that keeps this field of many rows side by side can use them to skip rows.
///
/// It only leaves rows out that the predicate would refuse without an error: what comes before it in a conjunction are
/// tests of fields of fixed width, too. Not Sendable, as the predicate is not that it was taken from.
package final class FieldProbe {
  private let tests: [FieldTest]
  private let layout: RowLayout
  private let field: RowLayout.Slot

  init?(_ tests: [RowTest], _ layout: RowLayout) {
    let tests = tests.compactMap { $0 as? FieldTest }
    // A UUID is found by an index, or not often.
    guard let field = tests.first(where: { $0.slot.type != .uuid })?.slot else { return nil }
    self.tests = tests.filter { $0.slot.index == field.index }
    self.layout = layout
    self.field = field
  }

  /// The maximum number of rows tested in one call.
  package static var capacity: Int { RowSpan.capacity }

  /// The field's number among the fields of its table, which is never reused.
  package var slot: Int { Int(field.index) }

  /// Bytes of a value.
  package var width: Int { field.type.fixedWidth }

  /// Copies the field of rows, one value after the other.
  ///
  /// - Parameters:
  ///   - rows: At most ``capacity``.
  ///   - values: Room for as many values.
  /// - Returns: Which rows have nil, as bits; nil where the rows are not all of one age that has the field, or not plain.
  package func collect(
    _ rows: UnsafePointer<UnsafeRawBufferPointer>, _ count: Int, into values: UnsafeMutableRawPointer
  ) -> UInt64? {
    guard count > 0, count <= RowSpan.capacity else { return nil }
    return RowSpan.withSpan(of: rows, count, layout) { span in
      guard let span, Int(field.index) < span.slotCount else { return nil }
      let (offset, width) = (Int(field.offset), width)
      for index in 0..<count {
        (values + index * width).copyMemory(from: span.bases[index] + offset, byteCount: width)
      }
      return FieldLoop.nulls(span, field)
    }
  }

  /// Which of the rows may be of the result, as bits.
  ///
  /// - Parameters:
  ///   - values: The values that ``collect(_:_:into:)`` has copied.
  ///   - nulls: The result of that call.
  package func mask(_ values: UnsafeRawPointer, nulls: UInt64, count: Int) -> UInt64 {
    var mask = ~0 as UInt64
    for test in tests { mask &= test.mask(values, nulls: nulls, count: count) }
    return mask
  }
}

extension CompiledPredicate {
  /// A condition that every row must pass; nil if it is not a comparison of a field of fixed width.
  package var probe: FieldProbe? { FieldProbe(conjunction, layout) }
}
