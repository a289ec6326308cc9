package import QuarryConformanceKit

/// Cases about files, processes, damage, encryption and sync.
package enum FileCaseList {
  /// A line for each area, with what stands in its folder.
  ///
  /// A table that reaches into other areas stands where its subject is. A plan has the cases in the order of their ids,
  /// whatever this order is.
  package static let cases: [ConformanceCase] = [
    OpeningCases.all, FileCases.all, PathCases.all, GoldenCases.all, AnyNumberCases.all,
    ReplacedStoreCases.all,
    KeyErrorCases.all, CanaryCases.all, DamagedSealCases.all, CutSealCases.all, RekeyCases.all, EncryptingCases.all,
    KilledSealCases.all,
    NonceCases.all, KeyedProcessCases.all, HotSealCases.all, SealedHeaderCases.all, SealedTailCases.all,
    ChangedKeyCases.all, OldSlotCases.all,
    CareCases.all, CompactionCases.all, CompactedSizeCases.all, CompactionBesideCases.all, CompactionRuleCases.all,
    BackupCases.all, DamageCases.all, MisplacedPageCases.all, LargeObjectDamageCases.all,
    OpenDamageCases.all,
    ForeignRowCases.all, RepairCases.all, RepairedEngineCases.all,
    GrowingStoreCases.all, RewrittenFileCases.all,
    KillCases.all, KilledCareCases.all, ClosedStoreCases.all, UnsyncedEndCases.all, LostPowerCases.all,
    SlowDiskCases.all,
    SharedReadCases.all, SharedWriteCases.all, SharedSchemaCases.all, SharedCrowdCases.all, HolderCases.all,
    FairTurnCases.all,
    DescriptorCases.all, PathLinkCases.all, OwnFileCases.all, ForeignLogCases.all, RestoringCases.all,
    PathLimitCases.all,
    SyncEnablingCases.all, SyncWriteCases.all, SyncMergeCases.all, SyncHeldCases.all, SyncSessionCases.all,
    SyncHubCases.all, SyncKilledCases.all, SyncUnfinishedCases.all,
    TreeDamageCases.all,
    PageStructureCases.all,
    LeftoverCases.all,
    SyncWaitingCases.all, SyncStampCases.all, SyncTombstoneCases.all, SyncResolverCases.all, SyncPartCases.all,
    SyncPartAnswerCases.all,
    OpenTwiceCases.all,
    LeftLockCases.all,
    ForkCases.all,
    MixedEndCases.all,
    KeptOnDiskCases.all,
    MixedSealCases.all,
    FailedRekeyCases.all,
    FailedUpdateCases.all,
  ].flatMap { $0 }
}
