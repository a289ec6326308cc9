/// Every planted fault.
public enum PlantedFaults {
  public static let all: [PlantedFault] = [
    PredicateFault.faults, TextFault.faults, OrderFault.faults, PageFault.faults, AggregateFault.faults,
    ValueFault.faults, WriteFault.faults, UniqueFault.faults, TransactionFault.faults, OptionFault.faults,
    EngineFault.faults, LogFault.faults, FileFault.faults,
  ].flatMap { $0 }
}
