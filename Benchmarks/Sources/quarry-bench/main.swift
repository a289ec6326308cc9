import BenchmarkCommand
import QuarryEngines

QuarryBench.main("quarry-bench", engines: QuarryEngines.all)
