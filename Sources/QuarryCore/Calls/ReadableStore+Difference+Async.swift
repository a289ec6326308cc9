// Written by scripts/generate-calls. Change the calls that are marked there.

extension ReadableStore {
  /// The differences of two stores, none when they have the same. See ``ReadScope/forEachDifference(from:_:)``.
  ///
  /// The call runs on a thread of its own.
  ///
  /// - Throws: As the synchronous form; `CancellationError` when the task was cancelled before the call began.
  public func differences(from other: some ReadableStore, limit: Int = .max) async throws -> [StoreDifference] {
    try await read { tx in try tx.differences(from: other, limit: limit) }
  }
}
