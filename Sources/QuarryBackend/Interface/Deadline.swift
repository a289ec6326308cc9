/// The end of a wait whose length a caller gave, as seconds or a `Duration` of any value.
///
/// `Duration.seconds(_:)`, sums of instants and conversions to integers end the process for values that they cannot hold,
/// such as infinity, NaN or 1e300. Every wait of a timeout is computed here and nowhere else.
///
/// - NaN, zero and negative seconds do not wait: the deadline has passed when it is made.
/// - ``longest`` and more, infinity too, wait without an end.
public struct Deadline: Sendable, Hashable {
  /// Seconds from which on a wait has no end: more than 31 years.
  public static let longest = 1e9

  /// The end of the wait; nil for a wait without an end.
  public let instant: ContinuousClock.Instant?

  private init(_ instant: ContinuousClock.Instant?) {
    self.instant = instant
  }

  /// The end of a wait that begins now.
  ///
  /// - Parameter seconds: The length of the wait in seconds, any number. NaN, zero and less have passed at once; from ``longest``
  ///   on it has no end.
  public init(after seconds: Double) {
    // Also false for NaN.
    guard seconds > 0 else {
      self.init(.now)
      return
    }
    self.init(seconds < Self.longest ? .now + .seconds(seconds) : nil)
  }

  /// The end of a wait that begins now.
  ///
  /// - Parameter duration: The length of the wait. Zero and less have passed at once; from ``longest`` seconds on it has no end.
  public init(after duration: Duration) {
    self.init(after: Self.seconds(duration))
  }

  /// A wait without an end.
  public static let never = Deadline(nil)

  /// Whether the wait has ended.
  public var hasPassed: Bool { instant.map { $0 <= .now } ?? false }

  /// The time that is left, in seconds from 0 to ``longest``.
  public var secondsLeft: Double {
    guard let instant else { return Self.longest }
    return Self.seconds(instant - .now)
  }

  /// The time that is left, in milliseconds, rounded up; `Int32.max` where it is more.
  public var millisecondsLeft: Int32 { Self.milliseconds(secondsLeft) }

  /// Seconds of any value as milliseconds from 0 to `Int32.max`, rounded up.
  ///
  /// - Parameter seconds: Any number; NaN and less than 0 give 0.
  public static func milliseconds(_ seconds: Double) -> Int32 {
    guard seconds > 0 else { return 0 }
    return Int32(min((seconds * 1000).rounded(.up), Double(Int32.max)))
  }

  /// From 0 to ``longest``.
  private static func seconds(_ duration: Duration) -> Double {
    // `components` and `/` end the process for durations near the ends of their range.
    guard duration > .zero else { return 0 }
    guard duration < .seconds(Int64(longest)) else { return longest }
    let (whole, fraction) = duration.components
    return Double(whole) + Double(fraction) / 1e18
  }
}
