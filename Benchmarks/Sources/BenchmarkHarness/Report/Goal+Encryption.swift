// What encryption may cost.
extension Goal {
  /// Of the encrypted engines over the plain ones, and over SQLCipher.
  static let encryption: [Goal] = {
    var goals: [Goal] = []
    for engine in ["sqlite", "flat-file"] {
      for workload in ["get", "get-single", "scan", "index-fetch", "index-count", "filter", "insert-bulk"] {
        goals.append(Goal(workload, engine + "-encrypted", .over(engine), 0.9))
      }
    }
    for workload in ["get", "get-single", "get-frozen"] {
      goals.append(Goal(workload, "lmdb-encrypted", .over("lmdb"), 0.75))
    }
    for engine in ["sqlite", "flat-file", "lmdb"] {
      goals.append(Goal("insert-single", engine + "-encrypted", .over(engine), 0.9))
    }
    for workload in Workload.all { goals.append(Goal(workload.id, "sqlite-encrypted", .over("sqlcipher"), 1)) }
    return goals
  }()
}
