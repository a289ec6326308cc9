// What relations may cost, beside the same work without them.
extension Goal {
  static let relations: [Goal] = ["memory", "flat-file", "sqlite", "lmdb"].flatMap { engine in
    [
      Goal("insert-reference", engine, .overWorkload("insert-plain"), 0.6),
      Goal("fetch-with", engine, .overWorkload("fetch-plain"), 0.5, size: 10_000),
      Goal("delete-cascade", engine, .overWorkload("delete-notes"), 0.5),
    ]
  }
}
