import QuarryBackend

/// What follows from the name of a case for all cases of its kind.
enum ConformanceNeeds {
  /// What a backend has to offer for the cases of an area.
  ///
  /// A case that meets a refusal which is not listed here counts as refused too, if the manifest declares it and the
  /// refusal's own case passes: see ``ConformanceExecution``.
  static func capabilities(of id: String, area: String) -> Set<Capability> {
    var needs: Set<Capability> = area == "CAP" ? [] : [.transactions, .schemaCreateModel]
    switch area {
    case "UPS": needs.insert(.upsert)
    case "PRED": needs.insert(.queryCompare)
    case "TEXT": needs.insert(.queryText)
    case "NEST": needs.insert(.queryNested)
    case "SORT": needs.insert(.querySort)
    case "PAGE": needs.formUnion([.queryPaging, .queryLimit, .querySort])
    case "AGG": needs.insert(.queryAggregate)
    case "IDX": needs.formUnion([.indexPlain, .indexUnique])
    case "SNAP": needs.insert(.snapshots)
    case "REENT": needs.formUnion([.savepoints, .upsert])
    default: break
    }
    if id.hasPrefix("TXN.savepoint") { needs.insert(.savepoints) }
    if id.hasPrefix("OPEN.read-only") { needs.insert(.openReadOnly) }
    return needs
  }

  /// Variants in which the cases of an area say something else than they mean.
  ///
  /// Where a read is a write transaction, others wait for it: cases in which threads meet are about just that.
  static func senselessVariants(of id: String, area: String) -> Set<ConformanceVariant> {
    let meets = ["TXN.read-in-read", "TXN.async", "SNAP.threads", "SNAP.stream", "MODEL.thread"]
    if ["ISO", "CON", "MP", "DUR"].contains(area) || meets.contains(where: { id.hasPrefix($0) }) {
      return [.insideTransaction]
    }
    return []
  }
}
