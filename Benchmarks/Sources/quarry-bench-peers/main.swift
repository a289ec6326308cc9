import BenchmarkCommand
import BenchmarkEngines
import PeerEngines

QuarryBench.main("quarry-bench-peers", engines: EngineList.all + PeerEngines.all)
