import QuarryBackend

extension SyncReplica {
  /// Trims the log, but for its last entries and for those that no peer has acknowledged: SYNC-29.
  ///
  /// - Parameters:
  ///   - keep: The number of entries that stay in any case.
  ///   - isUnsent: Whether no peer has acknowledged an entry.
  package mutating func trim(keeping keep: Int, isUnsent: (SyncEntry) -> Bool) {
    let end = max(0, log.count - max(0, keep))
    let old = log[..<end]
    for entry in old where !isUnsent(entry) { trimmed.raise(to: [entry.origin: entry.mark.hlc]) }
    log = old.filter(isUnsent) + log[end...]
  }

  /// Forgets the deletes of births that are known: SYNC-30. Later, replicas that missed them compare everything.
  package mutating func collect() {
    for (object, graves) in tombstones {
      let kept = graves.filter { !(knowledge.covers($0.key) && knowledge.covers($0.value.stamp)) }
      put(object, records[object] ?? [:], kept)
    }
    collected.raise(to: knowledge.vector.floors)
  }

  /// Goes on with another version of the models: SYNC-32 and SYNC-33. Writes no entry.
  package mutating func upgrade(_ schema: SyncSchema) {
    self.schema = schema
    var rules = MergeRules(schema)
    rules.learn(self.rules)
    rules.resolved = self.rules.resolved
    self.rules = rules
    refresh()
  }

  /// Adds rules of columns that other versions of the program have. A client also notes what its hub resolves.
  package mutating func learn(_ rules: MergeRules) {
    self.rules.learn(rules)
    if hasHub { self.rules.resolved = rules.resolved.filter { schema.models[$0] != nil } }
  }
}
