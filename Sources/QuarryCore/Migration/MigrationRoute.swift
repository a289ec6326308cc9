import QuarryBackend

/// The versions of a plan in their order, each with the stage that leads to the next.
struct MigrationRoute {
  struct Stop {
    var version: Int
    var definitions: [AnyModelDefinition]
    var program: [ProgramModel]
    /// The stage from this version to the next; nil for the last.
    var stage: MigrationStage?
  }

  let stops: [Stop]

  /// - Throws: `invalidValue`, naming the versions, for a plan without schemas, with a version twice or below 1, with two
  ///   stages from one version, with a stage that goes back or nowhere, and with versions that no stage leads to or from.
  init(_ plan: any MigrationPlan.Type) throws(StorageError) {
    func wrong(_ what: String) -> StorageError { StorageError(.invalidValue, "the migration plan \(plan) \(what)") }
    let schemas = plan.schemas.sorted { $0.version < $1.version }
    guard let first = schemas.first else { throw wrong("has no schemas") }
    guard first.version >= 1 else { throw wrong("has the version \(first.version), but versions are 1 or more") }
    for (one, next) in zip(schemas, schemas.dropFirst()) where one.version == next.version {
      throw wrong("has two schemas of the version \(one.version): \(one) and \(next)")
    }
    let places = Dictionary(uniqueKeysWithValues: schemas.enumerated().map { ($0.element.version, $0.offset) })
    var stages: [Int: MigrationStage] = [:]
    for stage in plan.stages {
      let (from, to) = (stage.from.version, stage.to.version)
      guard let place = places[from], let end = places[to] else {
        throw wrong(
          "has a stage from \(from) to \(to), but no schema of the version \(places[from] == nil ? from : to)")
      }
      guard end > place else {
        throw wrong("has a stage from \(from) to \(to), which does not lead to a later version")
      }
      guard end == place + 1 else {
        throw wrong("has a stage from \(from) to \(to), which skips the version \(schemas[place + 1].version)")
      }
      guard stages.updateValue(stage, forKey: from) == nil else {
        throw wrong("has two stages from the version \(from)")
      }
    }
    for (one, next) in zip(schemas, schemas.dropFirst()) where stages[one.version] == nil {
      throw wrong("has no stage from the version \(one.version) to \(next.version)")
    }
    var stops: [Stop] = []
    for schema in schemas {
      let definitions = schema.models.map { $0.anyDefinition }.withRelated
      stops.append(
        Stop(
          version: schema.version, definitions: definitions, program: try ProgramModel.models(of: definitions),
          stage: stages[schema.version]))
    }
    self.stops = stops
  }

  var last: Stop { stops[stops.count - 1] }

  /// The place of the version that a store has.
  ///
  /// - Throws: `schemaTooNew`. `schemaMismatch` for a version that the plan does not know, and for a store without a version
  ///   whose models match no version.
  func place(of stored: Schema) throws(StorageError) -> Int {
    guard let version = stored.programVersion else { return try likeness(of: stored) }
    guard version <= last.version else { throw .newerModels(version, program: last.version) }
    guard let place = stops.firstIndex(where: { $0.version == version }) else {
      let versions = stops.map { String($0.version) }.joined(separator: ", ")
      throw StorageError(
        .schemaMismatch, "the store has version \(version) of the models, and the plan has the versions \(versions)")
    }
    return place
  }

  /// The version whose models are stored: with the most of them, and of several the first.
  private func likeness(of stored: Schema) throws(StorageError) -> Int {
    var best: (place: Int, models: Int)?
    var nearest: (version: Int, comparison: SchemaComparison)?
    for (place, stop) in stops.enumerated() {
      let code = stop.program.map(\.schema)
      let comparison = SchemaComparison(stored: stored, code: code)
      if comparison.changesOnlyIndexes {
        if best.map({ $0.models < code.count }) ?? true { best = (place, code.count) }
      } else if nearest.map({ $0.comparison.losses.count > comparison.losses.count }) ?? true {
        nearest = (stop.version, comparison)
      }
    }
    if let best { return best.place }
    var reason = ""
    if let nearest {
      let differences = nearest.comparison.losses.map(\.text) + nearest.comparison.changes.map { $0.describe(stored) }
      reason = "; from the nearest, \(nearest.version), it differs: \(differences.joined(separator: "; "))"
    }
    throw StorageError(
      .schemaMismatch, "the store has no version, and its models match no version of the plan\(reason)")
  }
}

extension StorageError {
  static func newerModels(_ version: Int, program: Int) -> StorageError {
    StorageError(.schemaTooNew, "the store has version \(version) of the models, and the program has \(program)")
  }
}
