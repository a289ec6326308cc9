/// All cases of this version of the kit.
public enum ConformanceSuite {
  public static let cases: [ConformanceCase] = [
    CRUDCases.all, StatementCases.all, TransactionCases.all, PredicateCases.all, RandomQueryCases.all, SortCases.all,
    PageCases.all, AggregateCases.all, ValueCases.all, IndexCases.all, OpeningCases.all, SchemaCases.all,
    CapabilityCases.all, TextCases.all, NestedCases.all, FrontCases.all, CareCases.all,
  ].flatMap { $0 }

  /// The cases that can run on the harness's places. Those that are left out need what the harness says it has not.
  public static func cases(for harness: some ConformanceHarness) -> [ConformanceCase] {
    cases.filter { harness.isPersistent || !$0.requiresPersistence }
  }
}
