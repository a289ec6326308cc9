package import QuarryConformanceKit

/// Cases about objects, queries and values.
package enum QueryCaseList {
  /// A line for each area, with what stands in its folder.
  ///
  /// A table that reaches into other areas stands where its subject is. A plan has the cases in the order of their ids,
  /// whatever this order is.
  package static let cases: [ConformanceCase] = [
    CRUDCases.all,
    UpsertCases.all, KeyFormCases.all, ModelsInTurnCases.all,
    StatementCases.all, ArithmeticCases.all, ChosenRowsCases.all, FaultCases.all, MisuseCases.all,
    PredicateCases.all, PredicateConstantCases.all, DecimalLiteralCases.all, CalculationCases.all, MembershipCases.all,
    PivotCases.all,
    KeyRangeCases.all, LongKeyRangeCases.all, RandomQueryCases.all,
    TextCases.all, NeedleCases.all, NegatedTextCases.all,
    NestedCases.all, ElementCases.all, MemberCases.all, MemberDecodingCases.all,
    ForeignMemberCases.all,
    NegationCases.all,
    SortCases.all, TwoKeyCases.all, ManyRowsCases.all,
    PageCases.all, PageTypeCases.all, PagePrefixCases.all, PageKeyCases.all, PagePositionCases.all,
    AggregateCases.all, AggregateTypeCases.all, RoundingCases.all, ResultFormCases.all,
    IndexCases.all, IndexTypeCases.all, LookupCases.all, CompoundLookupCases.all, LongRangeCases.all,
    ValueCases.all, ValueTypeCases.all, NaNCases.all, UnreadableCases.all,
    LimitCases.all, SizeCases.all, FullCases.all, ManyStoresCases.all, AnyCountCases.all,
    CapabilityCases.all, RefusalCases.all,
    ErrorCases.all, ErrorCodeCases.all, ErrorTextCases.all, KeyTextCases.all, ClockCases.all,
    FrontCases.all, OperatorCases.all, ReadCallCases.all, WriteCallCases.all, EverydayCases.all,
    TextGrammarCases.all, NotNilCases.all, QueryTreeCases.all, PathNameCases.all,
    ModelCases.all,
    GeneratedKeyCases.all, SequenceCases.all, CompoundKeyCases.all, CompoundQueryCases.all, CompoundModelCases.all,
    RuleCases.all,
    GroupCases.all, GroupFigureCases.all,
    NarrowTreeCases.all,
    FunctionCases.all,
    NeighbourConstantCases.all,
  ].flatMap { $0 }
}
