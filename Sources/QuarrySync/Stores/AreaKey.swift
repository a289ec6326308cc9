import QuarryBackend

/// The keys of `_quarry_sync`: a byte that says what the row is, and its name. See `docs/formats/sync.md`.
enum AreaKey {
  enum Kind: UInt8 {
    case state = 0
    case record = 1
    case log = 2
    case irregular = 3
    case wait = 4
    case lostEdit = 5
    case peer = 6
    case refusal = 7
    case refused = 8
    case owner = 9
    case clock = 10
    case rowBefore = 12
    case schemaBefore = 13
    case touchedHead = 20
    case touched = 21
    case partUse = 22
    case partObject = 23
    case partMember = 24
    case partCame = 25
    case partLoose = 26

    var prefix: [UInt8] { [rawValue] }
  }

  /// The longest form of an object that is a key by itself. Of longer ones the key has a hash.
  private static let longestObject = 200

  static let state = Kind.state.prefix
  /// The head of the state is behind the last entry, with which it is written: no HLC has this first byte.
  static let head = Kind.log.prefix + [0xFF]

  /// The first key behind all keys of a prefix; nil for none. The head is no entry of the log.
  static func end(of prefix: [UInt8]) -> [UInt8]? {
    prefix == Kind.log.prefix ? head : prefix.successorOfPrefix
  }

  /// The clock of an object, by the number of its model; nil where the key is too long, and the record says which object it is.
  static func clock(_ model: Int, _ key: [UInt8]) -> [UInt8]? {
    guard key.count <= longestObject else { return nil }
    var writer = ByteWriter()
    writer.byte(Kind.clock.rawValue)
    writer.count(model)
    writer.raw(key)
    return writer.bytes
  }

  static func record(_ object: ObjectID) -> [UInt8] { Kind.record.prefix + bytes(object) }
  static func irregular(_ object: ObjectID) -> [UInt8] { Kind.irregular.prefix + bytes(object) }

  /// The place of an entry: by HLC, so that an entry comes after all that its author had seen.
  static func log(_ stamp: Stamp) -> [UInt8] { Kind.log.prefix + bigEndian(stamp.hlc) + stamp.replica.bytes }

  /// An object that waits for something, by the hash of that.
  static func wait(_ hash: UInt64, _ object: ObjectID) -> [UInt8] { wait(hash) + bytes(object) }
  static func wait(_ hash: UInt64) -> [UInt8] { Kind.wait.prefix + bigEndian(hash) }

  /// Equal edits have one key.
  static func lostEdit(_ content: [UInt8]) -> [UInt8] { Kind.lostEdit.prefix + SyncHash.sha256(content).prefix(16) }
  static func peer(_ replica: ReplicaID) -> [UInt8] { Kind.peer.prefix + replica.bytes }

  /// A refusal of a hub, by the origin of the entry.
  static func refusal(_ refusal: Refusal) -> [UInt8] {
    refusals(of: refusal.origin) + bigEndian(refusal.mark.hlc) + bigEndian(refusal.mark.tag)
  }
  static func refusals(of origin: ReplicaID) -> [UInt8] { Kind.refusal.prefix + origin.bytes }

  /// An entry of this store that its hub refused.
  static func refused(_ entry: SyncEntry) -> [UInt8] {
    Kind.refused.prefix + bigEndian(entry.mark.hlc) + entry.origin.bytes + bigEndian(entry.mark.tag)
  }

  /// The principal to whom a replica belongs.
  static func owner(_ replica: ReplicaID) -> [UInt8] { Kind.owner.prefix + replica.bytes }

  /// Of a client with a part: an object that is there for others alone, or shows nil as the hub does.
  static func partMember(_ object: ObjectID) -> [UInt8] { Kind.partMember.prefix + bytes(object) }
  /// An object of a whole part that has come.
  static func partCame(_ object: ObjectID) -> [UInt8] { Kind.partCame.prefix + bytes(object) }
  /// An object that may be there for nothing any more.
  static func partLoose(_ object: ObjectID) -> [UInt8] { Kind.partLoose.prefix + bytes(object) }

  static func bigEndian(_ number: UInt64) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  private static func bytes(_ object: ObjectID) -> [UInt8] {
    var writer = ByteWriter()
    writer.text(object.model)
    writer.raw(object.key.syncBytes)
    return writer.bytes.count <= longestObject ? [0] + writer.bytes : [1] + SyncHash.sha256(writer.bytes)
  }
}

/// The hashes under which objects wait: for values of a unique index, or for another object.
enum WaitHash {
  static func claimed(_ model: SyncModel, _ index: Int, _ values: [Value]) -> UInt64 {
    var writer = ByteWriter()
    writer.byte(1)
    writer.text(model.name)
    for (column, value) in zip(model.uniques[index], values) {
      writer.text(column)
      writer.raw(value.syncBytes)
    }
    return SyncHash.number(writer.bytes)
  }

  static func object(_ object: ObjectID) -> UInt64 {
    var writer = ByteWriter()
    writer.byte(2)
    writer.text(object.model)
    writer.raw(object.key.syncBytes)
    return SyncHash.number(writer.bytes)
  }
}
