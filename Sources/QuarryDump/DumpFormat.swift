import QuarryBackend

/// The form of dumps: `docs/formats/dump.md`.
enum DumpFormat {
  /// The greatest version that is read.
  static let version = 6
  /// The version that is written of a store with these models: the least that has all that is in it. References came with 2,
  /// generated keys, text searches and the models of the history with 3, compound keys with 4, searches in a language with 5,
  /// names by which models and properties travel with 6.
  static func version(for models: [ModelSchema]) -> Int {
    let properties = models.lazy.flatMap { model in model.liveSlots.map { model.properties[$0] } }
    if models.contains(where: { $0.syncName != nil }) || properties.contains(where: { $0.syncName != nil }) { return 6 }
    if models.contains(where: \.hasSearchLanguages) { return 5 }
    if models.contains(where: \.hasCompoundKeys) { return 4 }
    if models.contains(where: { $0.keyGeneration != nil || $0.isOfHistory }) { return 3 }
    if properties.contains(where: { $0.search != nil }) { return 3 }
    return properties.contains { $0.reference != nil } ? 2 : 1
  }
  /// Rows between two lines of check.
  static let checkInterval = 1_000
  /// The maximum nesting of arrays and objects in a line: a nested value may have twice its depth, for the types that carry the
  /// types of its parts.
  static let depthLimit = 300
}
