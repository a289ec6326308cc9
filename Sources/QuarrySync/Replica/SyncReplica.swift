package import QuarryBackend

/// A replica's records, log and knowledge, with the tables that follow from them.
///
/// A value: a copy is a copied store. It touches no file and no network. Of two stores that hold the same records, the
/// tables are the same: SYNC-12.
///
/// - Complexity: each commit makes the view of all records. An engine's participant looks records up instead.
package struct SyncReplica: Sendable {
  package internal(set) var id: ReplicaID
  /// All identities that it has had, the newest first. It may have entries of them that no peer has.
  package internal(set) var names: [ReplicaID]
  package internal(set) var schema: SyncSchema
  package internal(set) var rules: MergeRules
  package var environment: SyncEnvironment
  package let isHub: Bool
  /// Whether another replica is its hub.
  package internal(set) var hasHub: Bool
  /// The identity of that hub when they last met.
  var epoch: ReplicaID?
  /// Of this opening: answers to an earlier one change nothing.
  package internal(set) var session: UInt64
  package internal(set) var clock = HybridClock()

  package internal(set) var records: [ObjectID: Births] = [:]
  /// Deletes. They may be collected at any time: SYNC-30.
  package internal(set) var tombstones: [ObjectID: Deaths] = [:]
  package internal(set) var knowledge = Knowledge()
  package internal(set) var log: [SyncEntry] = []
  /// The log was trimmed up to here.
  package internal(set) var trimmed: Floors = [:]
  /// Deletes up to here may have been collected.
  package internal(set) var collected: Floors = [:]
  /// How far rows that were cut came.
  var progress: RowsProgress?
  /// Why the first of the changes that did not fit was refused, of the last answer.
  package internal(set) var refusal: RefusedChanges?
  /// Rows that are of no vector.
  var nameless: NamelessRows?
  package internal(set) var tables: [ObjectID: SyncRow] = [:]
  package internal(set) var view: SyncView
  package internal(set) var lostEdits: [LostEdit] = []
  /// Entries of this replica that the hub has refused: SYNC-19.
  package internal(set) var refusedEntries: [RefusedEntry] = []

  /// Of a hub: refusals that their origins may not know yet.
  var refusals: [ReplicaID: [Refusal]] = [:]
  /// Of a hub: whether it accepts an entry, by its tables before and after. SYNC-17.
  package var policy: (@Sendable (SyncEntry, _ before: [ObjectID: SyncRow], _ after: [ObjectID: SyncRow]) -> Bool)?
  /// Of a hub: why its program refuses an entry; nil where it accepts it. It gets the entry's objects as they were written before
  /// and after it, whether they are in the tables or held.
  var program: (@Sendable (SyncEntry, _ before: (ObjectID) -> SyncRow?, _ after: (ObjectID) -> SyncRow?) -> String?)?
  /// Of a hub: its program for conflicts in a model's plain columns. SYNC-11.
  package internal(set) var resolvers: [SyncName: SyncResolver] = [:]
  /// The objects of which this replica has the records, where it has only a part of them; nil for all.
  var loaded: Set<ObjectID>?
  /// Of a hub that was put back: it does not judge entries up to here. SYNC-5.
  package internal(set) var judgesAfter: UInt64 = 0
  /// Of a hub with parts: the number of its commits, and the last one that touched an object.
  var commits: UInt64 = 0
  var touched: [ObjectID: UInt64] = [:]

  /// Of a replica with a part: whether an object is wanted. SYNC-35.
  package var part: (@Sendable (ObjectID, SyncRow) -> Bool)?
  /// Of a part: the hub's commit up to which it is known.
  package internal(set) var cursor: UInt64 = 0
  /// Of a store with a part: how far it knows that.
  var place: PartPlace?
  /// Of a part: whether an object is here for itself, or because another needs it.
  var wanted: [ObjectID: Bool] = [:]
  /// Of a part: the columns that the hub shows as nil.
  var blanks: [ObjectID: [SyncName: Stamp]] = [:]

  package init(
    _ id: ReplicaID, _ schema: SyncSchema, _ environment: SyncEnvironment, isHub: Bool = false, hasHub: Bool = false
  ) {
    self.id = id
    names = [id]
    self.schema = schema
    rules = MergeRules(schema)
    self.environment = environment
    self.isHub = isHub
    self.hasHub = hasHub
    session = environment.random()
    view = SyncView([:], schema)
  }
}

/// An edit that a delete did not know of: SYNC-9.
package struct LostEdit: Sendable, Hashable {
  package enum Content: Sendable, Hashable {
    case value(Value)
    case counted(plus: UInt64, minus: UInt64)
    case element(Value)
  }

  package var object: ObjectID
  package var birth: Stamp
  package var column: SyncName
  package var stamp: Stamp
  package var content: Content
}

/// An entry that the hub refused, until its origin knows.
package struct Refusal: Sendable, Hashable {
  package var origin: ReplicaID
  package var mark: EntryMark
  /// The tag of the void that takes the entry's place: what follows must follow this.
  package var void: UInt64
  package var objects: [ObjectID]
  /// Why it was refused, in words for people.
  package var reason: String

  package init(origin: ReplicaID, mark: EntryMark, void: UInt64, objects: [ObjectID], reason: String = "") {
    self.origin = origin
    self.mark = mark
    self.void = void
    self.objects = objects
    self.reason = reason
  }
}

/// An entry of this replica that its hub refused, with later edits of what was born in it.
package struct RefusedEntry: Sendable, Hashable {
  package var entry: SyncEntry
  package var reason: String
}
