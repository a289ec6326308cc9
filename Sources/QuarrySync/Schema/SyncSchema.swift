package import QuarryBackend

/// A column as sync sees it.
package struct SyncColumn: Sendable {
  /// A reference to another model.
  package struct Reference: Sendable, Hashable {
    package var model: SyncName
    package var rule: SyncDeleteRule

    package init(_ model: SyncName, _ rule: SyncDeleteRule) {
      self.model = model
      self.rule = rule
    }
  }

  /// Values of a column that an older version of the program has under another name: SYNC-33.
  package struct Derivation: Sendable {
    package var source: SyncName
    package var convert: @Sendable (Value) -> Value

    package init(from source: SyncName, _ convert: @escaping @Sendable (Value) -> Value) {
      self.source = source
      self.convert = convert
    }
  }

  package var name: SyncName
  package var rule: MergeRule
  package var defaultValue: Value
  package var isOptional: Bool
  package var reference: Reference?
  package var derivation: Derivation?

  package init(
    _ name: SyncName, _ rule: MergeRule = .latest, default defaultValue: Value = .null, isOptional: Bool = true,
    reference: Reference? = nil, derivation: Derivation? = nil
  ) {
    self.name = name
    self.rule = rule
    self.defaultValue = defaultValue
    self.isOptional = isOptional
    self.reference = reference
    self.derivation = derivation
  }
}

/// A synced model.
package struct SyncModel: Sendable {
  package var name: SyncName
  /// Models that are referred to have lower ranks.
  package var rank: Int
  package var columns: [SyncColumn]
  /// The columns of each unique index.
  package var uniques: [[SyncName]]
  /// Columns that are stamped together.
  package var groups: [[SyncName]]
  private let places: [SyncName: Int]
  /// For each unique index, the column that shows nil when an object loses it; nil where the whole object is held.
  let blanks: [SyncName?]
  /// The columns of all unique indexes.
  let claims: [SyncName]
  let references: [(column: SyncName, reference: SyncColumn.Reference)]

  package init(
    _ name: SyncName, rank: Int, _ columns: [SyncColumn], uniques: [[SyncName]] = [], groups: [[SyncName]] = []
  ) {
    let places = Dictionary(columns.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    self.name = name
    self.rank = rank
    self.columns = columns
    self.uniques = uniques
    self.groups = groups
    self.places = places
    blanks = uniques.map { index in index.last { places[$0].map { columns[$0].isOptional } ?? false } }
    claims = Set(uniques.joined()).sorted()
    references = columns.compactMap { column in column.reference.map { (column.name, $0) } }
  }

  package func column(_ name: SyncName) -> SyncColumn? { places[name].map { columns[$0] } }

  /// Whether all columns are joined by the later stamp, each by itself.
  var isPlain: Bool { groups.isEmpty && columns.allSatisfy { $0.rule == .latest } }

  /// Whether an object of this model can be held by a unique index.
  var canBeHeld: Bool { blanks.contains { $0 == nil } }
}

/// The synced models of a program, by their names.
package struct SyncSchema: Sendable {
  package let models: [SyncName: SyncModel]
  /// For each model, the columns that refer to it, in the order of the models that the program gave.
  let referrers: [SyncName: [(model: SyncName, column: SyncName)]]

  /// Models that can be synced.
  ///
  /// - Throws: `schemaMismatch` for two models or columns of one name, an index or a group of a column that is not there
  ///   or is not a plain one, a reference that is not to a model of the schema, and the reserved name `!`.
  package init(_ models: [SyncModel]) throws(StorageError) {
    var byName: [SyncName: SyncModel] = [:]
    var referrers: [SyncName: [(model: SyncName, column: SyncName)]] = [:]
    for model in models {
      guard byName.updateValue(model, forKey: model.name) == nil else {
        throw StorageError(.schemaMismatch, "two models have this sync name", model: model.name.text)
      }
    }
    for model in models {
      try Self.check(model, byName)
      for (column, reference) in model.references {
        referrers[reference.model, default: []].append((model.name, column))
      }
    }
    self.models = byName
    self.referrers = referrers
  }

  private static func check(_ model: SyncModel, _ models: [SyncName: SyncModel]) throws(StorageError) {
    func refuse(_ message: String, _ column: SyncName) -> StorageError {
      StorageError(.schemaMismatch, message, model: model.name.text, property: column.text)
    }
    var names: Set<SyncName> = [.claim]
    for column in model.columns {
      guard names.insert(column.name).inserted else {
        throw refuse("the sync name is taken by another property, or reserved", column.name)
      }
      guard let reference = column.reference else { continue }
      guard models[reference.model] != nil else {
        throw refuse("the reference leads to a model that is not synced", column.name)
      }
      guard column.rule == .latest else { throw refuse("a reference has no merge rule", column.name) }
    }
    for column in model.claims where model.column(column)?.rule != .latest {
      throw refuse("a unique index needs plain columns", column)
    }
    for column in model.groups.joined() where model.column(column)?.rule != .latest {
      throw refuse("a group needs plain columns", column)
    }
  }

  /// How a known column is joined.
  func rule(_ model: SyncName, _ column: SyncName) -> MergeRule? { models[model]?.column(column)?.rule }
}
