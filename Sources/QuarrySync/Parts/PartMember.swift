import QuarryBackend

/// What a hub has said of an object of a part, besides its record.
struct PartMember: Hashable {
  /// Whether the object is in the part for itself, and not because others need it.
  var isWanted: Bool
  /// The columns that the hub shows as nil, with the stamps of the values that it hides.
  var blanks: [SyncName: Stamp]

  /// Nil for an object of which the record says all.
  init?(isWanted: Bool, blanks: [SyncName: Stamp]) {
    guard !isWanted || !blanks.isEmpty else { return nil }
    (self.isWanted, self.blanks) = (isWanted, blanks)
  }

  func encoded(_ object: ObjectID) -> [UInt8] {
    var writer = SyncWriter()
    writer.object(object)
    writer.flag(isWanted)
    writer.map(blanks) { writer, column, stamp in
      writer.name(column)
      writer.stamp(stamp)
    }
    return writer.bytes
  }

  static func decode(_ bytes: [UInt8]) throws(StorageError) -> (object: ObjectID, member: PartMember) {
    var reader = try SyncReader(bytes[...])
    let object = try reader.object()
    let isWanted = try reader.flag()
    let blanks: [SyncName: Stamp] = try reader.map { reader throws(StorageError) in
      (try reader.name(), try reader.stamp())
    }
    try reader.finish()
    guard let member = PartMember(isWanted: isWanted, blanks: blanks) else { throw SyncReader.damaged }
    return (object, member)
  }
}

extension SyncReplica {
  /// Takes over what is stored of some objects.
  mutating func note(_ members: [ObjectID: PartMember]) {
    for (object, member) in members {
      wanted[object] = member.isWanted
      if !member.blanks.isEmpty { blanks[object] = member.blanks }
    }
  }

  /// What is stored of an object.
  func member(_ object: ObjectID) -> PartMember? {
    PartMember(isWanted: wanted[object] ?? true, blanks: blanks[object] ?? [:])
  }
}

extension StoredWork {
  func member(_ object: ObjectID) throws(StorageError) -> PartMember? {
    guard let bytes = try schema.area.value(AreaKey.partMember(object), in: transaction) else { return nil }
    return try PartMember.decode(bytes).member
  }

  func allMembers() throws(StorageError) -> [ObjectID: PartMember] {
    var result: [ObjectID: PartMember] = [:]
    guard state.place != nil else { return result }
    try schema.area.forEach(AreaKey.Kind.partMember.prefix, in: transaction) { _, value throws(StorageError) in
      let (object, member) = try PartMember.decode(Array(value))
      result[object] = member
      return true
    }
    return result
  }

  /// Whether an object that is here refers to another one by `cascade` or `deny`, in its table or held.
  func isReferredTo(_ object: ObjectID) throws(StorageError) -> Bool {
    for (model, column) in schema.sync.referrers[object.model] ?? [] {
      guard let table = schema.tables[model], schema.sync.models[model]?.column(column)?.reference?.rule != .nullify
      else { continue }
      if try !table.objects([(column, object.key)], in: transaction).isEmpty { return true }
    }
    for other in try waiting(WaitHash.object(object)) {
      let row = try schema.tables[other.model]?.find(other, in: transaction)
      let births = try record(of: other, row: row).births
      if births.targets(schema.sync.models[other.model]).contains(object) { return true }
    }
    return false
  }
}

extension Births {
  /// What an object with these births refers to by `cascade` and `deny`.
  func targets(_ model: SyncModel?) -> Set<ObjectID> {
    guard let model, let flat = FlatObject(model, self) else { return [] }
    var result: Set<ObjectID> = []
    for (column, reference) in model.references where reference.rule != .nullify {
      if let key = flat.row[column], !key.isNull { result.insert(ObjectID(reference.model, key)) }
    }
    return result
  }
}
