import QuarryBackend

/// The form of dumps: `docs/formats/dump.md`.
enum DumpFormat {
  /// The version that is written, and the greatest that is read.
  static let version = 1
  /// Rows between two lines of check.
  static let checkInterval = 1_000
  /// Arrays and objects inside each other in a line: a nested value may have twice its depth, for the types that are told of
  /// its parts.
  static let depthLimit = 300
}
