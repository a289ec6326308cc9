import QuarryBackend
import QuarrySystem

// Marks of encrypted files.
//
// Their content is in the clear, and has a tag that cannot be computed without the key.
//
// The checksum tells chance from intent. A mark that a crash tore is invalid, and the other one serves. A mark that is whole and
// not authentic was written by an attacker.
extension FlatFileMark {
  /// Bytes of the mark, and of its beginning that says something.
  private static let sealedBytes = 92
  private static let saidBytes = 44 + BatchTag.byteCount

  /// The mark as it stands in an encrypted file.
  func sealed(of header: FlatFileHeader, _ key: FlatFileKey) throws(StorageError) -> [UInt8] {
    var bytes = encoded(tag: header.tag)
    let count = bytes.count
    bytes += [UInt8](repeating: 0, count: BatchTag.byteCount)
    bytes.withUnsafeMutableBytes { last.put(into: $0, at: count) }
    let trailer = UnsafeMutableRawBufferPointer.allocate(byteCount: StoreCipherFormat.trailerBytes, alignment: 8)
    defer { trailer.deallocate() }
    let nothing = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    try Self.associated(header, bytes).withBytes { associated throws(StorageError) in
      try key.cipher.seal(UnsafeRawBufferPointer(nothing), associated, into: nothing, trailer: trailer)
    }
    bytes += trailer
    bytes.append(littleEndian: bytes.withBytes { CRC32C.checksum($0) })
    return bytes
  }

  /// The data that the tag authenticates: the content of the mark, and the header of its file.
  private static func associated(_ header: FlatFileHeader, _ said: [UInt8]) -> [UInt8] {
    said + header.encoded()
  }

  /// The mark that holds of those in the beginning of an encrypted file; nil when there is no whole one.
  ///
  /// - Parameter bytes: Everything before the first batch.
  /// - Throws: `corrupt` when one of them is not authentic, or was put back.
  static func newest(
    _ bytes: UnsafeRawBufferPointer, of header: FlatFileHeader, _ key: FlatFileKey, path: String
  ) throws(StorageError) -> FlatFileMark? {
    var marks: [FlatFileMark] = []
    for offset in FlatFileFormat.markOffsets {
      let part = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + sealedBytes])
      guard isWhole(part) else { continue }
      guard let mark = FlatFileMark(part, of: header), mark.offset == offset, try mark.isAuthentic(part, header, key)
      else { throw .damaged(path, at: offset, "the mark of the file's end is not authentic") }
      marks.append(mark)
    }
    // They are written in turn.
    if marks.count == 2, marks[0].number &+ 1 != marks[1].number, marks[1].number &+ 1 != marks[0].number {
      throw .damaged(
        path, at: FlatFileFormat.markOffsets[0], "one of the marks of the file's end was replaced by an older one")
    }
    return marks.max { $0.number < $1.number }
  }

  private init?(_ part: UnsafeRawBufferPointer, of header: FlatFileHeader) {
    self.init(part, tag: header.tag)
    last = BatchTag(part, at: 44)
  }

  private func isAuthentic(
    _ part: UnsafeRawBufferPointer, _ header: FlatFileHeader, _ key: FlatFileKey
  ) throws(StorageError) -> Bool {
    let said = Array(part[..<Self.saidBytes])
    let trailer = UnsafeRawBufferPointer(rebasing: part[Self.saidBytes..<part.count - 4])
    let nothing = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    return try Self.associated(header, said).withBytes { associated throws(StorageError) in
      try key.cipher.open(UnsafeRawBufferPointer(nothing), associated, trailer: trailer, into: nothing)
    }
  }
}
