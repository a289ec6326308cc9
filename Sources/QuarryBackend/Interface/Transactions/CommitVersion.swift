/// The place of a committed state in the order of commits of one store.
///
/// A commit makes it greater, by one or more.
public struct CommitVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The number, greater for a later state.
  public let rawValue: UInt64

  /// A place by its number.
  ///
  /// - Parameter rawValue: The number, greater for a later state.
  public init(_ rawValue: UInt64) {
    self.rawValue = rawValue
  }

  public static func < (left: CommitVersion, right: CommitVersion) -> Bool { left.rawValue < right.rawValue }
  public var description: String { String(rawValue) }
}
