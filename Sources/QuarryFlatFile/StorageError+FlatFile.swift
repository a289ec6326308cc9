import QuarryBackend

extension StorageError {
  /// Damage at a place in the file.
  static func damaged(_ path: String, at offset: Int, _ what: String) -> StorageError {
    StorageError(.corrupt, "\(path) is damaged at byte \(offset): \(what)")
  }
}
