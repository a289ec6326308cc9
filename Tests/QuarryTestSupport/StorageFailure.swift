package import QuarryBackend

/// The error of Quarry's that the body throws; nil when it throws none, or another.
package func failure<R, E: Error>(_ body: () throws(E) -> R) -> StorageError? {
  // Of any type of error, because version 6.3 of the compiler crashes where a typed closure becomes an untyped one.
  do {
    _ = try body()
    return nil
  } catch {
    return error as? StorageError
  }
}

/// The code of the error that the body throws; nil when it throws none of Quarry's.
package func code<R, E: Error>(_ body: () throws(E) -> R) -> StorageError.Code? { failure(body)?.code }
