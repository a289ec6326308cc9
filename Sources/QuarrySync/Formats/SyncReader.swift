import QuarryBackend

/// Reads payloads that may come from anywhere. Each length is compared with the bytes that are left before it is believed, and
/// nothing is reserved for what was not read. Only the one form that the writer gives is accepted.
struct SyncReader {
  private let bytes: ArraySlice<UInt8>
  private var position: Int
  private var replicas: [ReplicaID] = []
  private var names: [SyncName] = []
  /// How many of the replicas and names were mentioned.
  private var usedReplicas = 0
  private var usedNames = 0

  static let damaged = StorageError(.corrupt, "the sync data is damaged")

  /// - Parameters:
  ///   - bytes: A payload, with its replicas and names.
  ///   - limit: The most replicas that it may mention; nil for what this store has written itself.
  init(_ bytes: ArraySlice<UInt8>, replicas limit: Int? = nil) throws(StorageError) {
    self.bytes = bytes
    position = bytes.startIndex
    let replicaCount = try count(of: 16)
    if let limit, replicaCount > limit {
      throw .limitExceeded("replicas in sync data", limit: limit, actual: replicaCount)
    }
    var seenReplicas: Set<ReplicaID> = []
    for _ in 0..<replicaCount {
      guard let replica = ReplicaID(bytes: Array(try take(16))), seenReplicas.insert(replica).inserted else {
        throw Self.damaged
      }
      replicas.append(replica)
    }
    var seenNames: Set<SyncName> = []
    for _ in 0..<(try count(of: 1)) {
      guard let text = String(validating: try take(try count(of: 1)), as: UTF8.self),
        seenNames.insert(SyncName(text)).inserted
      else { throw Self.damaged }
      names.append(SyncName(text))
    }
  }

  /// Refuses what is left over, and replicas and names that nothing mentions.
  func finish() throws(StorageError) {
    guard position == bytes.endIndex, usedReplicas == replicas.count, usedNames == names.count else {
      throw Self.damaged
    }
  }

  private mutating func take(_ count: Int) throws(StorageError) -> ArraySlice<UInt8> {
    guard count >= 0, count <= bytes.endIndex - position else { throw Self.damaged }
    defer { position += count }
    return bytes[position..<position + count]
  }

  mutating func byte() throws(StorageError) -> UInt8 {
    guard position < bytes.endIndex else { throw Self.damaged }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func flag() throws(StorageError) -> Bool {
    let byte = try byte()
    guard byte <= 1 else { throw Self.damaged }
    return byte == 1
  }

  mutating func fixed() throws(StorageError) -> UInt64 {
    try take(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  mutating func varint() throws(StorageError) -> UInt64 {
    try Self.varint { () throws(StorageError) in try byte() }
  }

  /// A number as ``ByteWriter/varint(_:)`` writes it: one with needless bytes is damage.
  ///
  /// - Parameter next: Returns the next byte.
  @inline(__always)
  static func varint(_ next: () throws(StorageError) -> UInt8) throws(StorageError) -> UInt64 {
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try next()
      guard shift < 63 || shift == 63 && byte <= 1 else { throw damaged }
      result |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 {
        guard byte != 0 || shift == 0 else { throw damaged }
        return result
      }
      shift += 7
    }
  }

  /// A number of things that take at least so many bytes each.
  mutating func count(of size: Int) throws(StorageError) -> Int {
    let count = try varint()
    guard count <= UInt64((bytes.endIndex - position) / size) else { throw Self.damaged }
    return Int(count)
  }

  mutating func replica() throws(StorageError) -> ReplicaID {
    let number = try varint()
    guard number < UInt64(replicas.count), number <= UInt64(usedReplicas) else { throw Self.damaged }
    usedReplicas = max(usedReplicas, Int(number) + 1)
    return replicas[Int(number)]
  }

  mutating func name() throws(StorageError) -> SyncName {
    let number = try varint()
    guard number < UInt64(names.count), number <= UInt64(usedNames) else { throw Self.damaged }
    usedNames = max(usedNames, Int(number) + 1)
    return names[Int(number)]
  }

  mutating func value() throws(StorageError) -> Value {
    let stored = Array(try take(try count(of: 1)))
    let value = try stored.withBytes { bytes throws(StorageError) in try NestedCoding.decode(bytes) }
    // A decimal or a URL may have been read from a form that is not its own.
    guard value.syncBytes == stored else { throw Self.damaged }
    return value
  }

  mutating func stamp() throws(StorageError) -> Stamp { Stamp(try varint(), try replica()) }
  mutating func mark() throws(StorageError) -> EntryMark { EntryMark(try varint(), try fixed()) }
  mutating func object() throws(StorageError) -> ObjectID { ObjectID(try name(), try value()) }

  /// A map whose keys are in their order, each once.
  mutating func map<K: Comparable & Hashable, V>(
    _ read: (inout SyncReader) throws(StorageError) -> (K, V)
  ) throws(StorageError) -> [K: V] {
    var result: [K: V] = [:]
    var last: K?
    for _ in 0..<(try count(of: 2)) {
      let (key, value) = try read(&self)
      if let last, !(last < key) { throw Self.damaged }
      last = key
      result[key] = value
    }
    return result
  }

  mutating func list<T>(_ read: (inout SyncReader) throws(StorageError) -> T) throws(StorageError) -> [T] {
    var result: [T] = []
    for _ in 0..<(try count(of: 1)) { result.append(try read(&self)) }
    return result
  }

  mutating func optional<T>(_ read: (inout SyncReader) throws(StorageError) -> T) throws(StorageError) -> T? {
    try flag() ? try read(&self) : nil
  }
}
