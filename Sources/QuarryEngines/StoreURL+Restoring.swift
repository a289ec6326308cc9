public import QuarryBackend

extension StoreURL: RestoringProvider {
  public func restoreBackup(
    at path: String, replacing: Bool, _ encryption: Encryption?
  ) throws(StorageError) -> RestoredBackup {
    try provider.requireRestoring(engine.name).restoreBackup(at: path, replacing: replacing, encryption)
  }
}
