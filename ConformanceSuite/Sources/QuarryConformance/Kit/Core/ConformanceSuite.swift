/// All cases of this version of the kit.
public enum ConformanceSuite {
  /// The kit's version, which reports name.
  public static let version = "0.3"

  /// A line for each area, with what stands in its folder. A table that reaches into other areas stands where its subject
  /// is. A plan has the cases in the order of their ids, whatever this order is.
  public static let cases: [ConformanceCase] = [
    CRUDCases.all,
    UpsertCases.all, KeyFormCases.all, ModelsInTurnCases.all,
    StatementCases.all, ArithmeticCases.all, ChosenRowsCases.all, FaultCases.all, MisuseCases.all,
    PredicateCases.all, PredicateConstantCases.all, DecimalLiteralCases.all, CalculationCases.all, MembershipCases.all,
    PivotCases.all,
    KeyRangeCases.all, RandomQueryCases.all,
    TextCases.all, NeedleCases.all, NegatedTextCases.all,
    NestedCases.all, ElementCases.all, MemberCases.all, MemberDecodingCases.all, DecimalMemberCases.all,
    ForeignMemberCases.all,
    NegationCases.all,
    SortCases.all, TwoKeyCases.all, ManyRowsCases.all,
    PageCases.all, PageTypeCases.all, PagePrefixCases.all, PageKeyCases.all, PagePositionCases.all,
    AggregateCases.all, AggregateTypeCases.all, RoundingCases.all, ResultFormCases.all,
    IndexCases.all, IndexTypeCases.all, LookupCases.all, CompoundLookupCases.all,
    ValueCases.all, ValueTypeCases.all, NaNCases.all, UnreadableCases.all,
    TransactionCases.all, SavepointCases.all, AsynchronousCases.all, EmptyKeyCases.all,
    IsolationCases.all, WriteVersionCases.all, HermitageCases.all, HistoryCases.all,
    SnapshotCases.all, FrozenStoreCases.all, SharedSnapshotCases.all,
    OpeningCases.all, FileCases.all, PathCases.all, GoldenCases.all,
    SchemaCases.all, ChangeCases.all, NameCases.all, AgedCases.all, AgedObjectCases.all, RenameCases.all,
    ReindexingCases.all, OptionalityCases.all, ArrayDefaultCases.all,
    WideningCases.all, MigrationLossCases.all, MigrationBodyCases.all, NewObjectCases.all, MigrationPlanCases.all,
    MigrationStateCases.all, RehearsalCases.all, StartingOverCases.all,
    KilledMigrationCases.all, MigratingProcessCases.all, FullMigrationCases.all,
    CopyCases.all, DifferenceCases.all, DumpCases.all, SeedCases.all, KilledCopyCases.all,
    KeyErrorCases.all, CanaryCases.all, DamagedSealCases.all, RekeyCases.all, EncryptingCases.all, KilledSealCases.all,
    NonceCases.all, KeyedProcessCases.all, HotSealCases.all,
    ReferenceTypeCases.all, ReferenceWriteCases.all, DeleteRuleCases.all, DeferredReferenceCases.all,
    RelatedOpeningCases.all, RelatedReadCases.all, RelatedCallCases.all, RelatedMovingCases.all,
    RandomRelationCases.all, LinkCases.all, LinkListCases.all, LinkMigrationCases.all, RandomLinkCases.all,
    ReferencePathCases.all, OtherSideCases.all, PathOrderCases.all, PathCallCases.all, PathTimeCases.all,
    LimitCases.all, SizeCases.all, FullCases.all,
    CapabilityCases.all, RefusalCases.all,
    ErrorCases.all, ErrorCodeCases.all, ErrorTextCases.all, KeyTextCases.all,
    CareCases.all, CompactionCases.all, CompactedSizeCases.all, CompactionBesideCases.all, CompactionRuleCases.all,
    BackupCases.all, DamageCases.all, ForeignRowCases.all, RepairCases.all,
    KillCases.all, KilledCareCases.all, ClosedStoreCases.all,
    SharedReadCases.all, SharedWriteCases.all, SharedSchemaCases.all, SharedCrowdCases.all, HolderCases.all,
    ReentrancyCases.all, StatementInsideCases.all, StreamInsideCases.all, CodingInsideCases.all,
    FrontCases.all, OperatorCases.all, ReadCallCases.all, WriteCallCases.all, EverydayCases.all,
    TextGrammarCases.all, NotNilCases.all, QueryTreeCases.all,
    ConcurrencyCases.all, WaitingCases.all, WriterLineCases.all,
    ModelCases.all,
  ].flatMap { $0 }
}
