/// Whether a store keeps a log of its changes: ``OpenOptions/history``.
public enum HistoryOption: Sendable, Hashable {
  /// No log. A log that is there is removed.
  case off
  /// A log of change sets, from which old ones are removed.
  ///
  /// - Parameters:
  ///   - keeping: The age after which a change set is removed, unless a named reader still needs it.
  ///   - bytes: The size of the log above which its oldest change sets are removed, also those that a named reader still needs.
  ///   - leavingOut: The names of models whose changes are not recorded.
  case on(keeping: HistoryAge = .days(30), bytes: Int = 64 << 20, leavingOut: [String] = [])
}

/// How long a change set stays in the log of a store.
public struct HistoryAge: Sendable, Hashable {
  /// The number of seconds; nil for no limit.
  public let seconds: Int?

  private init(_ seconds: Int?) {
    self.seconds = seconds
  }

  /// No limit by age.
  public static let forever = HistoryAge(nil)

  /// An age in seconds; less than one second counts as one.
  ///
  /// - Parameter number: The number of seconds.
  public static func seconds(_ number: Int) -> HistoryAge { HistoryAge(max(1, number)) }
  /// An age in hours.
  ///
  /// - Parameter number: The number of hours; an age that no `Int` of seconds can hold counts as ``forever``.
  public static func hours(_ number: Int) -> HistoryAge { times(number, 3_600) }
  /// An age in days of 24 hours.
  ///
  /// - Parameter number: The number of days; an age that no `Int` of seconds can hold counts as ``forever``.
  public static func days(_ number: Int) -> HistoryAge { times(number, 86_400) }

  private static func times(_ number: Int, _ unit: Int) -> HistoryAge {
    let (seconds, overflows) = number.multipliedReportingOverflow(by: unit)
    return overflows && number > 0 ? .forever : .seconds(seconds)
  }
}
