/// All cases of this version of the kit.
public enum ConformanceSuite {
  public static let cases: [ConformanceCase] = [
    CRUDCases.all, StatementCases.all, TransactionCases.all,
  ].flatMap { $0 }
}
