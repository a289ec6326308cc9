import QuarryConformance

/// Every planted fault.
public enum PlantedFaults {
  public static let all: [PlantedFault] = [
    PredicateFault.faults, TextFault.faults, OrderFault.faults, PageFault.faults, AggregateFault.faults,
    ValueFault.faults, WriteFault.faults, UniqueFault.faults, TransactionFault.faults, OptionFault.faults,
    EngineFault.faults, LogFault.faults, FileFault.faults, CareFault.faults, BackupFault.faults, PresenceFault.faults,
    CornerFault.faults,
    ErrorFault.faults, ReentrancyFault.faults, MigrationFault.faults, MoveFault.faults,
    CipherFault.faults, KeyFault.faults, RelationFault.faults, LinkFault.faults,
    PathFault.faults, CaptureFault.faults, GroupFault.faults,
  ].flatMap { $0 }

  /// The ways in which faults are planted, without a fault: these have to pass every case.
  static let sound: [any ConformanceHarness] = [
    TwistedHarness("sound") { NoTwist() }, TwistedHarness("sorting") { SortingTwist() },
    TwistedHarness("unique") { UniqueTwist() }, TwistedHarness("recoded") { RecodingTwist() },
    FaultyEngineHarness(nil), LogHarness(nil), FileHarness(nil), CareHarness(nil),
    FileHarness("sound backup") { CarefulBackend($0, nil) }, SealedFileHarness(),
  ]
}
