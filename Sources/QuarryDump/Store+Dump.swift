public import Foundation
public import QuarryBackend
public import QuarryCore
import QuarryData
import QuarryQuery

extension ReadableStore {
  /// Writes the whole content of the store into a text file, the same bytes whatever its engine: `docs/formats/dump.md`.
  ///
  /// One committed state is written: models with their indexes in the order of their names, objects in the order of their keys,
  /// each value exactly. The file is written next to its place and moved there when it is complete. It is plain text, also where
  /// the store is encrypted.
  ///
  /// - Parameters:
  ///   - replacing: Whether an existing file is replaced. A store, a file next to a store and a key never are.
  ///   - progress: Reports the objects that were written; cancelled, it leaves nothing.
  /// - Throws: `inUse` when something is there that may not be replaced; `corrupt`, with the key, for an object that cannot be
  ///   read; `notFound`, `io`, `full`; `CancellationError`.
  /// - Complexity: O(n) in the size of the store, in bounded memory.
  @discardableResult
  public func dump(to path: String, replacing: Bool = false, progress: Progress? = nil) throws -> DumpReport {
    try dump(to: path, replacing: replacing, keys: [], progress: progress)
  }

  /// - Parameter keys: The paths of keys, which are not replaced either.
  package func dump(
    to path: String, replacing: Bool, keys: [String], progress: Progress?
  ) throws -> DumpReport {
    let file = try OutputFile(path: path, replacing: replacing, keys: keys)
    let report = try dump(progress: progress) { try file.sink.write($0) }
    try file.finish()
    return report
  }

  /// Writes the whole content of the store into a text file, on a thread of its own.
  ///
  /// Cancelling the task leaves nothing. See ``dump(to:replacing:progress:)-swift.method``.
  @discardableResult
  public func dump(
    to path: String, replacing: Bool = false, progress: Progress? = nil
  ) async throws -> DumpReport {
    let progress = progress ?? Progress(totalUnitCount: -1)
    return try await withTaskCancellationHandler {
      try await read { tx in
        let file = try OutputFile(path: path, replacing: replacing)
        let report = try Self.dump(tx, progress) { try file.sink.write($0) }
        try file.finish()
        return report
      }
    } onCancel: {
      progress.cancel()
    }
  }

  /// Hands the dump of the store to a closure, in pieces of some lines. See ``dump(to:replacing:progress:)-swift.method``.
  @discardableResult
  public func dump(progress: Progress? = nil, _ write: ([UInt8]) throws -> Void) throws -> DumpReport {
    try read { tx in try Self.dump(tx, progress, write) }
  }

  private static func dump(
    _ transaction: ReadTransaction, _ progress: Progress?, _ write: ([UInt8]) throws -> Void
  ) throws -> DumpReport {
    if let progress {
      var rows = 0
      for model in try transaction.dumpedModels { rows += try transaction.records.count(QueryTree(model: model.name)) }
      progress.totalUnitCount = Int64(rows)
    }
    return try withoutActuallyEscaping(write) { write in
      var writer = try DumpWriter(write)
      return try writer.run(transaction) { rows in
        guard let progress, rows % 256 == 0 else { return }
        progress.completedUnitCount = Int64(rows)
        if progress.isCancelled { throw CancellationError() }
      }
    }
  }
}

extension Store {
  /// Creates a store from a dump: the models, versions and objects that the dumped store had.
  ///
  /// Everything is stored in one write transaction, which commits when the whole dump was read and its checksums are right.
  /// - Parameters:
  ///   - path: A file that ``ReadableStore/dump(to:replacing:progress:)-swift.method`` has written, of this version or an older
  ///     one.
  ///   - destination: A place without a store, or with one that has neither models nor a version.
  ///   - progress: Reports the bytes that were read; cancelled, it leaves the place as it was.
  /// - Throws: `inUse` for a destination with models or a version; `corrupt`, with the line, for a dump that was cut or changed;
  ///   `schemaTooNew` for a dump of a newer format. `notFound`, `io`; `limitExceeded`, `unsupported` for data that the engine
  ///   does not accept. `schemaMismatch`, `invalidValue`, `duplicateKey`, `uniqueViolation`, with the lines, for content that no
  ///   store has and another program has written; `missingReference`, with the missing object, at the end of the dump.
  ///   `CancellationError`. The destination is then as it was.
  @discardableResult
  public static func restore(
    _ path: String, to destination: some BackendProvider, options: OpenOptions = OpenOptions(),
    progress: Progress? = nil
  ) throws -> DumpReport {
    let source = try ByteSource(path: path)
    progress?.totalUnitCount = source.size
    let (store, isMade) = try openToFill(destination, for: .restore, options: options)
    do {
      let report = try store.write { tx in
        guard try tx.models().isEmpty, try tx.schemaVersion == 0 else {
          throw StorageError(.inUse, "the destination already has a store with models")
        }
        let reader = try DumpReader(source) { bytes in
          progress?.completedUnitCount = bytes
          if progress?.isCancelled == true { throw CancellationError() }
        }
        let report = try reader.run(tx)
        try tx.finishFilling()
        return report
      }
      try store.close()
      return report
    } catch {
      if isMade { try? store.destroy() }
      try? store.close()
      throw error
    }
  }

  /// Creates a store from a dump, on a thread of its own. Cancelling the task leaves the place as it was.
  ///
  /// See ``restore(_:to:options:progress:)-swift.type.method``.
  @discardableResult
  public static func restore(
    _ path: String, to destination: some BackendProvider, options: OpenOptions = OpenOptions(),
    progress: Progress? = nil
  ) async throws -> DumpReport {
    let progress = progress ?? Progress(totalUnitCount: -1)
    return try await withTaskCancellationHandler {
      try await onThread {
        try restore(path, to: destination, options: options, progress: progress)
      }
    } onCancel: {
      progress.cancel()
    }
  }
}
