import QuarryBackend

/// A conflict that the engine has reported, as opposed to a `conflict` that the body of the write throws.
struct CommitConflict: Error {
  let error: StorageError
  /// Whether the write may be run again.
  var isRepeatable = true
}
