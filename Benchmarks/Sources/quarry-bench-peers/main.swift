import BenchmarkCommand
import PeerEngines
import QuarryEngines

QuarryBench.main("quarry-bench-peers", engines: QuarryEngines.all + PeerEngines.all)
