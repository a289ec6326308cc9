/// A pattern in which `*` stands for any run of scalars and `?` for one; a backslash takes the meaning from the next
/// scalar, and at the end stands for itself.
struct LikePattern {
  private enum Token: Equatable {
    case byte(UInt8)
    case anyScalar
    case anyRun
  }

  private let tokens: [Token]

  init(_ pattern: String) {
    var tokens: [Token] = []
    var isEscaped = false
    for byte in pattern.utf8 {
      switch byte {
      case UInt8(ascii: "\\") where !isEscaped:
        isEscaped = true
        continue
      case UInt8(ascii: "*") where !isEscaped:
        if tokens.last != .anyRun { tokens.append(.anyRun) }
      case UInt8(ascii: "?") where !isEscaped: tokens.append(.anyScalar)
      default: tokens.append(.byte(byte))
      }
      isEscaped = false
    }
    if isEscaped { tokens.append(.byte(UInt8(ascii: "\\"))) }
    self.tokens = tokens
  }

  /// Whether the whole of the bytes matches.
  ///
  /// - Complexity: O(n·m) at worst, for many runs in a text much like the pattern.
  func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
    tokens.withUnsafeBufferPointer { tokens in
      var position = 0
      var token = 0
      // The last run, and the place in the text up to which it reaches. An earlier run never has to reach further.
      var run = -1
      var reach = 0
      while true {
        if token < tokens.count {
          switch tokens[token] {
          case .anyRun:
            run = token
            reach = position
            token += 1
            continue
          case .anyScalar where position < bytes.count:
            position = Self.next(position, bytes)
            token += 1
            continue
          case .byte(let byte) where position < bytes.count && bytes[position] == byte:
            position += 1
            token += 1
            continue
          default: break
          }
        } else if position == bytes.count {
          return true
        }
        guard run >= 0, reach < bytes.count else { return false }
        reach = Self.next(reach, bytes)
        position = reach
        token = run + 1
      }
    }
  }

  /// The place after the scalar at this place.
  private static func next(_ position: Int, _ bytes: UnsafeRawBufferPointer) -> Int {
    var position = position + 1
    while position < bytes.count, bytes[position] & 0xC0 == 0x80 { position += 1 }
    return position
  }
}
