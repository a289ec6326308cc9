// What observers may cost those who write.
extension Goal {
  static let observation: [Goal] = ["memory", "flat-file", "sqlite", "lmdb"].map { engine in
    // 1.2 times the time of one.
    Goal("commit-observed-1000", engine, .overWorkload("commit-observed"), 1 / 1.2)
  }
}
