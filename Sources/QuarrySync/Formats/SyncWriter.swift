import QuarryBackend

/// Writes a payload: the replicas and names that it mentions, each once in the order of their first use, then the body that
/// mentions them by number. Maps are written in the order of their keys, so that equal values have equal bytes.
struct SyncWriter {
  private var body = ByteWriter()
  private var replicas: [ReplicaID: Int] = [:]
  private var replicaList: [ReplicaID] = []
  private var names: [SyncName: Int] = [:]
  private var nameList: [SyncName] = []

  /// The payload.
  var bytes: [UInt8] { bytes(behind: []) }

  /// The payload, whose body begins with bytes of the caller's.
  func bytes(behind head: [UInt8]) -> [UInt8] {
    var result = ByteWriter()
    result.count(replicaList.count)
    for replica in replicaList { result.raw(replica.bytes) }
    result.count(nameList.count)
    for name in nameList { result.text(name) }
    result.raw(head)
    result.raw(body.bytes)
    return result.bytes
  }

  /// The tag of an entry with this body.
  func tag(after previous: EntryMark, _ random: UInt64) -> UInt64 {
    var writer = ByteWriter()
    writer.fixed(previous.tag)
    writer.fixed(random)
    writer.raw(body.bytes)
    return SyncHash.number(writer.bytes) & ~EntryMark.voidBit
  }

  mutating func byte(_ value: UInt8) { body.byte(value) }
  mutating func flag(_ value: Bool) { body.byte(value ? 1 : 0) }
  mutating func fixed(_ value: UInt64) { body.fixed(value) }
  mutating func varint(_ value: UInt64) { body.varint(value) }
  mutating func count(_ value: Int) { body.count(value) }

  mutating func replica(_ replica: ReplicaID) {
    // Mostly it is the first one.
    if replicaList.first == replica { return body.count(0) }
    let number = replicas[replica] ?? replicaList.count
    if number == replicaList.count { mention(replica) }
    body.count(number)
  }

  /// Gives the next number to a replica that was not mentioned before.
  mutating func mention(_ replica: ReplicaID) {
    replicas[replica] = replicaList.count
    replicaList.append(replica)
  }

  mutating func name(_ name: SyncName) {
    let number = names[name] ?? nameList.count
    if number == nameList.count {
      names[name] = number
      nameList.append(name)
    }
    body.count(number)
  }

  /// - Parameter number: The number of the name, kept by the caller; negative before it is mentioned.
  mutating func name(_ name: SyncName, number: inout Int) {
    if number >= 0 { return body.count(number) }
    self.name(name)
    number = names[name] ?? -1
  }

  mutating func value(_ value: Value) { stored(value.syncBytes) }

  /// A value in its stored form.
  mutating func stored(_ bytes: [UInt8]) {
    body.count(bytes.count)
    body.raw(bytes)
  }

  mutating func stamp(_ stamp: Stamp) {
    body.varint(stamp.hlc)
    replica(stamp.replica)
  }

  mutating func mark(_ mark: EntryMark) {
    body.varint(mark.hlc)
    body.fixed(mark.tag)
  }

  mutating func object(_ object: ObjectID) {
    name(object.model)
    value(object.key)
  }

  /// A map in the order of its keys.
  mutating func map<K: Comparable, V>(_ map: [K: V], _ write: (inout SyncWriter, K, V) -> Void) {
    count(map.count)
    for (key, value) in map.sorted(by: { $0.key < $1.key }) { write(&self, key, value) }
  }

  mutating func list<T>(_ list: [T], _ write: (inout SyncWriter, T) -> Void) {
    count(list.count)
    for element in list { write(&self, element) }
  }

  mutating func optional<T>(_ value: T?, _ write: (inout SyncWriter, T) -> Void) {
    flag(value != nil)
    if let value { write(&self, value) }
  }
}
