import QuarryBackend

extension StorageError {
  /// The error with the peer whose changes do not fit; itself where they are not to blame.
  func ofChanges(from peer: ReplicaID) -> StorageError {
    let ofContent: [Code] = [.invalidValue, .missingValue, .limitExceeded, .schemaMismatch]
    guard ofContent.contains(code), cause == nil else { return self }
    return StorageError(
      code, "\(message); the changes are from the replica \(peer)", model: model, property: property, key: key)
  }
}
