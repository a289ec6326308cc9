import QuarryBackend

/// The objects that a hub's commits have touched, in rows of the internal model: a cursor of a client leads into it.
enum TouchedObjects {
  /// An object, and the replica whose entry has changed it; nil where it has changed with another one.
  struct Touch: Hashable {
    var object: ObjectID
    var author: ReplicaID?
  }

  /// The number of the last commit, and that of the last one whose objects are not known any more.
  struct Head: Hashable {
    var commits: UInt64 = 0
    var floor: UInt64 = 0
  }

  /// Commits that stay, so that clients need not receive their part as a whole.
  static let kept: UInt64 = 20_000

  static func head(_ area: SyncArea, in transaction: any BackendReadTransaction) throws(StorageError) -> Head {
    guard let bytes = try area.value(AreaKey.Kind.touchedHead.prefix, in: transaction) else { return Head() }
    var reader = try SyncReader(bytes[...])
    let head = Head(commits: try reader.varint(), floor: try reader.varint())
    try reader.finish()
    return head
  }

  private static func row(_ head: Head) -> SyncArea.Row {
    var writer = SyncWriter()
    writer.varint(head.commits)
    writer.varint(head.floor)
    return (AreaKey.Kind.touchedHead.prefix, writer.bytes)
  }

  /// The rows of the next commit.
  static func rows(
    _ touches: some Sequence<Touch>, _ area: SyncArea, in transaction: any BackendReadTransaction
  ) throws(StorageError) -> [SyncArea.Row] {
    let touches = Array(touches)
    guard !touches.isEmpty else { return [] }
    var head = try head(area, in: transaction)
    head.commits += 1
    var writer = SyncWriter()
    writer.list(touches) { writer, touch in
      writer.object(touch.object)
      writer.optional(touch.author) { $0.replica($1) }
    }
    return [row(head), (key(head.commits), writer.bytes)]
  }

  private static func key(_ commit: UInt64) -> [UInt8] { AreaKey.Kind.touched.prefix + AreaKey.bigEndian(commit) }

  /// Calls the body with the commits behind one, in their order, until it returns false.
  static func forEach(
    after commit: UInt64, _ area: SyncArea, in transaction: any BackendReadTransaction,
    _ body: (UInt64, [Touch]) throws(StorageError) -> Bool
  ) throws(StorageError) {
    let first = key(commit &+ 1)
    try area.forEach(AreaKey.Kind.touched.prefix, from: first, in: transaction) { key, value throws(StorageError) in
      guard key.count == 9 else { throw SyncReader.damaged }
      var reader = try SyncReader(Array(value)[...])
      let touches = try reader.list { reader throws(StorageError) in
        Touch(
          object: try reader.object(),
          author: try reader.optional { reader throws(StorageError) in try reader.replica() })
      }
      try reader.finish()
      return try body(key[1...].reduce(0) { $0 << 8 | UInt64($1) }, touches)
    }
  }

  /// The rows that are removed so that the last commits alone stay; none where there are not many more.
  static func trimming(
    keeping kept: UInt64, _ area: SyncArea, in transaction: any BackendReadTransaction
  ) throws(StorageError) -> [SyncArea.Row] {
    var head = try head(area, in: transaction)
    guard head.commits - head.floor > 2 * kept else { return [] }
    let floor = head.commits - kept
    var rows: [SyncArea.Row] = []
    try area.forEach(AreaKey.Kind.touched.prefix, in: transaction) { key, _ throws(StorageError) in
      guard key[1...].reduce(0, { $0 << 8 | UInt64($1) }) <= floor else { return false }
      rows.append((key, nil))
      return true
    }
    head.floor = floor
    return rows + [row(head)]
  }
}
