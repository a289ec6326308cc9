import QuarryBackend

/// Gives the numbers of sequences outside the transaction that asks, where there are many writers.
protocol NumberSource: AnyObject, Sendable {
  /// The next number of a model's sequence.
  ///
  /// - Throws: `limitExceeded` where the sequence is exhausted.
  func next(_ key: GeneratedKey) throws(StorageError) -> UInt64

  /// Moves the sequence past a key that the program has given.
  func note(_ number: UInt64, _ key: GeneratedKey) throws(StorageError)

  /// Gives up the numbers that were taken in advance: keys that are stored meanwhile are not noted here.
  func forget()
}
