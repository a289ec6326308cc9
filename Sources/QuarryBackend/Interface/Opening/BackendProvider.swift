/// Makes backends of one kind: the value that names an engine, a place and the engine's own options, such as
/// `.sqlite(at: "library.db")`.
public protocol BackendProvider: Sendable {
  /// Opens the store, and makes it if it is not there and the options allow.
  ///
  /// - Throws: `notFound`, `io`, `corrupt`, `schemaTooNew`, `inUse`, `busy`, `wrongKey`; `unsupported` for an option
  ///   that the backend does not offer, before any effect.
  func open(_ options: OpenOptions) throws(StorageError) -> any Backend
}
