import QuarryBackend

extension StoreSync {
  /// The digest of what a peer sees of this store: of a hub with parts, that of its part.
  func digest(for theirs: SyncHello, _ principal: SyncPrincipal?) throws -> SyncDigest {
    try reading { work in try work.digest(of: part(of: theirs, principal, work)) }
  }
}

extension StoredWork {
  /// The digest of a part of the tables; of all where there is no part.
  ///
  /// - Complexity: O(n) for n objects of the part. Memory for a hash of each object that others need.
  func digest(of part: BoundPart?) throws(StorageError) -> SyncDigest {
    guard let part, !part.isEverything else { return try digest() }
    let members = PartMembers(part, self)
    // What chosen objects need has no order of its own.
    var needed: Set<UInt64> = []
    try members.forEachWanted(after: nil) { object, row, _ throws(StorageError) in
      for need in try members.needs(of: object, row) { needed.insert(WaitHash.object(need)) }
      return true
    }
    var digest = TableDigest()
    for name in schema.sync.models.keys.sorted() {
      guard let table = schema.tables[name], let model = schema.sync.models[name] else { continue }
      let isInside = { (object: ObjectID) throws(StorageError) -> Bool in
        if needed.contains(WaitHash.object(object)) { return true }
        return try members.isWanted(object)
      }
      try table.forEach(in: transaction) { object, row throws(StorageError) in
        guard try isInside(object) else { return }
        var row = row
        for (column, reference) in model.references where reference.rule == .nullify {
          guard let key = row[column], !key.isNull, try !isInside(ObjectID(reference.model, key)) else { continue }
          row[column] = .null
        }
        digest.add(object, row)
      }
    }
    return digest.finish()
  }
}
