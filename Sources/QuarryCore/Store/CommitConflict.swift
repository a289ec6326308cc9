import QuarryBackend

/// A commit that met another one, told apart from a `conflict` that the body of the write throws.
struct CommitConflict: Error {
  let error: StorageError
}
