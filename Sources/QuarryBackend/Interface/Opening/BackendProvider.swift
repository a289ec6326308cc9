/// Makes backends of one kind: the value that names an engine, a place and the engine's own options, such as
/// `.sqlite(at: "library.db")`.
public protocol BackendProvider: Sendable {
  /// Opens the store, and creates it if it does not exist and the options allow.
  ///
  /// The backend calls `BackendManifest.check` before any effect. A call that throws leaves the store as it
  /// was.
  ///
  /// - Parameter options: The options of opening. Timeouts are seconds of any value, also NaN and infinity: see ``Deadline``.
  /// - Throws: `unsupported` for an option that the backend does not offer, before any effect. `notFound` when there is no store
  ///   and none may be created, or no folder for it. `invalidValue`, `limitExceeded` for a path that cannot be one. `corrupt` for
  ///   damage, and for something at the place that is no store. `schemaTooNew`, `inUse`, `busy`, `readOnly`, `full`, `io`.
  ///   `keyRequired`, `wrongKey`, `notEncrypted` when the key does not belong to the store. `unavailable` when its server cannot
  ///   be reached.
  func open(_ options: OpenOptions) throws(StorageError) -> any Backend
}
