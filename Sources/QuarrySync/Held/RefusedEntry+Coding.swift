import QuarryBackend

extension RefusedEntry {
  /// The stored form: the reason, then the entry.
  func encoded() -> [UInt8] {
    var writer = SyncWriter()
    writer.value(.string(reason))
    writer.entry(entry)
    return writer.bytes
  }

  init(decoding bytes: ArraySlice<UInt8>) throws(StorageError) {
    var reader = try SyncReader(bytes)
    reason = try reader.text()
    entry = try reader.entry()
    try reader.finish()
  }
}
