import QuarryBackend

/// The state of a synced store: two rows in `_quarry_sync`, of which each write changes the small one alone.
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
  var nameless: NamelessRows?
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
  /// Of a hub: whether its commits note the objects that they touch, because its program has declared parts.
  var hasParts = false
  /// Of a client with a part: how far it knows that.
  var place: PartPlace?
  /// The numbers that clocks use. Empty before the records were converted.
  var numbers = ClockNumbers()
  /// Whether records are clocks, with the values in the rows of their objects.
  private(set) var hasClocks = true

  /// The first format is of a peer without rules of its own. It and the second one have records with values, and all but the last
  /// do not know of rows without a name.
  private static let (plainFormat, rulesFormat, clocksFormat, format): (UInt8, UInt8, UInt8, UInt8) = (1, 2, 3, 4)
  /// The format of stores that give or have parts. Others are written as before.
  private static let partsFormat: UInt8 = 5

  init(_ name: ReplicaID) { names = [name] }

  /// The rows of the state.
  func rows() -> [(key: [UInt8], value: [UInt8]?)] { [(AreaKey.state, encoded()), (AreaKey.head, head.encoded())] }

  /// What each write changes.
  var head: StoredHead {
    get { StoredHead(clock: clock, mark: knowledge.mark(names[0]), entries: entries) }
    set {
      clock = newValue.clock
      entries = newValue.entries
      knowledge.vector[names[0]] = newValue.mark == EntryMark() ? nil : newValue.mark
    }
  }

  /// The state without the head.
  func encoded() -> [UInt8] {
    var knowledge = knowledge
    knowledge.vector[names[0]] = nil
    var writer = SyncWriter()
    writer.list(names) { $0.replica($1) }
    writer.list(models) { $0.name(SyncName($1)) }
    writer.fixed(schemaVersion)
    writer.knowledge(knowledge)
    writer.floors(trimmed)
    writer.floors(collected)
    writer.optional(progress) { writer, progress in
      writer.object(progress.object)
      writer.header(progress.header)
    }
    writer.rules(rules)
    writer.count(irregulars)
    writer.byte(role.byte)
    writer.list(hubs) { $0.replica($1) }
    writer.varint(judgesAfter)
    merges.encode(to: &writer)
    numbers.encode(to: &writer)
    writer.optional(nameless) { writer, rows in
      writer.floors(rows.reach)
      writer.flag(rows.isWhole)
      writer.varint(rows.due)
    }
    guard hasParts || place != nil else { return [Self.format] + writer.bytes }
    writer.flag(hasParts)
    writer.optional(place) { $0.place($1) }
    return [Self.partsFormat] + writer.bytes
  }

  /// The state without its head; in the older formats the whole.
  init(decoding bytes: [UInt8]) throws(StorageError) {
    guard let format = bytes.first, format >= Self.plainFormat else { throw SyncReader.damaged }
    guard format <= Self.partsFormat else {
      throw StorageError(
        .schemaTooNew, "the synced store has format \(format), which this version of Quarry cannot read")
    }
    var reader = try SyncReader(bytes[1...])
    names = try reader.list { reader throws(StorageError) in try reader.replica() }
    models = try reader.list { reader throws(StorageError) in try reader.name().text }
    schemaVersion = try reader.fixed()
    hasClocks = format >= Self.clocksFormat
    if !hasClocks { clock = try reader.varint() }
    knowledge = try reader.knowledge()
    trimmed = try reader.floors()
    collected = try reader.floors()
    progress = try reader.optional { reader throws(StorageError) in
      RowsProgress(object: try reader.object(), header: try reader.header())
    }
    rules = try reader.rules()
    let counts = (try reader.varint(), hasClocks ? 0 : try reader.varint())
    if format >= Self.rulesFormat {
      role = try reader.role()
      hubs = try reader.list { reader throws(StorageError) in try reader.replica() }
      judgesAfter = try reader.varint()
      merges = try StoredMerges(from: &reader)
    }
    if hasClocks { numbers = try ClockNumbers(from: &reader) }
    if format >= Self.format {
      nameless = try reader.optional { reader throws(StorageError) in
        NamelessRows(reach: try reader.floors(), isWhole: try reader.flag(), due: try reader.varint())
      }
    }
    if format >= Self.partsFormat {
      hasParts = try reader.flag()
      place = try reader.optional { reader throws(StorageError) in try reader.place() }
    }
    try reader.finish()
    guard !names.isEmpty, let irregulars = Int(exactly: counts.0), let entries = Int(exactly: counts.1) else {
      throw SyncReader.damaged
    }
    (self.irregulars, self.entries) = (irregulars, entries)
  }

  /// Notes that the records are written as clocks from now on.
  mutating func convert() { hasClocks = true }

  /// Throws `unsupported` where the schema of a transaction is not the one whose rows are recorded, and before the records of an
  /// older version were converted.
  func requireSchema(of transaction: any BackendReadTransaction) throws(StorageError) {
    guard hasClocks else {
      throw StorageError(.unsupported, "an older version has synced the store: call enableSync() again, to convert it")
    }
    guard schemaVersion == transaction.schemaVersion else {
      throw StorageError(
        .unsupported, "the store's schema was changed: call enableSync() again, so that sync follows it")
    }
  }

  /// The session of a store that several processes have open. Another name, and another hub, begin another one.
  var sharedSession: UInt64 {
    var writer = SyncWriter()
    writer.replica(names[0])
    writer.list(hubs) { $0.replica($1) }
    return SyncHash.sha256(writer.bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
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
    replica.nameless = nameless
    replica.place = place
    replica.rules.learn(rules)
    replica.rules.resolved = rules.resolved
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
    nameless = replica.nameless
    place = replica.place
    rules = replica.rules
    // A hub says what its present program resolves.
    if role == .hub { rules.resolved = [] }
    judgesAfter = replica.judgesAfter
  }
}

/// What each write changes of a state: a row of its own, so that the rest is neither encoded nor written.
struct StoredHead: Sendable, Hashable {
  private static let bytes = 32

  var clock: UInt64
  /// The last entry of the store itself.
  var mark: EntryMark
  /// The number of entries in the log.
  var entries: Int

  func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.fixed(clock)
    writer.fixed(mark.hlc)
    writer.fixed(mark.tag)
    writer.fixed(UInt64(entries))
    return writer.bytes
  }
}

extension StoredHead {
  init(decoding bytes: UnsafeRawBufferPointer) throws(StorageError) {
    func number(_ place: Int) -> UInt64 { bytes.loadLittleEndian(8 * place, as: UInt64.self) }
    guard bytes.count == Self.bytes, let entries = Int(exactly: number(3)) else { throw SyncReader.damaged }
    self.init(clock: number(0), mark: EntryMark(number(1), number(2)), entries: entries)
  }
}
