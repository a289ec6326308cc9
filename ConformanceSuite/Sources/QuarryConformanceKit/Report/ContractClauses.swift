public import QuarryBackend

/// The clauses of the contract, to compare cases with. A test compares the list with `docs/contract.md`.
public enum ContractClauses {
  /// Every clause, in the order of the contract.
  public static let all: [String] = ConformanceArea.all.flatMap(\.clauses)

  /// Clauses that no case can bring about on every engine by calls, files and processes, and where they are tested.
  public static let outOfReach: [String: String] = [
    "FILE-2": "is about the command, which the kit does not start: the tests of the tool",
    "SCH-4": "needs a store of a newer format, which each engine writes otherwise: the engines' own tests",
    "OPEN-22": "URLs name the engines of this package alone: StoreURLTests, and the fuzz target store-url",
    "TXN-14": "needs an engine with a server, whose connections are cut: the engine's own tests",
    "DUR-6": "needs a store of an older format, which each engine had otherwise: the engines' own tests",
  ]

  /// The clauses that no case cites and that a case could, in the order of the contract.
  public static func uncovered(by cases: [ConformanceCase]) -> [String] {
    let cited = Set(cases.flatMap(\.clauses))
    return all.filter { !cited.contains($0) && outOfReach[$0] == nil }
  }

  /// Codes that no sound engine of this version can be brought to by the kit, and why.
  public static let unprovokable: [StorageError.Code: String] = [
    .schemaTooNew: "needs a store of a newer format, which each engine writes otherwise: the engines' own tests",
    .unavailable: "needs an engine with a server that cannot be reached: the engine's own tests",
    .commitUnknown: "needs an engine with a server, whose connections are cut: the engine's own tests",
  ]

  /// The codes that were not provoked, of those that the harness lets the kit provoke.
  static func unprovoked(_ provoked: Set<StorageError.Code>, _ harness: any ConformanceHarness) -> [String] {
    StorageError.Code.all.filter { code in
      !provoked.contains(code) && unprovokable[code] == nil && isDue(code, harness)
    }.map(\.description)
  }

  /// A store that does not last cannot be opened for reading with something in it, has no files that could be damaged,
  /// and is no other process's. The system refuses things to a second process alone.
  private static func isDue(_ code: StorageError.Code, _ harness: any ConformanceHarness) -> Bool {
    let hasProcess = harness.isPersistent && harness.secondProcess?.obstacle == nil && harness.secondProcess != nil
    switch code {
    case .readOnly: return harness.isPersistent
    case .wrongKey, .keyRequired, .notEncrypted:
      return harness.isPersistent && harness.manifest.capabilities[.openEncryption]?.isSupported == true
    case .corrupt, .io, .full: return hasProcess
    case .inUse: return hasProcess && harness.manifest.sharing == .oneProcess
    default: return true
    }
  }
}
