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
    /// A part of the payload of the message whose frame follows.
    case piece = 11
    case partBegin = 12
    case partAt = 13
  }

  /// The version of the protocol, the first byte of each hello.
  static let version: UInt8 = 1
  /// The version of a hello that has the place of a part.
  static let placeVersion: UInt8 = 2
  /// Bytes before the payload.
  private static let head = 10
  /// The most bytes of a payload in one frame.
  static let piece = SyncLimits.frame - head - 4

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
      case .partBegin: .partBegin
      case .partAt: .partAt
      case .refused: .refused
      }
    }
  }

  /// The bytes of the frame. A message of more than 4 MiB is several frames: its first ones are pieces.
  ///
  /// - Throws: `limitExceeded` for a hello past 4 MiB, and for a message past 64 MiB.
  package func encoded() throws(StorageError) -> [UInt8] {
    var payload = SyncWriter()
    switch self {
    case .hello(let hello):
      payload.hello(hello)
      let body = [hello.place == nil ? Self.version : Self.placeVersion] + payload.bytes
      guard body.count <= Self.piece else {
        throw .limitExceeded("bytes of a frame", limit: SyncLimits.frame, actual: body.count + Self.head + 4)
      }
      return Self.frame(.hello, 0, body[...])
    case .message(let numbered):
      payload.message(numbered.message)
      let body = payload.bytes
      guard body.count <= SyncLimits.entry else {
        throw .limitExceeded("bytes of a sync message", limit: SyncLimits.entry, actual: body.count)
      }
      var bytes: [UInt8] = []
      var rest = body[...]
      while rest.count > Self.piece {
        bytes += Self.frame(.piece, numbered.number, rest.prefix(Self.piece))
        rest = rest.dropFirst(Self.piece)
      }
      return bytes + Self.frame(kind, numbered.number, rest)
    }
  }

  private static func frame(_ kind: Kind, _ number: UInt32, _ body: ArraySlice<UInt8>) -> [UInt8] {
    var writer = ByteWriter()
    writer.fixed(UInt32(head + body.count + 4))
    writer.byte(kind.rawValue)
    writer.byte(0)
    writer.fixed(number)
    writer.raw(Array(body))
    writer.fixed(writer.bytes.withBytes { CRC32C.checksum($0) })
    return writer.bytes
  }

  /// Reads the frames of a body.
  ///
  /// - Throws: `corrupt` for bytes in any other form, `schemaTooNew` for another version of the protocol, `limitExceeded` for a
  ///   frame past 4 MiB or a message past 64 MiB.
  package static func decode(_ bytes: [UInt8]) throws(StorageError) -> [SyncFrame] {
    var frames: [SyncFrame] = []
    var rest = bytes[...]
    var pieces: [UInt8] = []
    var begun: UInt32?
    while !rest.isEmpty {
      guard rest.count >= head + 4 else { throw SyncReader.damaged }
      let length = Int(number(rest))
      guard length <= SyncLimits.frame else {
        throw .limitExceeded("bytes of a frame", limit: SyncLimits.frame, actual: length)
      }
      guard length >= head + 4, length <= rest.count else { throw SyncReader.damaged }
      let (kind, number, payload) = try open(rest.prefix(length))
      rest = rest.dropFirst(length)
      // Pieces of one message follow each other, and all but the last are full.
      guard begun == nil || begun == number && kind != .hello && !payload.isEmpty else { throw SyncReader.damaged }
      guard pieces.count + payload.count <= SyncLimits.entry else {
        throw .limitExceeded(
          "bytes of a sync message", limit: SyncLimits.entry, actual: pieces.count + payload.count)
      }
      if kind == .piece {
        guard payload.count == piece else { throw SyncReader.damaged }
        pieces += payload
        begun = number
      } else {
        frames.append(try SyncFrame(kind, number, begun == nil ? payload : (pieces + payload)[...]))
        pieces = []
        begun = nil
      }
    }
    guard begun == nil else { throw SyncReader.damaged }
    return frames
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The parts of one frame.
  ///
  /// - Parameter bytes: Exactly one frame, at least as long as a head and a checksum.
  private static func open(
    _ bytes: ArraySlice<UInt8>
  ) throws(StorageError) -> (Kind, UInt32, ArraySlice<UInt8>) {
    let checked = Array(bytes.dropLast(4))
    guard checked.withBytes({ CRC32C.checksum($0) }) == number(bytes.suffix(4)) else { throw SyncReader.damaged }
    // The only flag is compression, which this version neither asks for nor reads.
    guard let kind = Kind(rawValue: checked[4]), checked[5] == 0 else { throw SyncReader.damaged }
    return (kind, number(checked[6...]), checked[head...])
  }

  private init(_ kind: Kind, _ number: UInt32, _ payload: ArraySlice<UInt8>) throws(StorageError) {
    var payload = payload
    if kind == .hello {
      guard let version = payload.popFirst(), number == 0 else { throw SyncReader.damaged }
      guard version == Self.version || version == Self.placeVersion else {
        throw StorageError(
          .schemaTooNew,
          "the other side uses version \(version) of the sync protocol, which this version of Quarry does not support")
      }
      var reader = try SyncReader(payload, replicas: SyncLimits.mentionedReplicas)
      self = .hello(try reader.hello(hasPlace: version == Self.placeVersion))
      try reader.finish()
    } else {
      var reader = try SyncReader(payload, replicas: SyncLimits.mentionedReplicas)
      self = .message(NumberedMessage(number, try reader.message(kind)))
      try reader.finish()
    }
  }
}
