import QuarryBackend

/// The limits that are checked before a write reaches the engine.
@usableFromInline
struct WriteLimits: Sendable {
  @usableFromInline let keyBytes: Int
  @usableFromInline let rowBytes: Int

  init(_ manifest: BackendManifest) {
    keyBytes = manifest.limits.keyBytes ?? .max
    rowBytes = manifest.limits.rowBytes ?? .max
  }
}

extension WriteLimits {
  func checkRow(_ row: UnsafeRawBufferPointer, _ binding: ModelBinding) throws(StorageError) {
    if row.count > rowBytes {
      throw .limitExceeded("bytes of a row", limit: rowBytes, actual: row.count, model: binding.name)
    }
  }

  @usableFromInline
  func checkKey(_ key: some Storable, _ binding: ModelBinding) throws(StorageError) {
    let count = try key.withKeyBytes { $0.count }
    if count > keyBytes {
      throw .limitExceeded(
        "bytes of a primary key", limit: keyBytes, actual: count, model: binding.name,
        property: binding.schema.keyProperty.name)
    }
  }
}
