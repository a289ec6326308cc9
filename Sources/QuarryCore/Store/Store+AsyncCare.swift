extension Store {
  /// Gives free space back, on a thread of its own. See ``compact()``.
  ///
  /// - Throws: The errors of the synchronous form, and `CancellationError` when the task was cancelled before the work began.
  ///   Work that has begun is not cancelled.
  public func compact() async throws {
    try await Self.run(on: Self.readerThreads, ()) { [self] in try compact() }
  }

  /// Verifies the store, on a thread of its own, and returns what is wrong with it. See ``check()``.
  ///
  /// - Throws: The errors of the synchronous form, and `CancellationError` when the task was cancelled before the check began.
  public func check() async throws -> [String] {
    try await Self.run(on: Self.readerThreads, ()) { [self] in try check() }
  }
}
