/// A provider that puts a backup in its place: for `Store.restoreBackup(_:to:)`.
public protocol RestoringProvider: BackendProvider {
  /// Makes the store at the place a copy of a backup, which stays as it is.
  ///
  /// Whatever was there is put aside as a whole, with its logs, under another name; a call that throws leaves it. The copy
  /// gets the place in one step, when it is on the disk. A process that ends in between leaves the old store under one of
  /// its names, and the copy or nothing at the place.
  ///
  /// - Parameters:
  ///   - path: The path of the backup, or of any closed store of the same engine.
  ///   - replacing: Whether a store that is at the place is put aside.
  ///   - encryption: The key of the backup, which the copy has, too; nil for a plain one.
  /// - Throws: `inUse` when something is at the place and is not to be replaced, or it is open anywhere; `notFound` when there is
  ///   no backup, or no folder for the place; the errors of opening the backup; `full`, `io`.
  /// - Complexity: Reads and writes the whole backup once.
  func restoreBackup(
    at path: String, replacing: Bool, _ encryption: Encryption?
  ) throws(StorageError) -> RestoredBackup
}

/// The result of restoring a backup.
public struct RestoredBackup: Sendable, Hashable {
  /// Where the store is that was at the place before; nil when nothing was there.
  public var quarantine: String?

  /// Creates the report of a restored backup.
  ///
  /// - Parameter quarantine: The path of the store that was at the place before; nil when nothing was there.
  public init(quarantine: String? = nil) {
    self.quarantine = quarantine
  }
}

extension RestoredBackup: CustomStringConvertible {
  /// Where the store is that was at the place before.
  public var description: String {
    guard let quarantine else { return "the backup is in its place, where nothing was before" }
    return "the backup is in its place; the store that was there before is \(quarantine)"
  }
}

extension BackendProvider {
  /// The provider as one that puts a backup in its place.
  ///
  /// - Parameter engine: The engine's name in the error.
  /// - Throws: `unsupported` when it is none.
  package func requireRestoring(_ engine: String = "the engine") throws(StorageError) -> any RestoringProvider {
    if let provider = self as? any RestoringProvider { return provider }
    throw StorageError(.unsupported, "\(engine) cannot restore a backup")
  }
}
