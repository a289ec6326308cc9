extension Store {
  /// Gives free space back, on a thread of its own. See ``compact()``.
  ///
  /// - Throws: Beside what the synchronous form throws, `CancellationError` when the task was cancelled before it began. What
  ///   has begun is not cancelled.
  public func compact() async throws {
    try await Self.run(on: Self.readerThreads, ()) { [self] in try compact() }
  }

  /// Verifies the store, on a thread of its own, and returns what is wrong with it. See ``check()``.
  ///
  /// - Throws: Beside what the synchronous form throws, `CancellationError` when the task was cancelled before it began.
  public func check() async throws -> [String] {
    try await Self.run(on: Self.readerThreads, ()) { [self] in try check() }
  }
}
