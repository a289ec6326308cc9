// What relations may cost, beside the same work without them.
extension Goal {
  static let relations: [Goal] = ["memory", "flat-file", "sqlite", "lmdb"].flatMap { engine in
    [
      Goal("insert-reference", engine, .overWorkload("insert-plain"), 0.6),
      Goal("fetch-with", engine, .overWorkload("fetch-plain"), 0.5, size: 10_000),
      Goal("delete-cascade", engine, .overWorkload("delete-notes"), 0.5),
      // What a scan into structs is to reach beside one from C.
      Goal("filter-through", engine, .over("raw-sqlite"), 0.55), Goal("filter-through", engine, .over("grdb"), 2),
    ]
  }
}
