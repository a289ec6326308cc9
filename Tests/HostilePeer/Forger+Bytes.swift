import QuarryBackend
import QuarrySync

extension Forger {
  private static let head = 10

  /// The frames of a body.
  private static func frames(_ body: [UInt8]) -> [[UInt8]] {
    var frames: [[UInt8]] = []
    var rest = body[...]
    while rest.count >= 4 {
      let length = Int(rest.prefix(4).reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) })
      guard length >= 4, length <= rest.count else { break }
      frames.append(Array(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    return frames
  }

  private static func littleEndian(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
  }

  /// A frame with a right length and checksum over these bytes.
  private static func sealed(_ head: [UInt8], _ payload: [UInt8]) -> [UInt8] {
    var bytes = littleEndian(UInt32(head.count + payload.count + 4)) + head.dropFirst(4) + payload
    bytes += littleEndian(bytes.withBytes { CRC32C.checksum($0) })
    return bytes
  }

  /// A body with one forged frame.
  mutating func forgeBytes(_ kind: HostileKind, _ body: [UInt8], _ other: [UInt8]) -> [UInt8] {
    if kind == .damaged { return damaged(body) }
    var frames = Self.frames(body)
    guard !frames.isEmpty else { return body }
    let place = number(frames.count)
    let frame = frames[place]
    guard frame.count >= Self.head + 4 else { return body }
    var head = Array(frame.prefix(Self.head))
    var payload = Array(frame[Self.head..<frame.count - 4])
    switch kind {
    case .heads: return forgeHeads(&frames, place, &head, payload)
    case .truncated: payload = Array(payload.prefix(number(payload.count)))
    case .flipped:
      for _ in 0...number(2) where !payload.isEmpty { payload[number(payload.count)] ^= UInt8(1 + number(255)) }
    case .counts:
      guard !payload.isEmpty else { return body }
      let large: [[UInt8]] = [
        [0x80, 0x94, 0xEB, 0xDC, 0x03], [0xFF, 0xFF, 0xFF, 0xFF, 0x0F],
        [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
        [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
      ]
      let at = number(payload.count)
      payload.replaceSubrange(at..<at + 1, with: large[number(large.count)])
    case .nested: payload = nested(payload)
    default: payload = spliced(payload, other)
    }
    frames[place] = Self.sealed(head, payload)
    return frames.flatMap { $0 }
  }

  private mutating func damaged(_ body: [UInt8]) -> [UInt8] {
    var result = body
    switch number(4) {
    case 0: result.removeLast(number(result.count))
    case 1: result.append(UInt8(number(256)))
    default: result[number(result.count)] ^= 1 << UInt8(number(8))
    }
    return result
  }

  private mutating func spliced(_ payload: [UInt8], _ other: [UInt8]) -> [UInt8] {
    var result = payload
    for _ in 0...number(3) where !result.isEmpty {
      let at = number(result.count)
      switch number(4) {
      case 0: result.remove(at: at)
      case 1: result.insert(UInt8(number(256)), at: at)
      case 2: result.removeSubrange(at..<min(result.count, at + 1 + number(16)))
      default:
        let from = number(other.count)
        result.insert(contentsOf: other[from..<min(other.count, from + 1 + number(24))], at: at)
      }
    }
    return result
  }

  private mutating func forgeHeads(
    _ frames: inout [[UInt8]], _ place: Int, _ head: inout [UInt8], _ payload: [UInt8]
  ) -> [UInt8] {
    switch number(6) {
    case 0:
      // A length that is not the frame's.
      let lengths: [UInt32] = [0, 1, 13, 14, 1 << 22, 1 << 22 + 1, 1 << 31, .max]
      frames[place].replaceSubrange(0..<4, with: Self.littleEndian(lengths[number(lengths.count)]))
      return frames.flatMap { $0 }
    case 1: head[4] = UInt8(number(256))
    // Compression, which is not built: a bomb is refused unread.
    case 2: head[5] = UInt8(1 + number(255))
    case 3: head.replaceSubrange(6..<10, with: Self.littleEndian(UInt32(truncatingIfNeeded: generator.next())))
    default:
      // Pieces that nothing follows, that are not full, and that belong to another message.
      var piece = head
      piece[4] = 11
      if chance(2) { piece[6] ^= 1 }
      frames.insert(Self.sealed(piece, chance(2) ? payload : []), at: place)
      return frames.flatMap { $0 }
    }
    frames[place] = Self.sealed(head, payload)
    return frames.flatMap { $0 }
  }

  /// A payload in which a text has become values in values.
  private mutating func nested(_ payload: [UInt8]) -> [UInt8] {
    let word = Array("red".utf8)
    let tag = ((try? NestedCoding.encode(.string("red"))) ?? []).prefix(1)
    let whole = tag + [UInt8(word.count)] + word
    guard let at = payload.indices.dropLast(whole.count).first(where: { payload[$0...].starts(with: whole) }), at > 0
    else { return payload }
    let levels = [2, 31, 32, 33, 64, 65, 1_000, 100_000][number(8)]
    let array = ((try? NestedCoding.encode(.array([.null]))) ?? []).prefix(2)
    let value = (0..<levels).flatMap { _ in array } + whole
    var length: [UInt8] = []
    var rest = value.count
    while rest >= 0x80 {
      length.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    length.append(UInt8(rest))
    var result = payload
    // The length of the value is before it.
    result.replaceSubrange(at - 1..<at + whole.count, with: length + value)
    return result
  }
}
