/// Memory for the statements of a write transaction. The next transaction of the store reuses it, because allocating it costs more
/// instructions than the rest of a transaction of one row.
///
/// Unchecked: one transaction has it at a time, and the store hands it on.
final class StatementRoom: @unchecked Sendable {
  let entries = IndexEntries()
  /// Index entries of the statement that are to be removed from the old state.
  let removals = EntryList()
  /// Index entries that the statement adds when all rows are in.
  let additions = EntryList()

  /// Bytes of additions past which a statement adds what need not wait for its end.
  static let mostAdditions = 16 << 20
  /// A room of more bytes is not kept.
  private static let mostBytes = 1 << 16

  /// Whether it takes little memory.
  var isSmall: Bool { entries.memoryBytes + removals.memoryBytes + additions.memoryBytes <= Self.mostBytes }
}
