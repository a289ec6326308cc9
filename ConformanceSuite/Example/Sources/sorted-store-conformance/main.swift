import Foundation
import QuarryConformanceCommand
import SortedStoreHarness

// A limit on the size of files is then an error of a call, `full`, and does not end the process.
signal(SIGXFSZ, SIG_IGN)
ConformanceCommand.main(SortedHarness())
