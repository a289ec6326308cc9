import QuarryConformanceCommand
import SortedStoreHarness

ConformanceCommand.main(SortedHarness())
