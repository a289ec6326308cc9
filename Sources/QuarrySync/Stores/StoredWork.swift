import QuarryBackend
import QuarryCore

/// A change of a synced store: a part of its records as a replica, the change of that, and what is written afterwards.
///
/// The part has the objects that change and all that decides whether they are shown: what they refer to, and what claims the
/// same unique values. Where an object appears or vanishes, the objects that refer to it are added, and the change is run
/// again. The result is the same as with all records: see `docs/decisions/0029-sync-works-on-a-part.md`.
final class StoredWork {
  let schema: StoredSchema
  let transaction: any BackendReadTransaction
  let environment: SyncEnvironment
  let session: UInt64
  var state: StoredState
  /// Whether everything was loaded.
  private(set) var isWhole = false
  /// The rows that objects had before a local transaction, where it has changed them.
  private let overrides: [ObjectID: SyncRow?]
  private(set) var loaded: Set<ObjectID> = []
  private(set) var records: [ObjectID: Births] = [:]
  private(set) var tombstones: [ObjectID: Deaths] = [:]
  /// The rows of the tables before and now.
  var before: [ObjectID: SyncRow] = [:]
  private(set) var current: [ObjectID: SyncRow] = [:]
  /// Of a client with a part: the objects about which the hub has said more than their records.
  private(set) var members: [ObjectID: PartMember] = [:]
  private(set) var irregulars: [ObjectID: Irregular] = [:]
  private(set) var log: [SyncEntry] = []
  private(set) var lostEdits: [LostEdit] = []
  private(set) var refusedEntries: [RefusedEntry] = []
  private(set) var refusals: [ReplicaID: [Refusal]] = [:]
  /// The keys of records that are written under another one: an older version wrote them, or their model was not known.
  private(set) var moved: [ObjectID: [UInt8]] = [:]
  /// Of a hub: its program, as ``SyncReplica/program``.
  var program: (@Sendable (SyncEntry, (ObjectID) -> SyncRow?, (ObjectID) -> SyncRow?) -> String?)?
  /// Of a hub: the models that its program resolves.
  var resolved: Set<SyncName> = []
  /// Of a hub that takes entries: its resolvers, as ``SyncReplica/resolvers``.
  var resolvers: [SyncName: SyncResolver] = [:]
  /// The number of objects of each model that the change has removed.
  var removed: [SyncName: Int] = [:]

  init(
    _ schema: StoredSchema, _ state: StoredState, _ transaction: any BackendReadTransaction,
    _ environment: SyncEnvironment, session: UInt64, overrides: [ObjectID: SyncRow?] = [:]
  ) {
    self.schema = schema
    self.state = state
    self.transaction = transaction
    self.environment = environment
    self.session = session
    self.overrides = overrides
  }

  /// A replica with the state, and nothing of what was loaded.
  var emptyReplica: SyncReplica {
    var replica = state.replica(schema.sync, environment, session: session)
    if state.role == .hub { replica.rules.resolved = resolved }
    return replica
  }

  /// The replica of what was loaded.
  var replica: SyncReplica {
    var replica = emptyReplica
    replica.records = records
    replica.tombstones = tombstones
    replica.tables = before
    replica.log = log
    replica.lostEdits = lostEdits
    replica.refusedEntries = refusedEntries
    replica.refusals = refusals
    replica.program = program
    replica.resolvers = resolvers
    if !isWhole, !resolvers.isEmpty { replica.loaded = loaded }
    replica.note(members)
    replica.view = SyncView(records, schema.sync, blanks: replica.blanks)
    return replica
  }

  /// Changes the replica, and writes what has become of it.
  func run<R>(_ body: (inout SyncReplica) throws(StorageError) -> R) throws(StorageError) -> R {
    while true {
      let old = replica
      var new = old
      let result = try body(&new)
      let wanted = isWhole ? [] : try outside(old, new)
      guard !wanted.isEmpty else {
        try StoredWriting(work: self, old: old, new: new).write()
        return result
      }
      try load(wanted)
    }
  }

  // MARK: Loading

  /// Loads objects, and all that decides whether they are shown.
  func load(_ objects: some Sequence<ObjectID>) throws(StorageError) {
    var todo = Array(objects)
    while !todo.isEmpty {
      let new = todo.filter { loaded.insert($0).inserted }
      todo = []
      if new.isEmpty { return }
      try loadRows(new)
      try loadRecords(new)
      for object in new {
        if state.place != nil { members[object] = try member(object) }
        todo += try needs(of: object, records[object] ?? [:])
      }
    }
  }

  private func loadRows(_ objects: [ObjectID]) throws(StorageError) {
    for (model, objects) in Dictionary(grouping: objects, by: \.model) {
      guard let table = schema.tables[model] else { continue }
      for (object, row) in zip(objects, try table.find(objects, in: transaction)) {
        current[object] = row
        if let known = overrides[object] { before[object] = known } else { before[object] = row }
      }
      guard state.irregulars > 0 else { continue }
      let values = try schema.area.values(objects.map { AreaKey.irregular($0) }, in: transaction)
      for case (let object, let bytes?) in zip(objects, values) {
        irregulars[object] = try Irregular(decoding: bytes[...])
      }
    }
  }

  private func loadRecords(_ objects: [ObjectID]) throws(StorageError) {
    let keys = objects.map { state.numbers.key($0) }
    for (place, bytes) in try schema.area.values(keys, in: transaction).enumerated() {
      guard let bytes else { continue }
      let object = objects[place]
      note(try decoded(object, keys[place], bytes, row: before[object] ?? nil))
    }
  }

  /// The record of an object with this row.
  func record(of object: ObjectID, row: SyncRow?) throws(StorageError) -> ObjectChange {
    let key = state.numbers.key(object)
    guard let bytes = try schema.area.value(key, in: transaction) else { return ObjectChange(object) }
    return try decoded(object, key, bytes, row: row)
  }

  private func decoded(
    _ object: ObjectID, _ key: [UInt8], _ bytes: [UInt8], row: SyncRow?
  ) throws(StorageError) -> ObjectChange {
    guard key.first == AreaKey.Kind.clock.rawValue else { return try Self.record(bytes[...]) }
    return try bytes.withBytes { bytes throws(StorageError) in
      try state.numbers.decode(object, bytes, row: row)
    }
  }

  static func record(_ bytes: ArraySlice<UInt8>) throws(StorageError) -> ObjectChange {
    var reader = try SyncReader(bytes)
    let change = try reader.change()
    try reader.finish()
    return change
  }

  private func note(_ change: ObjectChange) {
    if !change.births.isEmpty { records[change.object] = change.births }
    if !change.deaths.isEmpty { tombstones[change.object] = change.deaths }
  }

  /// The objects that decide whether an object with these births is shown.
  private func needs(of object: ObjectID, _ births: Births) throws(StorageError) -> [ObjectID] {
    guard let model = schema.sync.models[object.model], let flat = FlatObject(model, births) else { return [] }
    var result: [ObjectID] = []
    for (column, reference) in model.references {
      if let key = flat.row[column], !key.isNull { result.append(ObjectID(reference.model, key)) }
    }
    for (index, columns) in model.uniques.enumerated() {
      let values = columns.map { flat.row[$0] ?? .null }
      guard !values.contains(where: \.isNull) else { continue }
      if columns.map({ current[object]?[$0] ?? .null }) != values, let table = schema.tables[object.model] {
        result += try table.objects(Array(zip(columns, values)), in: transaction)
      }
      result += try waiting(WaitHash.claimed(model, index, values))
    }
    return result
  }

  /// The objects that wait under a hash.
  func waiting(_ hash: UInt64) throws(StorageError) -> [ObjectID] {
    guard state.irregulars > 0 else { return [] }
    var result: [ObjectID] = []
    try schema.area.forEach(AreaKey.wait(hash), in: transaction) { _, value throws(StorageError) in
      var reader = try SyncReader(Array(value)[...])
      result.append(try reader.object())
      return true
    }
    return result
  }

  /// The objects outside the part that a change concerns.
  private func outside(_ old: SyncReplica, _ new: SyncReplica) throws(StorageError) -> Set<ObjectID> {
    var wanted: Set<ObjectID> = Set(new.records.keys).union(new.tombstones.keys)
    for object in loaded {
      if new.records[object] != records[object] { wanted.formUnion(try needs(of: object, new.records[object] ?? [:])) }
      let (wasShown, isShown) = (old.tables[object] != nil, new.tables[object] != nil)
      let (wasAlive, isAlive) = (old.view.rows[object] != nil, new.view.rows[object] != nil)
      guard wasShown != isShown || wasAlive != isAlive else { continue }
      wanted.formUnion(try waiting(WaitHash.object(object)))
      // A local transaction has followed the delete rules itself.
      guard wasShown, !isShown, overrides[object] == nil else { continue }
      for (model, column) in schema.sync.referrers[object.model] ?? [] {
        guard let table = schema.tables[model] else { continue }
        wanted.formUnion(try table.objects([(column, object.key)], in: transaction))
      }
    }
    return wanted.subtracting(loaded)
  }

  // MARK: Loading everything

  /// Loads all records, tables and entries.
  func loadAll() throws(StorageError) {
    isWhole = true
    for table in schema.tables.values {
      try table.forEach(in: transaction) { object, row throws(StorageError) in current[object] = row }
    }
    before = current
    try loadRecords()
    members = try allMembers()
    loaded = Set(records.keys).union(tombstones.keys).union(current.keys)
    try schema.area.forEach(AreaKey.Kind.irregular.prefix, in: transaction) { _, value throws(StorageError) in
      let irregular = try Irregular(decoding: Array(value)[...])
      irregulars[irregular.object] = irregular
      return true
    }
    try schema.area.forEach(AreaKey.Kind.log.prefix, in: transaction) { key, value throws(StorageError) in
      log.append(try StoredEntry.entry(key, value))
      return true
    }
    try schema.area.forEach(AreaKey.Kind.lostEdit.prefix, in: transaction) { _, value throws(StorageError) in
      lostEdits.append(try LostEdit(decoding: Array(value)[...]))
      return true
    }
    refusedEntries = try allRefused().map(\.refused)
    try loadRefusals(AreaKey.Kind.refusal.prefix)
  }

  private func loadRecords() throws(StorageError) {
    try schema.area.forEach(AreaKey.Kind.record.prefix, in: transaction) { key, value throws(StorageError) in
      let change = try Self.record(Array(value)[...])
      note(change)
      if state.numbers.key(change.object) != key { moved[change.object] = key }
      return true
    }
    let earlier = try RowsBefore.load(schema.area, in: transaction)
    try schema.area.forEach(AreaKey.Kind.clock.prefix, in: transaction) { key, value throws(StorageError) in
      let object = try state.numbers.object(key)
      let row = earlier.map { $0[object] } ?? current[object]
      note(try state.numbers.decode(object, value, row: row))
      return true
    }
  }

  /// Loads the refusals of a hub.
  func loadRefusals(of names: [ReplicaID]) throws(StorageError) {
    guard state.role == .hub, !isWhole else { return }
    for name in names { try loadRefusals(AreaKey.refusals(of: name)) }
  }

  private func loadRefusals(_ prefix: [UInt8]) throws(StorageError) {
    try schema.area.forEach(prefix, in: transaction) { _, value throws(StorageError) in
      var reader = try SyncReader(Array(value)[...])
      let refusal = try reader.refusal()
      try reader.finish()
      refusals[refusal.origin, default: []].append(refusal)
      return true
    }
  }

  /// The entries that the hub refused, with their keys.
  func allRefused() throws(StorageError) -> [(key: [UInt8], refused: RefusedEntry)] {
    var result: [(key: [UInt8], refused: RefusedEntry)] = []
    try schema.area.forEach(AreaKey.Kind.refused.prefix, in: transaction) { key, value throws(StorageError) in
      result.append((key, try RefusedEntry(decoding: Array(value)[...])))
      return true
    }
    return result
  }

  /// Loads the places of the entries of some replicas, without their content.
  func loadPlaces(of names: [ReplicaID]) throws(StorageError) {
    try schema.area.forEach(AreaKey.Kind.log.prefix, in: transaction) { key, value throws(StorageError) in
      let entry = try StoredEntry.place(key, value)
      if names.contains(entry.origin) { log.append(entry) }
      return true
    }
  }
}
