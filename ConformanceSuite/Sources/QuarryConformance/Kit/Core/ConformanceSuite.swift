/// All cases of this version of the kit.
public enum ConformanceSuite {
  /// The kit's version, which reports name.
  public static let version = "0.1"

  public static let cases: [ConformanceCase] = [
    CRUDCases.all, StatementCases.all, TransactionCases.all, PredicateCases.all, RandomQueryCases.all, SortCases.all,
    PageCases.all, AggregateCases.all, ValueCases.all, IndexCases.all, OpeningCases.all, SchemaCases.all,
    CapabilityCases.all, RefusalCases.all, TextCases.all, NestedCases.all, FrontCases.all, LimitCases.all,
    ErrorCases.all, FileCases.all, CareCases.all, TableCases.all, GapCases.all, ModelCases.all, SharedReadCases.all,
    SharedWriteCases.all, SharedSchemaCases.all, SharedCrowdCases.all,
    HolderCases.all, KillCases.all, DamageCases.all, FullCases.all, ReentrancyCases.all, ForeignRowCases.all,
  ].flatMap { $0 }
}
