/// Cases that are made from tables of types, operators and situations.
enum TableCases {
  static let all: [ConformanceCase] = [
    PredicateConstantCases.all, CalculationCases.all, OperatorCases.all, MembershipCases.all, PivotCases.all,
    NeedleCases.all, ElementCases.all, MemberCases.all, ForeignMemberCases.all,
    TwoKeyCases.all, PageTypeCases.all, AggregateTypeCases.all, IndexTypeCases.all, HermitageCases.all,
    HistoryCases.all,
    ConcurrencyCases.all, WaitingCases.all, SnapshotCases.all, ValueTypeCases.all, ChangeCases.all, ArithmeticCases.all,
    MisuseCases.all, FaultCases.all, SizeCases.all, NameCases.all, ErrorCodeCases.all, AgedCases.all,
    AgedObjectCases.all, RenameCases.all, NegationCases.all, RoundingCases.all, NegatedTextCases.all, NaNCases.all,
    KeyRangeCases.all, CompoundLookupCases.all, PagePrefixCases.all, EmptyKeyCases.all, SharedSnapshotCases.all,
    WriterLineCases.all, ReindexingCases.all, ClosedStoreCases.all, ChosenRowsCases.all, PageKeyCases.all,
    PagePositionCases.all, MemberDecodingCases.all, WriteVersionCases.all, TextGrammarCases.all,
    KeyFormCases.all, ManyRowsCases.all,
    ErrorTextCases.all, KeyTextCases.all, PathCases.all, UnreadableCases.all,
  ].flatMap { $0 }
}
