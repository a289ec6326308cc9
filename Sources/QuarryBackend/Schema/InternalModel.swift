/// The models that Quarry stores for itself.
///
/// Their names begin with `_quarry`, which no name of a user does (contract SCH-3), and each is known by its whole
/// declaration.
package enum InternalModel {
  /// The mark of a store that is not whole: what is being brought there, from where, and how far that came. It has one
  /// object, and goes with the transaction that makes the store whole.
  package static let unfinished = ModelSchema(
    name: "_quarry_unfinished",
    properties: [
      PropertySchema(name: "id", type: .int64), PropertySchema(name: "work", type: .string),
      PropertySchema(name: "source", type: .string), PropertySchema(name: "models", type: .int64),
      PropertySchema(name: "rows", type: .int64), PropertySchema(name: "sum", type: .string),
    ], primaryKey: 0)

  /// The sequences of generated keys: for each model, by its number, the greatest number that was given as a key.
  package static let sequences = ModelSchema(
    name: "_quarry_sequences",
    properties: [PropertySchema(name: "id", type: .int64), PropertySchema(name: "last", type: .uint64)], primaryKey: 0)

  /// The log of change sets: `docs/formats/history.md`.
  package static let log = ModelSchema(
    name: "_quarry_log",
    properties: [
      PropertySchema(name: "position", type: .int64), PropertySchema(name: "first", type: .int64),
      PropertySchema(name: "more", type: .bool), PropertySchema(name: "size", type: .int64),
      PropertySchema(name: "schema", type: .int64), PropertySchema(name: "hlc", type: .int64),
      PropertySchema(name: "origin", type: .int64), PropertySchema(name: "changes", type: .data),
    ], primaryKey: 0)

  /// The bounds of the log and its state, in one object.
  package static let history = ModelSchema(
    name: "_quarry_history",
    properties: [
      PropertySchema(name: "id", type: .int64), PropertySchema(name: "next", type: .int64),
      PropertySchema(name: "open", type: .int64), PropertySchema(name: "oldest", type: .int64),
      PropertySchema(name: "bytes", type: .int64), PropertySchema(name: "hlc", type: .int64),
      PropertySchema(name: "oldestHLC", type: .int64), PropertySchema(name: "schema", type: .int64),
      PropertySchema(name: "schemaVersion", type: .int64), PropertySchema(name: "keepsSeconds", type: .int64),
      PropertySchema(name: "keepsBytes", type: .int64), PropertySchema(name: "leftOut", type: .string),
    ], primaryKey: 0)

  /// The schemas that the rows in the log are of.
  package static let logSchemas = ModelSchema(
    name: "_quarry_log_schema",
    properties: [
      PropertySchema(name: "number", type: .int64), PropertySchema(name: "byNames", type: .bool),
      PropertySchema(name: "schema", type: .data),
    ], primaryKey: 0)

  /// The named readers of the log, and how far they have read.
  package static let logReaders = ModelSchema(
    name: "_quarry_log_reader",
    properties: [
      PropertySchema(name: "name", type: .string), PropertySchema(name: "position", type: .int64),
      PropertySchema(name: "hlc", type: .int64),
    ], primaryKey: 0)

  /// The models of the log.
  package static let ofHistory = [log, history, logSchemas, logReaders]

  /// What a synced store keeps beside its objects: records, the log of entries, held objects, peers.
  package static let sync = ModelSchema(
    name: "_quarry_sync",
    properties: [PropertySchema(name: "key", type: .data), PropertySchema(name: "value", type: .data)], primaryKey: 0)

  fileprivate static let all = [unfinished, sequences, sync] + ofHistory

  /// The beginning of the names of models that keep an index of words.
  private static let searchPrefix = "_quarry_search_"

  /// The index of the words in a model's searchable properties: `docs/formats/search.md`.
  ///
  /// - Parameter model: The name of the model that is searched.
  package static func search(of model: String) -> ModelSchema {
    searchModel(named: searchPrefix + shortened(model))
  }

  private static func searchModel(named name: String) -> ModelSchema {
    ModelSchema(
      name: name, properties: [PropertySchema(name: "key", type: .data), PropertySchema(name: "value", type: .data)],
      primaryKey: 0)
  }

  /// A name that fits behind the prefix. A longer one ends with a hash of the whole name.
  private static func shortened(_ name: String) -> String {
    let room = Schema.maximumNameBytes - searchPrefix.utf8.count
    guard name.utf8.count > room else { return name }
    var name = name
    let hash = name.withUTF8 { XXH64.checksum(UnsafeRawBufferPointer($0)) }
    let digits = String(hash, radix: 16)
    var start = ""
    for scalar in name.unicodeScalars {
      guard start.utf8.count + UTF8.width(scalar) + digits.utf8.count + 1 <= room else { break }
      start.unicodeScalars.append(scalar)
    }
    return "\(start)_\(digits)"
  }

  /// Whether the model keeps an index of words.
  fileprivate static func isSearch(_ model: ModelSchema) -> Bool {
    model.name.utf8.starts(with: searchPrefix.utf8) && model.name.utf8.count <= Schema.maximumNameBytes
      && !model.name.utf8.contains(0) && model.isDeclared(as: searchModel(named: model.name))
  }
}

extension Schema {
  /// Whether the store is synced. One with many writers has one write at a time then: SYNC-44.
  package var isSynced: Bool { models.contains(where: \.isOfSync) }
}

extension ModelSchema {
  /// Whether the model is one that Quarry stores for itself.
  package var isInternal: Bool {
    name.utf8.starts(with: "_quarry".utf8) && (InternalModel.all.contains { isDeclared(as: $0) } || isSearchIndex)
  }

  /// Whether the model is the mark of an unfinished store.
  package var isUnfinishedMark: Bool { isDeclared(as: InternalModel.unfinished) }

  /// Whether the model has the sequences of generated keys.
  package var isSequences: Bool { isDeclared(as: InternalModel.sequences) }

  /// Whether the model belongs to the log of change sets.
  package var isOfHistory: Bool { InternalModel.ofHistory.contains { isDeclared(as: $0) } }

  /// Whether the model keeps the records of a synced store.
  package var isOfSync: Bool { isDeclared(as: InternalModel.sync) }

  /// Whether the model keeps the index of words of another model.
  package var isSearchIndex: Bool { InternalModel.isSearch(self) }

  /// The slots of properties that are searched, in their order.
  package var searchedSlots: [Int] {
    properties.indices.filter { properties[$0].search != nil && !properties[$0].isDropped }
  }

  /// Whether a property is searched in a language.
  package var hasSearchLanguages: Bool { properties.contains { $0.search?.language != nil } }

  fileprivate func isDeclared(as own: ModelSchema) -> Bool {
    name.utf8.elementsEqual(own.name.utf8) && properties == own.properties && primaryKey == own.primaryKey
      && indexes.isEmpty && keyGeneration == nil
  }
}

extension Schema {
  /// The model that keeps the index of words of a model, if it is stored.
  package func searchIndex(of model: ModelSchema) -> ModelSchema? {
    self.model(named: InternalModel.search(of: model.name).name).flatMap { $0.isSearchIndex ? $0 : nil }
  }

  /// The models of programs.
  package var programModels: [ModelSchema] { models.filter { !$0.isInternal } }
}

extension SchemaChange {
  /// Checks a change that a program asks for: it makes no model that Quarry keeps for itself.
  ///
  /// - Throws: `schemaMismatch`.
  package func requireOfProgram() throws(StorageError) {
    guard case .createModel(let model) = self, model.isInternal else { return }
    try SchemaNames.validate(model.name, of: "model")
  }
}
