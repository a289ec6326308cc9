public import QuarryBackend

extension Store {
  /// Opens a store without the program's models: whatever it has can be read and written as records.
  ///
  /// - Parameters:
  ///   - provider: The engine and the place of the store, which is created if it does not exist.
  ///   - options: How the store is opened.
  ///   - encryption: The key of the store: see ``Encryption``.
  /// - Throws: As ``init(for:in:options:encryption:)``.
  public convenience init(
    opening provider: some BackendProvider, options: OpenOptions = OpenOptions(), encryption: Encryption? = nil
  ) throws {
    try self.init(models: [], in: provider, options: options, encryption: encryption)
  }
}
