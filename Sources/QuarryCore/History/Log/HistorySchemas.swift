import QuarryBackend

/// The schemas that the rows in a log are of, and the way from each to the schema that is read under.
///
/// Slots and numbers of models are never reused, so that a row of an older schema is read as rows of that age are read anywhere.
/// A copy numbers models and slots anew: there the way goes by names.
final class HistorySchemas: Sendable {
  static let codec = SchemaCodec(escapesSlashes: false) { format in
    "the log has a schema of format \(format), this version knows up to \(Schema.currentFormat)"
  }

  private struct Entry {
    var number: Int64
    var byNames: Bool
    var schema: Schema
  }

  private let entries: [Entry]
  /// The schema that is read under.
  let current: Schema

  /// - Throws: `corrupt`, `schemaTooNew`.
  init(_ models: HistoryModels, _ transaction: any BackendReadTransaction) throws(StorageError) {
    var entries: [Entry] = []
    try models.schemas.forEach(in: transaction) { values throws(StorageError) in
      let schema = try Self.codec.decode(values.data(2))
      entries.append(Entry(number: try values.integer(0), byNames: try values.bool(1), schema: schema))
      return true
    }
    self.entries = entries
    current = transaction.schema
  }

  /// The number of the last schema.
  var last: Int64 { entries.last?.number ?? 0 }

  /// The last schema that was noted.
  var lastSchema: Schema? { entries.last?.schema }

  func isKnown(_ number: Int64) -> Bool { entries.contains { $0.number == number } }

  /// The model that a row of the log belongs to now.
  enum Route {
    /// The rows are read as they are.
    case same(ModelSchema)
    /// The rows are read as those of the first model, and have other slots in the second.
    case renumbered(from: ModelSchema, slots: [Int: Int], to: ModelSchema)
    /// There is no such model any more, or it was made anew; with the last name.
    case gone(String)
  }

  /// The way of a model's rows from a schema of the log to the current one.
  func route(of id: ModelID, from number: Int64) -> Route {
    guard let start = entries.firstIndex(where: { $0.number == number }),
      var model = entries[start].schema.model(id: id)
    else { return .gone("") }
    var origin: (model: ModelSchema, slots: [Int: Int])?
    for entry in entries[(start + 1)...] + [Entry(number: 0, byNames: false, schema: current)] {
      if entry.byNames {
        guard let target = entry.schema.model(named: model.name), let slots = Self.slots(of: model, in: target) else {
          return .gone(model.name)
        }
        origin = origin.map { ($0.model, $0.slots.compactMapValues { slots[$0] }) } ?? (model, slots)
        model = target
      } else {
        guard let target = entry.schema.model(id: model.id) else { return .gone(model.name) }
        model = target
      }
    }
    guard let origin else { return .same(model) }
    return .renumbered(from: origin.model, slots: origin.slots, to: model)
  }

  /// The slots of a model in its copy; nil where the copy is another model.
  private static func slots(of model: ModelSchema, in copy: ModelSchema) -> [Int: Int]? {
    var slots: [Int: Int] = [:]
    for slot in model.liveSlots {
      let property = model.properties[slot]
      guard let place = copy.slot(named: property.name), copy.properties[place].type == property.type,
        copy.properties[place].elementType == property.elementType
      else { return nil }
      slots[slot] = place
    }
    return slots[model.primaryKey] == copy.primaryKey ? slots : nil
  }
}

extension HistorySchemas.Route {
  /// The model as it is now; nil where there is none any more.
  var model: ModelSchema? {
    switch self {
    case .same(let model), .renumbered(_, _, let model): model
    case .gone: nil
    }
  }

  /// The name that the model has now, or had last.
  var name: String {
    switch self {
    case .same(let model), .renumbered(_, _, let model): model.name
    case .gone(let name): name
    }
  }

  /// The changes with rows of the current model; nil where they cannot be known.
  func translated(_ changes: [ChangeSet.Change]) throws(StorageError) -> [ChangeSet.Change]? {
    switch self {
    case .same: return changes
    case .gone: return nil
    case .renumbered(let old, let slots, let new):
      let translation = RowRenumbering(old, slots, new)
      var result = changes
      for index in result.indices {
        result[index].old = try translation.row(result[index].old)
        result[index].new = try translation.row(result[index].new)
      }
      return result
    }
  }
}

/// Writes rows of a model as rows of a copy of the model, whose slots have other numbers.
private struct RowRenumbering {
  private let old: ModelSchema
  private let new: ModelSchema
  private let layout: RowLayout
  /// The old slots by the new ones.
  private let sources: [Int: Int]
  private let rows: RecordRows

  init(_ old: ModelSchema, _ slots: [Int: Int], _ new: ModelSchema) {
    self.old = old
    self.new = new
    layout = RowLayout(old)
    sources = Dictionary(slots.map { ($0.value, $0.key) }) { first, _ in first }
    rows = RecordRows(new)
  }

  func row(_ row: Row?) throws(StorageError) -> Row? {
    guard let row else { return nil }
    return try row.bytes.withBytes { (bytes) throws(StorageError) in
      let view = try RowView(bytes, layout)
      rows.writer.begin()
      for slot in new.liveSlots {
        if let source = sources[slot] {
          try rows.set(slot, try view.value(layout.slots[source], layout))
        } else {
          try rows.setDefault(slot)
        }
      }
      return Row(copying: try rows.writer.finish())
    }
  }
}
