import QuarryBackend
import QuarrySystem

/// The content of a file before its first batch.
struct FlatFileBeginning {
  var header: FlatFileHeader
  /// The key that seals it; nil for a plain one.
  var key: FlatFileKey?
  /// The end that it records; nil where its format has no marks.
  var mark: FlatFileMark?

  /// Reads the beginning of a file, and unlocks it where it is sealed. Nothing is written.
  ///
  /// - Throws: `keyRequired`, `wrongKey`, `notEncrypted`; `corrupt`, also when it says nothing of the file's end and its
  ///   format does; `schemaTooNew`, `io`.
  init(of file: any StoreFile, path: String, _ source: FlatFileKey.Source = .user(nil)) throws(StorageError) {
    let window = ReadWindow(file, size: FlatFileFormat.firstSealedBatch)
    defer { withExtendedLifetime(window) {} }
    let bytes = try Self.bytes(window)
    header = try FlatFileHeader(bytes, of: path)
    guard header.isSealed else {
      if case .user(_?) = source { throw .notEncrypted(path) }
      if header.format == FlatFileFormat.versionWithoutMarks { return }
      mark = FlatFileMark.newest(bytes, tag: header.tag)
      if mark == nil { throw Self.noMark(path) }
      return
    }
    let key = try FlatFileKey(source, unlocking: bytes, of: path, identity: header.identity)
    self.key = key
    do throws(StorageError) {
      mark = try FlatFileMark.newest(bytes, of: header, key, path: path)
    } catch {
      guard error.code == .corrupt else { throw error }
      // A writer in another process may be at work there.
      window.forget()
      mark = try FlatFileMark.newest(Self.bytes(window), of: header, key, path: path)
    }
    if mark == nil { throw Self.noMark(path) }
  }

  /// The slots of the key of a file; nil for a plain one. Nothing is unlocked.
  ///
  /// - Throws: `corrupt`, `schemaTooNew`, `io`.
  static func envelope(of file: any StoreFile, path: String) throws(StorageError) -> Envelope? {
    let window = ReadWindow(file, size: FlatFileFormat.firstSealedBatch)
    defer { withExtendedLifetime(window) {} }
    let bytes = try bytes(window)
    let header = try FlatFileHeader(bytes, of: path)
    guard header.isSealed else { return nil }
    return try FlatFileKey.envelope(bytes, of: path, identity: header.identity)
  }

  /// As many as an encrypted file has before its first batch, or what there is.
  static func bytes(_ window: ReadWindow) throws(StorageError) -> UnsafeRawBufferPointer {
    try window.bytes(at: 0, count: FlatFileFormat.firstSealedBatch, end: FlatFileFormat.firstSealedBatch)
  }

  private static func noMark(_ path: String) -> StorageError {
    .damaged(path, at: FlatFileFormat.markOffsets[0], "both marks of the file's end are damaged")
  }
}
