import BenchmarkCommand
import BenchmarkEngines

QuarryBench.main("quarry-bench", engines: EngineList.all)
