import QuarryBackend

/// An object that the tables do not show as it was written: it is held, or some of its properties show nil.
struct Irregular: Sendable, Hashable {
  var object: ObjectID
  var reason: HeldReason
  /// Whether the whole object is held.
  var isHeld: Bool
  /// The values that are not in the tables.
  var row: SyncRow
  /// The objects that it waits for.
  var waitsFor: [ObjectID]
  /// The hashes under which it waits.
  var hashes: [UInt64]

  /// Nil where the tables show the object as it was written.
  init?(_ object: ObjectID, _ view: SyncView) {
    guard let raw = view.rows[object], let model = view.schema.models[object.model] else { return nil }
    let shown = view.row(object)
    guard shown != raw else { return nil }
    self.object = object
    isHeld = shown == nil
    row = raw.filter { $0.value != shown?[$0.key] }
    let winners = model.uniques.indices.filter { (model.blanks[$0] == nil) == (shown == nil) }
      .compactMap { view.winner(over: object, $0) }
    let targets = model.references.compactMap { column, reference -> ObjectID? in
      guard let key = raw[column], !key.isNull else { return nil }
      return ObjectID(reference.model, key)
    }
    let missing = isHeld ? view.needs(object) : targets
    reason = winners.isEmpty ? .parent : .unique
    waitsFor = winners.isEmpty ? missing.filter { !view.isShown($0) } : winners
    hashes = targets.map(WaitHash.object)
    for index in model.uniques.indices {
      if let claimed = view.claimed(object, index) { hashes.append(WaitHash.claimed(model, index, claimed.values)) }
    }
    hashes = Set(hashes).sorted()
  }

  func encoded() -> [UInt8] {
    var writer = SyncWriter()
    writer.object(object)
    writer.flag(reason == .unique)
    writer.flag(isHeld)
    writer.map(row) { writer, column, value in
      writer.name(column)
      writer.value(value)
    }
    writer.list(waitsFor) { $0.object($1) }
    writer.list(hashes) { $0.fixed($1) }
    return writer.bytes
  }

  init(decoding bytes: ArraySlice<UInt8>) throws(StorageError) {
    var reader = try SyncReader(bytes)
    object = try reader.object()
    reason = try reader.flag() ? .unique : .parent
    isHeld = try reader.flag()
    row = try reader.map { reader throws(StorageError) in (try reader.name(), try reader.value()) }
    waitsFor = try reader.list { reader throws(StorageError) in try reader.object() }
    hashes = try reader.list { reader throws(StorageError) in try reader.fixed() }
    try reader.finish()
  }
}
