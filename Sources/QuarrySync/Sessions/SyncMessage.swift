/// What a replica says of itself when it asks for what it lacks.
package struct SyncHello: Sendable, Hashable {
  package var replica: ReplicaID
  package var names: [ReplicaID]
  package var session: UInt64
  package var knowledge: Knowledge
  package var collected: Floors
  /// Its wall clock.
  package var time: UInt64
  /// Whether it believes that births which do not come are deleted: SYNC-5.
  package var infersDeletes: Bool
  package var progress: RowsProgress?
  /// Of a part: how far the hub's commits are known.
  package var cursor: UInt64
  package var rules: MergeRules
  package var role: SyncRole
  /// Of a client with a part of its hub: how far it knows that.
  package var place: PartPlace?
}

/// What rows were sent under: the knowledge of the sender when it began.
package struct RowsHeader: Sendable, Hashable {
  package var knowledge: Knowledge
  package var collected: Floors
  /// Whether all records are sent: tier 3, SYNC-27.
  package var isWhole: Bool

  package init(knowledge: Knowledge, collected: Floors, isWhole: Bool) {
    (self.knowledge, self.collected, self.isWhole) = (knowledge, collected, isWhole)
  }
}

/// Rows that were cut, and the last key that came: SYNC-28.
package struct RowsProgress: Sendable, Hashable {
  package var object: ObjectID
  package var header: RowsHeader

  package init(object: ObjectID, header: RowsHeader) { (self.object, self.header) = (object, header) }
}

/// What the sender knows of a name of the asker.
package struct KnownOrigin: Sendable, Hashable {
  /// An entry that was refused, and the void in its place.
  package struct Void: Sendable, Hashable {
    package var mark: EntryMark
    package var void: UInt64

    package init(mark: EntryMark, void: UInt64) { (self.mark, self.void) = (mark, void) }
  }

  package var name: ReplicaID
  package var last: EntryMark
  /// The entries in the sender's log, by HLC.
  package var tags: [UInt64: UInt64]
  package var trimmed: UInt64
  package var voids: [Void]

  package init(name: ReplicaID, last: EntryMark, tags: [UInt64: UInt64], trimmed: UInt64, voids: [Void]) {
    (self.name, self.last, self.tags, self.trimmed, self.voids) = (name, last, tags, trimmed, voids)
  }
}

/// The first message of an answer.
package struct Introduction: Sendable, Hashable {
  /// Another entry than the asker knows, at the last place of an origin.
  package struct Doubt: Sendable, Hashable {
    package var origin: ReplicaID
    package var mark: EntryMark

    package init(origin: ReplicaID, mark: EntryMark) { (self.origin, self.mark) = (origin, mark) }
  }

  package var replica: ReplicaID
  /// The session of the asker that this answers.
  package var session: UInt64
  package var known: [KnownOrigin]
  package var doubts: [Doubt]
  package var rules: MergeRules
}

/// One object of a part.
package struct PartObject: Sendable, Hashable {
  package var object: ObjectID
  /// Nil when the object is not in the part.
  package var births: Births?
  package var deaths: Deaths
  package var blanks: [SyncName: Stamp]
  package var isWanted: Bool
  package var vector: VersionVector
}

/// A message of an answer.
package enum SyncMessage: Sendable, Hashable {
  case yours(Introduction)
  case log(SyncEntry)
  /// The records of an object, and the object of the message before.
  case rows(ObjectChange, after: ObjectID?, RowsHeader)
  /// The end of rows, and the object of the last of them.
  case end(RowsHeader, after: ObjectID?)
  case part(PartObject)
  case partEnd(cursor: UInt64, VersionVector)
  /// Of stores: the objects of a part follow.
  case partBegin(PartHeader)
  /// Of stores: the place behind the objects before, and whether the asker has all then.
  case partAt(PartPlace, isEnd: Bool)
  /// A refused entry, and the hub's state of its objects.
  case refused(Refusal, [ObjectChange], VersionVector)

  /// The HLC of the newest stamp: SYNC-3.
  var newest: UInt64 {
    switch self {
    case .yours(let introduction): introduction.doubts.map(\.mark.hlc).max() ?? 0
    case .log(let entry): max(entry.mark.hlc, entry.newest)
    case .rows(let change, _, let header): max(change.newest, header.knowledge.vector.newest)
    case .end(let header, _): header.knowledge.vector.newest
    case .part(let part): ObjectChange(part.object, births: part.births ?? [:], deaths: part.deaths).newest
    case .partEnd(_, let vector): vector.newest
    case .partBegin(let header): header.knowledge.vector.newest
    case .partAt: 0
    case .refused(_, let changes, let vector): max(changes.map(\.newest).max() ?? 0, vector.newest)
    }
  }
}

extension SyncMessage {
  /// Whether it brings an entry or an object.
  package var isContent: Bool {
    switch self {
    case .log, .rows, .part: true
    default: false
    }
  }

  /// Whether objects of a part follow.
  var isOfPart: Bool { if case .partBegin = self { true } else { false } }

  /// What it says of objects.
  var changes: [ObjectChange] {
    switch self {
    case .log(let entry): entry.changes
    case .rows(let change, _, _): [change]
    case .refused(_, let changes, _): changes
    case .part(let part): [ObjectChange(part.object, births: part.births ?? [:], deaths: part.deaths)]
    case .yours, .end, .partEnd, .partBegin, .partAt: []
    }
  }
}

/// A message with its place in the answer: SYNC-23.
package struct NumberedMessage: Sendable, Hashable {
  package var number: UInt32
  package var message: SyncMessage

  package init(_ number: UInt32, _ message: SyncMessage) {
    self.number = number
    self.message = message
  }

  static func numbered(_ messages: [SyncMessage]) -> [NumberedMessage] {
    messages.enumerated().map { NumberedMessage(UInt32(truncatingIfNeeded: $0), $1) }
  }
}

extension VersionVector {
  fileprivate var newest: UInt64 { values.map(\.hlc).max() ?? 0 }
}
