import QuarryBackend

/// The state of a synced store: the one row of its kind in `_quarry_sync`.
struct StoredState: Sendable {
  /// All identities that the store has had, the newest first.
  var names: [ReplicaID]
  /// The names of the synced models.
  var models: [String] = []
  /// The version of the schema whose rows are recorded.
  var schemaVersion: UInt64 = 0
  var clock: UInt64 = 0
  var knowledge = Knowledge()
  var trimmed: Floors = [:]
  var collected: Floors = [:]
  var progress: RowsProgress?
  var rules = MergeRules()
  /// The rules of this store's own columns.
  var merges = StoredMerges()
  /// The number of objects that the tables do not show as they were written.
  var irregulars = 0
  /// The number of entries in the log.
  var entries = 0
  var role = SyncRole.peer
  /// Of a client: the identities of its hub that it has met, the newest first.
  var hubs: [ReplicaID] = []
  /// Of a hub that was put back: it does not judge entries up to here.
  var judgesAfter: UInt64 = 0

  /// The state of a peer without rules of its own has the first format.
  private static let (plainFormat, format): (UInt8, UInt8) = (1, 2)

  init(_ name: ReplicaID) { names = [name] }

  func encoded() -> [UInt8] {
    var writer = SyncWriter()
    writer.list(names) { $0.replica($1) }
    writer.list(models) { $0.name(SyncName($1)) }
    writer.fixed(schemaVersion)
    writer.varint(clock)
    writer.knowledge(knowledge)
    writer.floors(trimmed)
    writer.floors(collected)
    writer.optional(progress) { writer, progress in
      writer.object(progress.object)
      writer.header(progress.header)
    }
    writer.rules(rules)
    writer.count(irregulars)
    writer.count(entries)
    let isPlain = role == .peer && hubs.isEmpty && judgesAfter == 0 && merges.isEmpty
    if !isPlain {
      writer.byte(role.byte)
      writer.list(hubs) { $0.replica($1) }
      writer.varint(judgesAfter)
      merges.encode(to: &writer)
    }
    return [isPlain ? Self.plainFormat : Self.format] + writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(StorageError) {
    guard let format = bytes.first, format >= Self.plainFormat else { throw SyncReader.damaged }
    guard format <= Self.format else {
      throw StorageError(
        .schemaTooNew, "the synced store has format \(format), which this version of Quarry cannot read")
    }
    var reader = try SyncReader(bytes[1...])
    names = try reader.list { reader throws(StorageError) in try reader.replica() }
    models = try reader.list { reader throws(StorageError) in try reader.name().text }
    schemaVersion = try reader.fixed()
    clock = try reader.varint()
    knowledge = try reader.knowledge()
    trimmed = try reader.floors()
    collected = try reader.floors()
    progress = try reader.optional { reader throws(StorageError) in
      RowsProgress(object: try reader.object(), header: try reader.header())
    }
    rules = try reader.rules()
    let numbers = (try reader.varint(), try reader.varint())
    if format == Self.format {
      role = try reader.role()
      hubs = try reader.list { reader throws(StorageError) in try reader.replica() }
      judgesAfter = try reader.varint()
      merges = try StoredMerges(from: &reader)
    }
    try reader.finish()
    guard !names.isEmpty, let irregulars = Int(exactly: numbers.0), let entries = Int(exactly: numbers.1) else {
      throw SyncReader.damaged
    }
    (self.irregulars, self.entries) = (irregulars, entries)
  }

  /// Throws `unsupported` where the schema of a transaction is not the one whose rows are recorded.
  func requireSchema(of transaction: any BackendReadTransaction) throws(StorageError) {
    guard schemaVersion == transaction.schemaVersion else {
      throw StorageError(
        .unsupported, "the store's schema was changed: call enableSync() again, so that sync follows it")
    }
  }

  /// A replica that has this state, and no record, no entry and no table.
  func replica(_ schema: SyncSchema, _ environment: SyncEnvironment, session: UInt64) -> SyncReplica {
    var replica = SyncReplica(
      names[0], schema, environment, isHub: role == .hub, hasHub: role == .client)
    replica.epoch = hubs.first
    replica.judgesAfter = judgesAfter
    replica.names = names
    replica.session = session
    replica.clock.raise(to: clock)
    replica.knowledge = knowledge
    replica.trimmed = trimmed
    replica.collected = collected
    replica.progress = progress
    replica.rules.learn(rules)
    return replica
  }

  /// Takes over what has become of the replica.
  mutating func note(_ replica: SyncReplica) {
    names = replica.names
    clock = replica.clock.last
    knowledge = replica.knowledge
    trimmed = replica.trimmed
    collected = replica.collected
    progress = replica.progress
    rules = replica.rules
    judgesAfter = replica.judgesAfter
  }
}
