import Foundation
public import QuarryBackend

extension Store {
  /// Copies a store to a place of any engine, and compares the copy with it.
  ///
  /// One committed state of the source is copied, while others read and write: its models with their indexes, its version and
  /// every object, bit by bit. The source is not changed. The destination is filled model by model. Opening an unfinished copy
  /// throws `schemaMismatch`, and the next copy continues it when the source has not changed.
  ///
  /// ```swift
  /// let report = try Store.copy(from: .sqlite(at: "library.db"), to: .lmdb(at: "library.lmdb"))
  /// ```
  ///
  /// Anything that the destination's engine cannot hold, or that certainly does not fit on its disk, is refused before a row is
  /// written.
  ///
  /// - Parameters:
  ///   - source: The engine and the place of the store to copy, which is opened for reading.
  ///   - destination: The engine and the place of the copy.
  ///   - options: Whether the copy is compared, and how both stores are opened.
  /// - Throws: `inUse` for a destination that has models; `corrupt` when the copy differs from the source. `uniqueViolation`,
  ///   `limitExceeded`, `unsupported` for data that the destination's engine does not accept; `full`; `CancellationError` when
  ///   the progress was cancelled; the errors of opening the stores.
  /// - Complexity: O(n) in the number of objects, twice when it is verified, in bounded memory where the engines are.
  @discardableResult
  public static func copy(
    from source: some BackendProvider, to destination: some BackendProvider, options: CopyOptions = CopyOptions()
  ) throws -> CopyReport {
    var reading = options.source
    reading.isReadOnly = true
    let original = try source.open(reading)
    defer { try? original.close() }
    return try copy(original, to: destination, options)
  }

  /// Copies a store to a place of any engine, on a thread of its own. Cancelling the task ends the copy.
  ///
  /// See ``copy(from:to:options:)-swift.type.method``.
  @discardableResult
  public static func copy(
    from source: some BackendProvider, to destination: some BackendProvider, options: CopyOptions = CopyOptions()
  ) async throws -> CopyReport {
    try await cancellable(options) { options in try copy(from: source, to: destination, options: options) }
  }

  /// Copies the newest committed state of this store to a place of any engine, and compares the copy with it.
  ///
  /// See ``copy(from:to:options:)-swift.type.method``.
  @discardableResult
  public func copy(to destination: some BackendProvider, options: CopyOptions = CopyOptions()) throws -> CopyReport {
    try checkOpen()
    return try Self.copy(backend, to: destination, options)
  }

  /// Copies the newest committed state of this store, on a thread of its own. Cancelling the task ends the copy.
  ///
  /// See ``copy(from:to:options:)-swift.type.method``.
  @discardableResult
  public func copy(
    to destination: some BackendProvider, options: CopyOptions = CopyOptions()
  ) async throws -> CopyReport {
    try await Self.cancellable(options) { [self] options in try copy(to: destination, options: options) }
  }

  private static func copy(
    _ source: any Backend, to destination: any BackendProvider, _ options: CopyOptions
  ) throws -> CopyReport {
    let read = try source.beginRead()
    defer { read.end() }
    let place = StoreDestination(provider: destination, options: options.destination, work: .copy)
    let (target, isMade) = try place.open()
    let copier = StoreCopier(read, of: source, to: target, options)
    let report: CopyReport
    do {
      report = try copier.run()
    } catch {
      // A copy that was refused before it began leaves no store.
      if copier.hasBegun || !isMade || (try? target.destroy()) == nil { try? target.close() }
      throw error
    }
    try target.close()
    return report
  }

  private static func cancellable(
    _ options: CopyOptions, _ body: @escaping @Sendable (CopyOptions) throws -> CopyReport
  ) async throws -> CopyReport {
    var options = options
    let progress = options.progress ?? Progress(totalUnitCount: -1)
    options.progress = progress
    return try await withTaskCancellationHandler {
      try await run(on: readerThreads, options, body)
    } onCancel: {
      progress.cancel()
    }
  }
}
