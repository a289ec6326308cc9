import QuarryBackend
import QuarryCore

// A replica belongs to the principal that first sent its entries.

extension StoreSync {
  /// Refuses a peer that speaks for a replica of another principal, and entries that the principal may not bring.
  ///
  /// - Throws: ``SyncDenial``, before anything is taken.
  package func admit(_ hello: SyncHello, of principal: SyncPrincipal?) throws {
    guard let principal else { return }
    try reading { work in
      for name in [hello.replica] + hello.names {
        guard try work.mayBelong(name, to: principal), !work.state.names.contains(name) else {
          throw SyncDenial.foreign.error
        }
      }
    }
  }

  /// Refuses messages that a client may not send to a hub, before anything is taken.
  ///
  /// Entries of others are taken up to the time for which a hub does not judge, because it was put back. The same holds for records.
  ///
  /// - Returns: The replicas that belong to the principal from now on.
  func admit(_ messages: [NumberedMessage], of principal: SyncPrincipal?) throws -> Set<ReplicaID> {
    try reading { work in
      guard work.state.role == .hub, principal != nil || keeper.program != nil else { return [] }
      var fresh: Set<ReplicaID> = []
      for numbered in messages {
        switch numbered.message {
        case .log(let entry):
          guard !work.state.knowledge.covers(entry.stamp), entry.mark.hlc > work.state.judgesAfter else { continue }
          guard let principal, !fresh.contains(entry.origin) else { continue }
          guard try work.mayBelong(entry.origin, to: principal), !work.state.names.contains(entry.origin) else {
            throw SyncDenial.foreign.error
          }
          fresh.insert(entry.origin)
        case .rows, .end:
          guard numbered.message.newest <= work.state.judgesAfter else { throw SyncDenial.rows.error }
        default: break
        }
      }
      return fresh
    }
  }

  /// Notes that replicas belong to a principal.
  func own(_ replicas: Set<ReplicaID>, _ principal: SyncPrincipal?) throws {
    guard let principal, !replicas.isEmpty else { return }
    let new = try reading { work in try replicas.filter { try work.owner(of: $0) == nil } }
    guard !new.isEmpty else { return }
    try changing { work in
      guard let writer = work.transaction as? any BackendWriteTransaction else { return }
      for replica in new where try !work.mayBelong(replica, to: principal) { throw SyncDenial.foreign.error }
      try work.schema.area.put(
        new.map { replica in
          var writer = SyncWriter()
          writer.value(.string(principal.name))
          return (AreaKey.owner(replica), writer.bytes)
        }, in: writer)
    }
  }
}

extension StoredWork {
  /// The name of the principal to whom a replica belongs; nil where it belongs to none.
  func owner(of replica: ReplicaID) throws(StorageError) -> String? {
    guard let bytes = try schema.area.value(AreaKey.owner(replica), in: transaction) else { return nil }
    var reader = try SyncReader(bytes[...])
    let name = try reader.text()
    try reader.finish()
    return name
  }

  func mayBelong(_ replica: ReplicaID, to principal: SyncPrincipal) throws(StorageError) -> Bool {
    let owner = try owner(of: replica)
    return owner == nil || owner == principal.name
  }
}
