package import QuarryBackend
import QuarryCore

/// The synced models of a store in one version of its schema.
final class StoredSchema: Sendable {
  let version: UInt64
  let area: SyncArea
  let sync: SyncSchema
  let tables: [SyncName: RowTable]
  /// The models by their ids, for changes that were captured.
  let byID: [ModelID: SyncName]
  /// The models in the order of their ranks: those that others refer to come first.
  let ordered: [SyncName]
  /// What two stores must have in common to exchange changes.
  let shape: [String]
  let merges: StoredMerges

  /// - Parameters:
  ///   - names: The names by which the synced models travel; those that the store does not have are passed over.
  ///   - merges: The merge rules of their columns.
  /// - Throws: `unsupported` for a model with a part that cannot be synced; `notFound` in a store that is not synced.
  init(_ schema: Schema, _ names: [String], _ merges: StoredMerges) throws(StorageError) {
    guard let area = SyncArea(schema) else { throw StorageError.notSynced }
    self.area = area
    self.merges = merges
    version = schema.version
    let models = names.compactMap { schema.model(travelling: $0) }
    let travelNames = Dictionary(models.map { ($0.name, $0.travelName) }) { first, _ in first }
    let ranks = Self.ranks(models)
    var tables: [SyncName: RowTable] = [:]
    var byID: [ModelID: SyncName] = [:]
    var syncModels: [SyncModel] = []
    for model in models {
      let table = RowTable(model, links: LinkColumns(model, among: schema.models))
      tables[table.name] = table
      byID[model.id] = table.name
      syncModels.append(Self.model(table, rank: ranks[model.name] ?? 0, travelNames, merges))
    }
    self.tables = tables
    self.byID = byID
    sync = try SyncSchema(syncModels)
    ordered = syncModels.sorted { $0.rank != $1.rank ? $0.rank < $1.rank : $0.name < $1.name }.map(\.name)
    shape = models.map { Self.shape($0, travelNames, merges[$0.travelName]) }.sorted()
  }

  private static func model(
    _ table: RowTable, rank: Int, _ travelNames: [String: String], _ merges: StoredMerges
  ) -> SyncModel {
    let model = table.schema
    let columns = RowTable.columnSlots(model).map { slot in
      let property = model.properties[slot]
      return SyncColumn(
        SyncName(property.travelName), merges[model.travelName][property.travelName]?.rule ?? .latest,
        default: property.defaultValue ?? .null, isOptional: property.isOptional,
        reference: property.reference.map {
          .init(SyncName(travelNames[$0.model] ?? $0.model), SyncDeleteRule($0.deleteRule))
        })
    }
    // An index with the primary key cannot clash, and the sides of a link are its key.
    let uniques =
      table.links != nil
      ? []
      : model.indexes.filter { index in
        index.isUnique && !index.columns.contains { $0.slot == model.primaryKey }
      }.map { $0.columns.map { SyncName(model.properties[$0.slot].travelName) } }
    return SyncModel(
      SyncName(model.travelName), rank: rank, columns, uniques: uniques, groups: merges.groups(model.travelName))
  }

  /// For each model the length of the longest way of references from it. Ways that come back to a model end there.
  private static func ranks(_ models: [ModelSchema]) -> [String: Int] {
    let byName = Dictionary(models.map { ($0.name, $0) }) { first, _ in first }
    var ranks: [String: Int] = [:]
    func rank(_ model: ModelSchema, _ way: Set<String>) -> Int {
      if let known = ranks[model.name] { return known }
      let way = way.union([model.name])
      let below = model.targets.filter { !way.contains($0) }.compactMap { byName[$0] }.map { rank($0, way) }
      return (below.max() ?? -1) + 1
    }
    for model in models.sorted(by: { $0.name < $1.name }) { ranks[model.name] = rank(model, []) }
    return ranks
  }

  /// The synced ones of models with these names in the program.
  func models(named names: some Sequence<String>) -> Set<SyncName> {
    let names = Set(names)
    guard !names.isEmpty else { return [] }
    return Set(tables.values.lazy.filter { names.contains($0.schema.name) }.map(\.name))
  }

  private static let mergeMark = " @Merge("

  /// The shape of a model without its merge rules, to say what differs.
  static func withoutMerges(_ shape: String) -> String {
    shape.split(separator: "; ").map { part in
      part.firstRange(of: mergeMark).map { part[..<$0.lowerBound] } ?? part
    }.map { $0.prefix { $0 != "}" } }.joined(separator: "; ")
  }

  private static func shape(
    _ model: ModelSchema, _ travelNames: [String: String], _ merges: [String: StoredMerge]
  ) -> String {
    let columns = model.liveSlots.map { slot in
      let property = model.properties[slot]
      let reference = property.reference.map {
        " to \(travelNames[$0.model] ?? $0.model) by \($0.deleteRule.rawValue)"
      }
      let merge = merges[property.travelName].map { "\(mergeMark)\($0.text))" } ?? ""
      return "\(property.travelName): \(property.typeName)\(reference ?? "")\(merge)"
    }
    let uniques = model.indexes.filter(\.isUnique).map { index in
      "unique(" + index.columns.map { model.properties[$0.slot].travelName }.joined(separator: ", ") + ")"
    }
    return
      "\(model.travelName) by \(model.keyProperty.travelName) "
      + "{\((columns.sorted() + uniques.sorted()).joined(separator: "; "))}"
  }
}

extension Schema {
  /// The program's model that travels by that name, if there is one.
  func model(travelling name: String) -> ModelSchema? {
    models.first { !$0.isInternal && $0.travelName.utf8.elementsEqual(name.utf8) }
  }
}

extension SyncDeleteRule {
  fileprivate init(_ rule: PropertySchema.Reference.DeleteRule) {
    switch rule {
    case .cascade: self = .cascade
    case .nullify: self = .nullify
    case .deny: self = .deny
    }
  }
}

extension StorageError {
  /// The store is not synced.
  package static var notSynced: StorageError {
    StorageError(.notFound, "the store is not synced: call enableSync(_:) with its models")
  }
}
