/// Cases that are made from tables of types, operators and situations.
enum TableCases {
  static let all: [ConformanceCase] = [
    PredicateConstantCases.all, CalculationCases.all, OperatorCases.all,
    MembershipCases.all, PivotCases.all,
    NeedleCases.all, ElementCases.all, TwoKeyCases.all,
    PageTypeCases.all, AggregateTypeCases.all, IndexTypeCases.all, HermitageCases.all, HistoryCases.all,
    ConcurrencyCases.all, SnapshotCases.all, ValueTypeCases.all, ChangeCases.all, ArithmeticCases.all, MisuseCases.all,
    FaultCases.all, SizeCases.all, NameCases.all, ErrorCodeCases.all,
  ].flatMap { $0 }
}
