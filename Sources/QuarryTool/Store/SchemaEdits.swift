import QuarryBackend
import QuarryCore
import QuarryData

/// Changes of stored models in the form of the command line. Every name on their left side is a name that the store has before
/// the first of them.
struct SchemaEdits: Sendable {
  var renames: [NameChange] = []
  var modelRenames: [NameChange] = []
  /// Properties and models.
  var drops: [String] = []
  var conversions: [TypeChange] = []
  var optionals: [String] = []
  /// Models whose keys become generated.
  var generatedKeys: [String] = []
  /// `Book.year,-title`.
  var indexes: [String] = []
  var uniques: [String] = []
  var droppedIndexes: [String] = []
  /// `Book.author=Author`.
  var references: [NameChange] = []
  /// The rule of the references; nil for the rule of a property without one.
  var deleteRule: PropertySchema.Reference.DeleteRule?
  var version: Int?

  var isEmpty: Bool {
    renames.isEmpty && modelRenames.isEmpty && drops.isEmpty && conversions.isEmpty && optionals.isEmpty
      && generatedKeys.isEmpty && indexes.isEmpty && uniques.isEmpty && droppedIndexes.isEmpty && references.isEmpty
      && version == nil
  }

  /// The future models of the store, without ids, and the migration that creates them from the stored models.
  ///
  /// - Throws: `invalidQuery` with the nearest name for an unknown name, and for changes that contradict each other.
  func plan(for stored: [ModelSchema]) throws(StorageError) -> (program: [ModelSchema], migration: Migration) {
    var draft = SchemaDraft(stored)
    for change in modelRenames { try draft.renameModel(change) }
    for change in renames { try draft.rename(change) }
    for path in drops { try draft.drop(path) }
    for change in conversions { try draft.convert(change) }
    for path in optionals { try draft.makeOptional(path) }
    for name in generatedKeys { try draft.generateKeys(of: name) }
    for path in droppedIndexes { try draft.dropIndex(path) }
    for path in uniques { try draft.addIndex(path, isUnique: true) }
    for path in indexes { try draft.addIndex(path, isUnique: false) }
    for change in references { try draft.refer(change, deleteRule) }
    draft.renameReferences()
    var program: [ModelSchema] = []
    for model in draft.models where !model.isDropped { program.append(try model.program()) }
    return (program, Self.migration(draft.models, version))
  }

  private static func migration(_ models: [SchemaDraft.Model], _ version: Int?) -> Migration {
    .asked(to: version) { m in
      let renamed = models.filter { $0.name != nil }.map { NameChange($0.stored.name, $0.code.name) }
      for change in NameChange.ordered(renamed) { try m.rename(change.old, to: change.new) }
      let bar = ProgressBar()
      bar.begin("migrating")
      for model in models {
        if model.isDropped {
          try m.drop(model.stored.name)
          continue
        }
        let name = model.code.name
        for slot in model.droppedSlots.sorted() { try m.drop(model.stored.properties[slot].name, in: name) }
        let changes = model.renamedSlots.sorted().map {
          NameChange(model.stored.properties[$0].name, model.code.properties[$0].name)
        }
        for change in NameChange.ordered(changes) { try m.rename(change.old, to: change.new, in: name) }
        let converted = model.convertedSlots.sorted()
        guard !converted.isEmpty else { continue }
        let count = try m.count(name)
        var rows = 0
        for slot in converted {
          let property = model.code.properties[slot]
          let isFirst = slot == converted[0]
          try m.convert(values: property.name, in: name) { value in
            if isFirst {
              rows += 1
              if rows % DataFile.progressInterval == 0 {
                bar.update(Double(rows) / Double(max(1, count)), rows: rows)
              }
            }
            return try ValueConversion.convert(value, to: property)
          }
        }
      }
    }
  }
}
