package import QuarryBackend

/// A cursor of an engine that keeps single fields of many rows side by side, and so can skip rows without reading them.
package protocol ProbingCursor: KeyValueCursor {
  /// Lends the values of the next entries but for those, or some of those, that do not pass the probe.
  ///
  /// - Parameter values: Is filled from its beginning.
  /// - Returns: How many were filled; 0 at the end, and in every call after it.
  mutating func fill(
    _ values: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>, passing probe: FieldProbe
  ) throws(StorageError) -> Int
}

/// A transaction with such cursors.
package protocol ProbingTransaction: KeyValueReadTransaction where Cursor: ProbingCursor {}

extension ProbingTransaction {
  /// The rows of a range of a table that may pass the probe.
  func walk(
    _ tree: TreeID, _ range: KeyRange, descending: Bool, passing probe: FieldProbe
  ) throws(StorageError) -> any RowSource {
    ProbedWalk(try cursor(tree, range, descending: descending), probe)
  }
}

/// Rows of a range of a table without those that a probe leaves out.
private final class ProbedWalk<Cursor: ProbingCursor>: RowSource {
  private var cursor: Cursor
  private let probe: FieldProbe
  var isLookup: Bool { false }

  func skip(_ count: Int) throws(StorageError) -> Int { try skipByReading(count) }

  init(_ cursor: Cursor, _ probe: FieldProbe) {
    self.cursor = cursor
    self.probe = probe
  }

  func fill(_ rows: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) throws(StorageError) -> Int {
    try cursor.fill(rows, passing: probe)
  }
}
