/// How far a backend was proven. A level includes those below it.
public enum ConformanceLevel: Int, Sendable, Hashable, CaseIterable, Comparable, Codable, CustomStringConvertible {
  /// Objects, upserts, statements, values, limits, capabilities, errors, opening.
  case core
  /// Predicates, text, nested values, order, pages, aggregates, indexes.
  case query
  /// Transactions, isolation, snapshots, concurrency, schema changes, random commands against the model.
  case transactional
  /// What outlives the closing of a store or the end of a process.
  case durable
  /// Losses of power at any moment, and operations on files that fail.
  case hardened

  /// `L0` to `L4`.
  public var description: String { "L\(rawValue)" }

  /// The level that is written so, in capitals or not; nil for any other text.
  public init?(_ text: String) {
    guard let level = Self.allCases.first(where: { $0.description == text.uppercased() }) else { return nil }
    self = level
  }

  public static func < (left: ConformanceLevel, right: ConformanceLevel) -> Bool { left.rawValue < right.rawValue }
}
