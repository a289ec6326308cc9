/// When a store is compacted as it is opened for writing.
///
/// ```swift
/// var options = OpenOptions()
/// options.compaction = .when { total, used in total > 100 << 20 && used * 2 < total }
/// ```
public struct CompactionRule: Sendable {
  private let isDue: @Sendable (_ total: Int, _ used: Int) -> Bool

  private init(_ isDue: @escaping @Sendable (_ total: Int, _ used: Int) -> Bool) {
    self.isDue = isDue
  }

  /// Compacts where the closure says so.
  ///
  /// - Parameter isDue: Is called once for an opening with the bytes of the store's files, and how many of them are in
  ///   use.
  public static func when(_ isDue: @escaping @Sendable (_ total: Int, _ used: Int) -> Bool) -> CompactionRule {
    CompactionRule(isDue)
  }

  /// Whether to compact a store of `total` bytes, of which `free` are unused.
  ///
  /// - Parameters:
  ///   - total: Bytes of all files of the store.
  ///   - free: Bytes of them that hold nothing. The rule receives the difference, at least 0, as the bytes in use.
  public func asks(total: Int, free: Int) -> Bool {
    isDue(total, max(0, total - free))
  }
}
