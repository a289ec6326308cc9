public import Foundation
public import QuarryBackend

/// The changes of one write, as the history of a store has them. See ``Store/history``.
///
/// Writes that share a commit are change sets of their own. Effects of delete rules belong to the change set of the write.
public struct HistorySet: Sendable {
  /// The place in the history.
  public let position: HistoryPosition
  /// The time of the write, later than the time of every change set before it.
  public let date: Date
  /// The name that the write gave as its author: ``Store/write(author:retry:timeout:alone:_:)-swift.method``.
  public let author: String?
  /// Whether anything may have changed, the models too: the store was migrated or repaired, or another program began the history.
  public var isUnknown: Bool { changes.isUnknown }

  /// The hybrid time, and the number of the schema.
  let time: Int64
  let schema: Int64
  let changes: ChangeSet
  let schemas: HistorySchemas
  let context: StoreContext

  /// The names of the models whose objects changed, in the order of their bytes. A model that is gone has its last name.
  public var models: [String] {
    changes.models.keys.map { route(of: $0).name }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Whether objects of the model may have changed, and it is not known which.
  ///
  /// This is so after a migration that created the model again, and for a call or savepoint that writes more than 64 MiB of
  /// its rows.
  ///
  /// - Parameter type: The model.
  public func isUnknown<M: Model>(_ type: M.Type) -> Bool { isUnknown(M.modelDefinition.name) }

  /// Whether objects of the model with this name may have changed, and it is not known which.
  ///
  /// - Parameter model: The name that the model has now; a model that is gone has its last name.
  public func isUnknown(_ model: String) -> Bool {
    if isUnknown { return true }
    return changes.models.contains { id, changes in
      let route = route(of: id)
      return route.name.utf8.elementsEqual(model.utf8) && (changes == .unknown || route.model == nil)
    }
  }

  /// The changed objects of a model, in the order of their keys, each once.
  ///
  /// - Parameter type: The model.
  /// - Throws: `notFound` where the changes of the model are not known (``isUnknown(_:)-(M.Type)``); `schemaMismatch` for a model
  ///   that the store was not opened for; `corrupt`.
  /// - Complexity: O(n) in the number of its changes.
  public func changes<M: Model>(of type: M.Type) throws -> [HistoryChange<M>] {
    let binding = try context.binding(M.self)
    let reader = RowDifferences(binding.schema)
    func object(_ row: Row?) throws(StorageError) -> M? {
      guard let row else { return nil }
      return try row.bytes.withBytes { (bytes) throws(StorageError) in try ModelReader(bytes, binding).object(M.self) }
    }
    var result: [HistoryChange<M>] = []
    for change in try rows(of: binding.name) {
      result.append(
        HistoryChange(
          kind: change.kind, old: try object(change.old), new: try object(change.new),
          properties: try reader.names(change)))
    }
    return result
  }

  /// The changed objects of a model as records, in the order of their keys, each once.
  ///
  /// - Throws: As ``changes(of:)``.
  public func changes(in model: String) throws -> [HistoryRecord] {
    guard let schema = schemas.current.model(named: model) else {
      throw StorageError.noModel(model, among: schemas.current.programModels.map(\.name))
    }
    let layout = RowLayout(schema)
    let reader = RowDifferences(schema)
    let names = RecordNames(schema.liveSlots.map { ByteString(schema.properties[$0].name) })
    func record(_ row: Row?) throws(StorageError) -> Record? {
      guard let row else { return nil }
      return try row.bytes.withBytes { (bytes) throws(StorageError) in
        Record(names: names, values: try ReadTransaction.values(bytes, schema.liveSlots, layout, schema))
      }
    }
    var result: [HistoryRecord] = []
    for change in try rows(of: model) {
      let key = CompoundKeyBytes.shown(
        try change.key.value(of: schema.keyProperty.type), schema.keyProperty.keyMembers)
      result.append(
        HistoryRecord(
          key: key, kind: change.kind, old: try record(change.old), new: try record(change.new),
          properties: try reader.names(change)))
    }
    return result
  }

  // MARK: Parts

  func route(of model: ModelID) -> HistorySchemas.Route { schemas.route(of: model, from: schema) }

  /// The changes of a model by its name now.
  private func rows(of model: String) throws(StorageError) -> [ChangeSet.Change] {
    if isUnknown(model) { throw unknown(model) }
    for (id, changes) in changes.models {
      let route = route(of: id)
      guard route.name.utf8.elementsEqual(model.utf8), case .objects(let objects) = changes else { continue }
      guard let translated = try route.translated(objects) else { throw unknown(model) }
      return translated
    }
    return []
  }

  func unknown(_ model: String?) -> StorageError {
    StorageError(.notFound, "the changes at position \(position) of the history are not known", model: model)
  }
}

/// The change of one object in a ``HistorySet``.
public struct HistoryChange<Object: Sendable>: Sendable {
  /// The kind of change to the object.
  public let kind: ChangeSet.Change.Kind
  /// The object before; nil where it was inserted.
  public let old: Object?
  /// The object after; nil where it was deleted.
  public let new: Object?
  /// The names of the properties that differ, in their order; none of an object that was inserted or deleted.
  public let properties: [String]
}

/// The change of one object in a ``HistorySet``, by names.
public struct HistoryRecord: Sendable {
  /// The primary key.
  public let key: Value
  /// The kind of change to the object.
  public let kind: ChangeSet.Change.Kind
  /// The object before; nil where it was inserted.
  public let old: Record?
  /// The object after; nil where it was deleted.
  public let new: Record?
  /// The names of the properties that differ, in their order; none of an object that was inserted or deleted.
  public let properties: [String]
}

/// Compares rows of one model.
struct RowDifferences {
  let model: ModelSchema
  let layout: RowLayout

  init(_ model: ModelSchema) {
    self.model = model
    layout = RowLayout(model)
  }

  /// The live slots in which the rows differ, bit by bit.
  func slots(_ old: Row, _ new: Row) throws(StorageError) -> [Int] {
    let slots = try old.bytes.withBytes { (old) throws(StorageError) in
      try new.bytes.withBytes { (new) throws(StorageError) in
        try RowView(old, layout).differences(from: RowView(new, layout), layout)
      }
    }
    return slots.filter { !model.properties[$0].isDropped }
  }

  func names(_ change: ChangeSet.Change) throws(StorageError) -> [String] {
    guard let old = change.old, let new = change.new else { return [] }
    return try slots(old, new).map { model.properties[$0].name }
  }
}
