public import QuarryBackend

extension Store {
  /// Opens a store without the program's models: whatever it has can be read and written as records.
  public convenience init(
    opening provider: some BackendProvider, options: OpenOptions = OpenOptions(), encryption: Encryption? = nil
  ) throws {
    try self.init(models: [], in: provider, options: options, encryption: encryption)
  }
}
