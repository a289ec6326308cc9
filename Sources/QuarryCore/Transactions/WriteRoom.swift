import QuarryBackend

/// Memory for the rows of a write transaction. The next transaction of the store reuses it, because allocating it costs more
/// instructions than encoding a row.
///
/// Unchecked: one transaction has it at a time, and the context hands it on.
final class WriteRoom: @unchecked Sendable {
  /// See ``RowEncoder``.
  @exclusivity(unchecked) var writers: [RowWriter?] = []
  @exclusivity(unchecked) var batch = RowBatch()

  /// A room of more bytes is not kept.
  private static let mostBytes = 1 << 16

  /// Whether it takes little memory.
  var isSmall: Bool {
    writers.reduce(batch.memoryBytes) { $0 + ($1?.room ?? 0) } <= Self.mostBytes
  }
}
