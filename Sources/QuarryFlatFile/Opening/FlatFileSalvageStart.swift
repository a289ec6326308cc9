import QuarryBackend
import QuarrySystem

extension FlatFile {
  /// Where the batches of a damaged file begin.
  struct Start {
    var reader: BatchReader
    /// The key that seals them; nil for a plain file.
    var key: FlatFileKey?
    var offset: Int
    /// The commit that the file begins with a snapshot of, as far as that is known.
    var snapshot: UInt64

    /// - Throws: `corrupt` when the header is lost and there is no batch, or nothing is left of the key; `keyRequired`,
    ///   `wrongKey`, `notEncrypted`, `schemaTooNew`, `io`.
    init(
      _ file: any StoreFile, _ path: String, _ end: Int, _ encryption: Encryption?, _ salvage: inout Salvage
    ) throws(StorageError) {
      let window = ReadWindow(file, size: FlatFileFormat.firstSealedBatch)
      defer { withExtendedLifetime(window) {} }
      let bytes = try FlatFileBeginning.bytes(window)
      let header: FlatFileHeader
      do throws(StorageError) {
        header = try FlatFileHeader(bytes, of: path)
      } catch {
        guard error.code == .corrupt else { throw error }
        try self.init(withoutHeader: file, bytes, path, end, encryption, &salvage, error)
        return
      }
      if !header.isSealed, encryption != nil { throw .notEncrypted(path) }
      let key =
        try header.isSealed
        ? FlatFileKey(.user(encryption), unlocking: bytes, of: path, identity: header.identity) : nil
      self.init(
        reader: BatchReader(file, tag: header.tag, key?.cipher, end: end), key: key, offset: header.firstBatch,
        snapshot: header.snapshot)
    }

    private init(reader: BatchReader, key: FlatFileKey?, offset: Int, snapshot: UInt64) {
      self.reader = reader
      self.key = key
      self.offset = offset
      self.snapshot = snapshot
    }

    /// Looks for the first batch: of a plain file, and where it has none, of one that begins with the slots of a key.
    private init(
      withoutHeader file: any StoreFile, _ bytes: UnsafeRawBufferPointer, _ path: String, _ end: Int,
      _ encryption: Encryption?, _ salvage: inout Salvage, _ error: StorageError
    ) throws(StorageError) {
      reader = BatchReader(file, tag: nil, nil, end: end)
      var first = try reader.search(from: 0, where: { _ in true })
      if first == nil, FlatFileFormat.keyOffsets.contains(where: { EnvelopeSlot.isSlot(bytes.dropFirst($0)) }) {
        let key = try FlatFileKey(.user(encryption), unlocking: bytes, of: path, identity: nil)
        self.key = key
        reader = BatchReader(file, tag: nil, key.cipher, end: end)
        first = try reader.search(from: FlatFileFormat.firstSealedBatch, where: { _ in true })
      } else if first != nil, encryption != nil {
        throw .notEncrypted(path)
      }
      guard let first else {
        throw StorageError(.corrupt, "there is no whole commit in \(path)", cause: error)
      }
      salvage.isHeaderLost = true
      reader.tag = first.header.tag
      let start = key == nil ? FlatFileFormat.firstBatch : FlatFileFormat.firstSealedBatch
      if first.offset > start {
        salvage.lose(start..<first.offset, "there is no batch with a valid header")
        salvage.isPrefix = false
      }
      offset = first.offset
      snapshot = first.header.commit > 1 ? first.header.commit : 0
    }
  }
}
