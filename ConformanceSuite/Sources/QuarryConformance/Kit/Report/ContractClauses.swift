public import QuarryBackend

/// The clauses of the contract, to compare cases with. A test compares the list with `docs/contract.md`.
public enum ContractClauses {
  private static let counts: [(area: String, clauses: Int)] = [
    ("CRUD", 12), ("UPS", 4), ("STMT", 8), ("PRED", 12), ("TEXT", 6), ("NEST", 5), ("SORT", 5), ("PAGE", 3), ("AGG", 5),
    ("IDX", 4), ("VAL", 4), ("TXN", 8), ("ISO", 3), ("SNAP", 3), ("OPEN", 4), ("SCH", 4), ("LIM", 2), ("CAP", 4),
    ("ERR", 3), ("CARE", 3),
  ]

  /// Every clause, in the order of the contract.
  public static let all: [String] = counts.flatMap { area, clauses in (1...clauses).map { "\(area)-\($0)" } }

  /// Clauses that no case can bring about on every engine by calls and files alone, and where they are tested.
  public static let outOfReach: [String: String] = [
    "CARE-2": "needs a store with damage inside, which each engine stores otherwise: the engines' own tests",
    "SCH-4": "needs a store of a newer format, which each engine writes otherwise: the engines' own tests",
    "LIM-2": "needs a full disk or map: the engines' own tests inject it",
  ]

  /// The clauses that no case cites and that a case could, in the order of the contract.
  public static func uncovered(by cases: [ConformanceCase]) -> [String] {
    let cited = Set(cases.flatMap(\.clauses))
    return all.filter { !cited.contains($0) && outOfReach[$0] == nil }
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

  /// The codes that were not provoked, of those that calls alone can bring about. A store that does not last cannot be
  /// opened for reading with something in it.
  static func unprovoked(_ provoked: Set<StorageError.Code>, isPersistent: Bool) -> [String] {
    StorageError.Code.all.filter { code in
      !provoked.contains(code) && unprovokable[code] == nil && (isPersistent || code != .readOnly)
    }.map(\.description)
  }
}
