extension BenchmarkReport {
  /// A report on the user's own data.
  public init(machine: Machine, run: Run, engines: [BenchmarkEngine], works: [Work], data: DataSection) {
    self.init(machine: machine, run: run, engines: engines, workloads: [])
    workloads = works
    // There are no peers in such a run.
    for index in self.engines.indices { self.engines[index].peer = nil }
    self.data = data
  }

  /// The workloads of a run on the user's own data, which the recommendation looks for.
  public enum DataWork {
    public static let load = "load"
    public static let open = "open"
    public static let mix = "mix"
    /// What threads read beside the mix.
    public static let readers = "readers"
    /// One of the user's queries, by its place among them.
    public static func ownQuery(_ place: Int) -> String { "query-\(place + 1)" }
  }
}

extension Effort {
  /// Rounds of so many operations of a mix.
  public static func mixed(_ operations: Int) -> Effort {
    Effort(points: operations, commits: 0, queries: 0, rows: 0)
  }
}
