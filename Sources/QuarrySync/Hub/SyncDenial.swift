package import QuarryBackend

/// Why two stores do not exchange changes, although both are synced: the cause of an `unsupported`.
package enum SyncDenial: String, Error, CaseIterable {
  case twoHubs = "both stores are hubs; a hub exchanges changes with its clients alone"
  case hubAsks = "a hub answers its clients, and asks none of them"
  case hasHub = "this store has a hub, and exchanges changes with that alone"
  case otherHasHub = "the other store has a hub, and exchanges changes with that alone"
  case earlierHub = "the hub answers as it was before it was put back from a backup"
  case anotherHub = "this store has another hub: enableSync(as: .peer) leaves that one"
  case wentBack = "the hub has less than it had: it was put back from a backup, and its program must call restored()"
  case foreign = "the changes are of a replica that belongs to another principal"
  case rows = "a hub takes records from clients only after it was put back from a backup, and restored() was called"
  case noParts = "the hub gives parts, and its program has not declared them since it was opened"
  case noPrincipal = "the hub gives parts to principals, and this client has none"
  case lostPart =
    "the hub has lost changes of this store that are not in its log any more: end its sync and enable it again"
  case hasPart = "the store has a part of its hub alone: end its sync and enable it again to leave the hub"

  package var error: StorageError { StorageError(.unsupported, rawValue, cause: self) }
}
