package import QuarryBackend

/// A message in bytes: length, kind, flags, number, payload, CRC-32C. See `docs/formats/sync.md`.
package enum SyncFrame: Sendable, Hashable {
  case hello(SyncHello)
  case message(NumberedMessage)

  enum Kind: UInt8 {
    case hello = 1
    case yours = 3
    case log = 4
    case rows = 5
    case end = 6
    case part = 7
    case partEnd = 8
    case refused = 9
  }

  /// The version of the protocol, the first byte of each hello.
  static let version: UInt8 = 1
  /// Bytes before the payload.
  private static let head = 10

  private var kind: Kind {
    switch self {
    case .hello: .hello
    case .message(let numbered):
      switch numbered.message {
      case .yours: .yours
      case .log: .log
      case .rows: .rows
      case .end: .end
      case .part: .part
      case .partEnd: .partEnd
      case .refused: .refused
      }
    }
  }

  /// The bytes of the frame.
  ///
  /// - Throws: `limitExceeded` past 4 MiB. Entries that are larger need several frames, which this version does not write.
  package func encoded() throws(StorageError) -> [UInt8] {
    var payload = SyncWriter()
    var number: UInt32 = 0
    switch self {
    case .hello(let hello): payload.hello(hello)
    case .message(let numbered):
      number = numbered.number
      payload.message(numbered.message)
    }
    let body = payload.bytes
    let version: [UInt8] = kind == .hello ? [Self.version] : []
    let length = Self.head + version.count + body.count + 4
    guard length <= SyncLimits.frame else {
      throw .limitExceeded("bytes of a frame", limit: SyncLimits.frame, actual: length)
    }
    var writer = ByteWriter()
    writer.fixed(UInt32(length))
    writer.byte(kind.rawValue)
    writer.byte(0)
    writer.fixed(number)
    writer.raw(version)
    writer.raw(body)
    writer.fixed(writer.bytes.withBytes { CRC32C.checksum($0) })
    return writer.bytes
  }

  /// Reads the frames of a body.
  ///
  /// - Throws: `corrupt` for bytes in any other form, `schemaTooNew` for another version of the protocol, `limitExceeded` for a
  ///   frame past 4 MiB.
  package static func decode(_ bytes: [UInt8]) throws(StorageError) -> [SyncFrame] {
    var frames: [SyncFrame] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      guard rest.count >= head + 4 else { throw SyncReader.damaged }
      let length = Int(rest.prefix(4).reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) })
      guard length <= SyncLimits.frame else {
        throw .limitExceeded("bytes of a frame", limit: SyncLimits.frame, actual: length)
      }
      guard length >= head + 4, length <= rest.count else { throw SyncReader.damaged }
      frames.append(try SyncFrame(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    return frames
  }

  /// - Parameter bytes: Exactly one frame, at least as long as a head and a checksum.
  private init(_ bytes: ArraySlice<UInt8>) throws(StorageError) {
    let sum = bytes.suffix(4).reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    let checked = Array(bytes.dropLast(4))
    guard checked.withBytes({ CRC32C.checksum($0) }) == sum else { throw SyncReader.damaged }
    // The only flag is compression, which this version neither asks for nor reads.
    guard let kind = Kind(rawValue: checked[4]), checked[5] == 0 else { throw SyncReader.damaged }
    let number = checked[6..<10].reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    var payload = checked[Self.head...]
    if kind == .hello {
      guard let version = payload.popFirst(), number == 0 else { throw SyncReader.damaged }
      guard version == Self.version else {
        throw StorageError(
          .schemaTooNew,
          "the other side uses version \(version) of the sync protocol, which this version of Quarry does not support")
      }
      var reader = try SyncReader(payload)
      self = .hello(try reader.hello())
      try reader.finish()
    } else {
      var reader = try SyncReader(payload)
      self = .message(NumberedMessage(number, try reader.message(kind)))
      try reader.finish()
    }
  }
}
