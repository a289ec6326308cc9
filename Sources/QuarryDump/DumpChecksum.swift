package import QuarryBackend

/// The checksums of a dump, for code that creates or edits one: the kit and tests.
package enum DumpChecksum {
  /// The SHA-256 of the bytes, as a line of check has it.
  package static func text(of bytes: [UInt8]) throws(StorageError) -> String {
    let digest = try SHA256Digest()
    try digest.add(bytes)
    return try digest.text()
  }
}
