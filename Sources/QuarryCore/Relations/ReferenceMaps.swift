import QuarryBackend
import Synchronization

/// The newest ``ReferenceMap`` of a store, kept from one transaction to the next.
final class ReferenceMaps: Sendable {
  /// A version of the schema that has no references, so that without references this is the only check.
  private let plain = Atomic<UInt64>(.max)
  private let newest = Mutex<ReferenceMap?>(nil)

  /// The references in the state that a transaction reads; nil where there are none.
  func map(of transaction: any BackendReadTransaction) -> ReferenceMap? {
    if transaction.schemaVersion == plain.load(ordering: .relaxed) { return nil }
    let schema = transaction.schema
    return newest.withLock { newest in
      if let newest, newest.version == schema.version { return newest }
      newest = ReferenceMap(schema)
      if newest == nil { plain.store(schema.version, ordering: .relaxed) }
      return newest
    }
  }
}
