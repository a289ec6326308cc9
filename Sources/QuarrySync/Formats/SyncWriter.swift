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
  var bytes: [UInt8] {
    var result = ByteWriter()
    result.count(replicaList.count)
    for replica in replicaList { result.raw(replica.bytes) }
    result.count(nameList.count)
    for name in nameList { result.text(name) }
    result.raw(body.bytes)
    return result.bytes
  }

  mutating func byte(_ value: UInt8) { body.byte(value) }
  mutating func flag(_ value: Bool) { body.byte(value ? 1 : 0) }
  mutating func fixed(_ value: UInt64) { body.fixed(value) }
  mutating func varint(_ value: UInt64) { body.varint(value) }
  mutating func count(_ value: Int) { body.count(value) }

  mutating func replica(_ replica: ReplicaID) {
    let number = replicas[replica] ?? replicaList.count
    if number == replicaList.count {
      replicas[replica] = number
      replicaList.append(replica)
    }
    body.count(number)
  }

  mutating func name(_ name: SyncName) {
    let number = names[name] ?? nameList.count
    if number == nameList.count {
      names[name] = number
      nameList.append(name)
    }
    body.count(number)
  }

  mutating func value(_ value: Value) {
    let bytes = value.syncBytes
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
