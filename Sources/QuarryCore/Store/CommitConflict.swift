import QuarryBackend

/// A conflict between commits, as opposed to a `conflict` that the body of the write throws.
struct CommitConflict: Error {
  let error: StorageError
}
