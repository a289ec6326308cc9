public import Foundation
import Synchronization

extension UUID {
  /// A new UUID of version 7 (RFC 9562), which begins with the time and is greater than every earlier one of this process.
  ///
  /// ```swift
  /// @Model struct Book {
  ///   var id: UUID = .generated()
  ///   var title: String
  /// }
  /// try store.insert(Book(title: "Emma"))
  /// ```
  ///
  /// Objects with such keys are stored in the order of their creation, so that inserts write at the end of the tree. The first 48
  /// bits have the time in milliseconds since 1970. The other 74 bits are random at the first UUID of a millisecond, and grow by a
  /// random number within it. A clock that is set back does not make later UUIDs smaller. Any thread may call it.
  public static func generated() -> UUID { UUIDGenerator.shared.next() }
}

/// Creates UUIDs of version 7.
final class UUIDGenerator: Sendable {
  static let shared = UUIDGenerator()

  private struct State {
    /// The time of the newest UUID, in milliseconds since 1970.
    var time: UInt64 = 0
    /// The 74 bits after the time: 12 and 62.
    var high: UInt64 = 0
    var low: UInt64 = 0
    var random = RandomPool()
  }

  private let state = Mutex(State())
  private let clock: @Sendable () -> UInt64

  private static let highMask: UInt64 = (1 << 12) - 1
  private static let lowMask: UInt64 = (1 << 62) - 1
  private static let timeMask: UInt64 = (1 << 48) - 1

  /// - Parameter clock: The time in milliseconds since 1970.
  init(clock: @escaping @Sendable () -> UInt64 = UUIDGenerator.now) {
    self.clock = clock
  }

  static let now: @Sendable () -> UInt64 = {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(max(0, time.tv_sec)) &* 1000 &+ UInt64(max(0, time.tv_nsec)) / 1_000_000
  }

  func next() -> UUID {
    let (time, high, low) = state.withLock { state -> (UInt64, UInt64, UInt64) in
      // Read under the lock, so that a thread that waited does not bring an older time.
      let now = clock() & Self.timeMask
      if now > state.time {
        state.time = now
        // The first bit is clear, so that at least half of the numbers are left for the millisecond.
        state.high = UInt64(state.random.next()) & (Self.highMask >> 1)
        state.low = (UInt64(state.random.next()) << 32 | UInt64(state.random.next())) & Self.lowMask
      } else {
        // Between 1 and 2^32, so that the next one is not to be guessed from this one.
        state.low += UInt64(state.random.next()) + 1
        if state.low > Self.lowMask {
          state.low &= Self.lowMask
          state.high += 1
        }
        if state.high > Self.highMask {
          state.high = 0
          state.time = (state.time + 1) & Self.timeMask
        }
      }
      return (state.time, state.high, state.low)
    }
    let first = time << 16 | 0x7000 | high
    let second = 1 << 63 | low
    return withUnsafeBytes(of: (first.bigEndian, second.bigEndian)) { bytes in
      UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }
  }
}

/// Random numbers of the operating system, fetched many at once, because a system call for each would cost more than all else.
struct RandomPool {
  private static let size = 1024
  private var numbers = [UInt32](repeating: 0, count: Self.size)
  private var used = Self.size

  mutating func next() -> UInt32 {
    if used == Self.size { fill() }
    used += 1
    // A number is given once: what was given does not stay in memory.
    defer { numbers[used - 1] = 0 }
    return numbers[used - 1]
  }

  private mutating func fill() {
    used = 0
    #if canImport(Darwin)
      numbers.withUnsafeMutableBytes { arc4random_buf($0.baseAddress, $0.count) }
    #else
      let file = open("/dev/urandom", O_RDONLY | O_CLOEXEC)
      defer { if file >= 0 { close(file) } }
      let count = numbers.withUnsafeMutableBytes { file >= 0 ? read(file, $0.baseAddress, $0.count) : -1 }
      if count == Self.size * MemoryLayout<UInt32>.size { return }
      // Without that file, one call for each number.
      var generator = SystemRandomNumberGenerator()
      for index in numbers.indices { numbers[index] = generator.next() }
    #endif
  }
}
