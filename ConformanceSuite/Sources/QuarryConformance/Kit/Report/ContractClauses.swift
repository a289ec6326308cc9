public import QuarryBackend

/// The clauses of the contract, to compare cases with. A test compares the list with `docs/contract.md`.
public enum ContractClauses {
  private static let counts: [(area: String, clauses: Int)] = [
    ("CRUD", 12), ("UPS", 4), ("STMT", 8), ("PRED", 12), ("TEXT", 6), ("NEST", 5), ("SORT", 5), ("PAGE", 3),
    ("AGG", 5), ("IDX", 4), ("VAL", 4), ("TXN", 8), ("ISO", 3), ("SNAP", 3), ("OPEN", 4), ("SCH", 4), ("LIM", 2),
    ("CAP", 4), ("ERR", 3),
  ]

  /// Every clause, in the order of the contract.
  public static let all: [String] = counts.flatMap { area, clauses in (1...clauses).map { "\(area)-\($0)" } }

  /// The clauses that no case cites, in the order of the contract.
  public static func uncovered(by cases: [ConformanceCase]) -> [String] {
    let cited = Set(cases.flatMap(\.clauses))
    return all.filter { !cited.contains($0) }
  }

  /// Codes that no sound engine of this version can be brought to by calls alone, and why. The engines' own tests
  /// provoke them with damaged files, small disks and second processes.
  public static let unprovokable: [StorageError.Code: String] = [
    .wrongKey: "no backend of this version has encryption",
    .schemaTooNew: "needs a store of a newer format",
    .full: "needs a full disk",
    .io: "needs an operating system that refuses",
    .corrupt: "needs a damaged file",
    .inUse: "needs an engine for one process, opened twice",
  ]

  /// The codes that were not provoked, of those that calls alone can bring about.
  static func unprovoked(_ provoked: Set<StorageError.Code>) -> [String] {
    StorageError.Code.all.filter { !provoked.contains($0) && unprovokable[$0] == nil }.map(\.description)
  }
}
