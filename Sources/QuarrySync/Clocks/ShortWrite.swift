import QuarryBackend
import QuarryCore

/// A local write that needs no merge: each of its objects has one birth, with the values in its row, or is new.
///
/// It reads the clocks of its objects and nothing else, and writes new ones with the entry. The result is that of
/// ``SyncReplica/record(_:)``: what the constraints of the store let through shows as it was written where nothing is held.
final class ShortWrite {
  let schema: StoredSchema
  let state: StoredState
  let head: StoredHead
  let environment: SyncEnvironment
  let transaction: any BackendWriteTransaction
  /// Whether the clocks of many objects are asked for at once, because each question takes a trip to a server.
  private let asksAtOnce: Bool

  init(
    _ schema: StoredSchema, _ state: StoredState, _ head: StoredHead, _ environment: SyncEnvironment,
    _ transaction: any BackendWriteTransaction, asksAtOnce: Bool
  ) {
    self.asksAtOnce = asksAtOnce
    self.schema = schema
    self.state = state
    self.head = head
    self.environment = environment
    self.transaction = transaction
  }

  /// The changes of one model.
  private struct Part {
    var table: RowTable
    var model: SyncModel
    var layout: Int
    var changes: [ChangeSet.Change]
  }

  /// Writes the changes as one entry.
  ///
  /// - Returns: Whether it did. Otherwise nothing is written, and they need a merge.
  func run(_ changes: ChangeSet) throws(StorageError) -> Bool {
    guard state.numbers.number(of: state.names[0]) != nil, let parts = parts(changes) else { return false }
    var clock = HybridClock()
    clock.raise(to: head.clock)
    let stamp = Stamp(clock.tick(environment.scale, at: environment.now()), state.names[0])
    var entry = ShortEntry(stamp, after: head.mark)
    var rows: [SyncArea.Row] = []
    for part in parts {
      guard try write(part, stamp, &entry, &rows) else { return false }
    }
    guard entry.count > 0 else { return true }
    if state.hasParts { rows += try TouchedObjects.rows(touches(parts, stamp), schema.area, in: transaction) }
    let (mark, bytes) = try entry.finish(environment.random())
    rows.append((AreaKey.log(stamp), bytes))
    rows.append((AreaKey.head, StoredHead(clock: clock.last, mark: mark, entries: head.entries + 1).encoded()))
    try schema.area.put(rows, in: transaction)
    return true
  }

  /// Of a hub with parts: the objects of the changes.
  private func touches(_ parts: [Part], _ stamp: Stamp) throws(StorageError) -> [TouchedObjects.Touch] {
    var result: [TouchedObjects.Touch] = []
    for part in parts {
      for change in part.changes {
        guard let row = change.new ?? change.old else { continue }
        let object = try part.table.read(row).0
        result.append(TouchedObjects.Touch(object: object, author: stamp.replica))
      }
    }
    return result
  }

  /// The changes by models, in the order of their names; nil where a model's columns have other rules than the later stamp, or the hub
  /// resolves it.
  private func parts(_ changes: ChangeSet) -> [Part]? {
    var parts: [Part] = []
    for (id, changed) in changes.models {
      guard let name = schema.byID[id] else { continue }
      guard let table = schema.tables[name], let model = schema.sync.models[name], table.links == nil, model.isPlain,
        !state.rules.resolved.contains(name),
        let layout = state.numbers.layout(of: name), case .objects(let changes) = changed
      else { return nil }
      // What an object of a part does not need any more is noted.
      if state.place != nil, model.references.contains(where: { $0.reference.rule != .nullify }) { return nil }
      parts.append(Part(table: table, model: model, layout: layout, changes: changes))
    }
    return parts.count > 1 ? parts.sorted { $0.table.name < $1.table.name } : parts
  }

  private func write(
    _ part: Part, _ stamp: Stamp, _ entry: inout ShortEntry, _ rows: inout [SyncArea.Row]
  ) throws(StorageError) -> Bool {
    guard let number = state.numbers.number(of: part.table.name) else { return false }
    entry.begin(part.table)
    let known = asksAtOnce && part.changes.count > 1 ? try clocks(part, number) : nil
    var last: Value?
    for change in part.changes {
      guard let key = try Self.key(change, part) else { return false }
      // An entry has its objects in the order of their keys.
      if let last, !last.precedes(key) { return false }
      last = key
      let keyBytes = try NestedCoding.encode(key)
      guard let place = AreaKey.clock(number, keyBytes),
        let result = try write(change, key, keyBytes, at: place, known, of: part, stamp, &entry)
      else { return false }
      if !result.isEmpty { rows.append((place, result)) }
    }
    return true
  }

  /// The primary key of the object of a change.
  private static func key(_ change: ChangeSet.Change, _ part: Part) throws(StorageError) -> Value? {
    let layout = part.table.layout
    return try (change.new ?? change.old)?.bytes.withBytes { bytes throws(StorageError) in
      try RowView(bytes, layout).value(layout.slots[part.table.schema.primaryKey], layout)
    }
  }

  /// The clocks of a part's objects by their keys.
  private func clocks(_ part: Part, _ number: Int) throws(StorageError) -> [[UInt8]: [UInt8]] {
    var places: [[UInt8]] = []
    for change in part.changes {
      guard let key = try Self.key(change, part),
        let place = AreaKey.clock(number, try NestedCoding.encode(key))
      else { continue }
      places.append(place)
    }
    var clocks: [[UInt8]: [UInt8]] = [:]
    for (place, bytes) in zip(places, try schema.area.values(places, in: transaction)) { clocks[place] = bytes }
    return clocks
  }

  /// Adds a change to the entry.
  ///
  /// - Parameter clocks: The clocks of all objects of the part; nil to ask for the one of this object.
  /// - Returns: The new record of the object; none where it is as it was, nil where a merge is needed.
  private func write(
    _ change: ChangeSet.Change, _ key: Value, _ keyBytes: [UInt8], at place: [UInt8], _ clocks: [[UInt8]: [UInt8]]?,
    of part: Part, _ stamp: Stamp, _ entry: inout ShortEntry
  ) throws(StorageError) -> [UInt8]? {
    let known: PlainClock??
    if let clocks {
      known = try clocks[place]?.withBytes { bytes throws(StorageError) in try state.numbers.plain(bytes) }
    } else {
      known = try schema.area.withValue(place, in: transaction) { bytes throws(StorageError) in
        try state.numbers.plain(bytes)
      }
    }
    switch (change.kind, change.old, change.new) {
    case (.insertion, nil, let new?):
      // What is held may wait for the new object, or claim its values.
      guard known == nil, state.irregulars == 0 else { return nil }
      try entry.insert(keyBytes, new, part.table)
      return PlainClock(layout: part.layout, birth: stamp, columns: part.table.columns.count)
        .encoded(state.numbers.number(of:))
    case (.update, let old?, let new?):
      guard var plain = known ?? nil, plain.layout == part.layout else { return nil }
      let changed = try part.table.changedColumns(old, new)
      if state.irregulars > 0 {
        let deciding = part.model.claims + part.model.references.map(\.column)
        guard !changed.contains(where: { deciding.contains(part.table.columns[$0].name) }) else { return nil }
      }
      guard !changed.isEmpty else { return [] }
      try entry.update(keyBytes, plain.birth, changed, new, part.table)
      for column in changed { plain.stamps[column] = stamp }
      return plain.encoded(state.numbers.number(of:))
    case (.deletion, _?, nil):
      guard let plain = known ?? nil, plain.layout == part.layout, state.irregulars == 0 else { return nil }
      entry.delete(keyBytes, plain, part.table)
      return state.numbers.grave(ObjectID(part.table.name, key), plain, stamp)
    default: return nil
    }
  }
}
