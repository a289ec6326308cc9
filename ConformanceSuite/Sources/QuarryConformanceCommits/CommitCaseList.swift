package import QuarryConformanceKit

/// Cases about transactions, and about what sees their commits.
package enum CommitCaseList {
  /// A line for each area, with what stands in its folder.
  ///
  /// A table that reaches into other areas stands where its subject is. A plan has the cases in the order of their ids,
  /// whatever this order is.
  package static let cases: [ConformanceCase] = [
    TransactionCases.all, SavepointCases.all, AsynchronousCases.all, EmptyKeyCases.all,
    IsolationCases.all, WriteVersionCases.all, HermitageCases.all, HistoryCases.all,
    SnapshotCases.all, FrozenStoreCases.all, SharedSnapshotCases.all, ClosingSnapshotCases.all,
    ObservationCases.all, ObservedWriteCases.all, ObservedObjectCases.all, RelatedObservationCases.all,
    OtherWriterCases.all, LiveCases.all, CacheCases.all, CaptureCases.all, MovedByteCases.all,
    RandomObservationCases.all,
    LateChangeCases.all, SharedDemandCases.all,
    LentRowCases.all, ReentrancyCases.all, StatementInsideCases.all, StreamInsideCases.all, CodingInsideCases.all,
    NestedStatementCases.all,
    ConcurrencyCases.all, ConflictCases.all, ConflictCases.frozen,
    ReportCases.all, WaitingCases.all, WriterLineCases.all, GroupCommitCases.all, GroupedCallCases.all,
    DraftEditCases.all, DraftStepCases.all, DraftSaveCases.all, DraftFetchCases.all, DraftConflictCases.all,
    StaleDraftCases.all, RandomDraftCases.all, DraftCornerCases.all,
    RecordedWriteCases.all, HistoryRuleCases.all, HistoryLengthCases.all,
    HistoryReaderCases.all,
    SectionCases.all, LiveListCases.all,
    SearchCases.all, SearchWordCases.all, SearchQueryCases.all, SearchWriteCases.all, SearchRankCases.all,
    SearchRelationCases.all, SearchIndexCases.all, SearchScriptCases.all, SearchKeyCases.all,
    SearchLanguageCases.all, SearchLanguageIndexCases.all, SearchCornerCases.all,
    LateObserverCases.all, KeptResultCases.all, MergedCommitCases.all, MeddledObservationCases.all,
    RepeatedWriteCases.all, GivenUpWriteCases.all,
  ].flatMap { $0 }
}
