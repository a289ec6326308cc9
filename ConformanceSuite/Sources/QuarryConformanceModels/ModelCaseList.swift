package import QuarryConformanceKit

/// Cases about schemas, migration, relations and moving stores.
package enum ModelCaseList {
  /// A line for each area, with what stands in its folder.
  ///
  /// A table that reaches into other areas stands where its subject is. A plan has the cases in the order of their ids,
  /// whatever this order is.
  package static let cases: [ConformanceCase] = [
    SchemaCases.all, ChangeCases.all, NameCases.all, AgedCases.all, AgedObjectCases.all, RenameCases.all,
    ReindexingCases.all, OptionalityCases.all, ArrayDefaultCases.all,
    WideningCases.all, MigrationLossCases.all, MigrationBodyCases.all, NewObjectCases.all, MigrationPlanCases.all,
    MigrationStateCases.all, NeighbourCases.all, UntoldCases.all, KeyTypeCases.all, RehearsalCases.all,
    StartingOverCases.all,
    KilledMigrationCases.all, MigratingProcessCases.all, FullMigrationCases.all,
    CopyCases.all, DifferingCopyCases.all, DifferenceCases.all, DumpCases.all, SeedCases.all, KilledCopyCases.all,
    CopySourceCases.all, KilledMakingCases.all, OutputCases.all,
    ReferenceTypeCases.all, ReferenceWriteCases.all, DeleteRuleCases.all, DeferredReferenceCases.all,
    OpenReferenceCases.all, PrefetchCases.all,
    RelatedOpeningCases.all, RelatedReadCases.all, RelatedCallCases.all, RelatedMovingCases.all, RelatedRepairCases.all,
    RandomRelationCases.all, LinkCases.all, LinkListCases.all, LinkMigrationCases.all, RandomLinkCases.all,
    ReferencePathCases.all, OtherSideCases.all, PathOrderCases.all, PathCallCases.all, PathTimeCases.all,
    TableCases.all, LoadCases.all,
    OwnNameCases.all,
    TravelNameCases.all,
    HistorySchemaCases.all,
    RemadeObjectCases.all,
    PlanStageCases.all,
    DanglingReferenceCases.all,
    DroppedReferenceCases.all,
  ].flatMap { $0 }
}
