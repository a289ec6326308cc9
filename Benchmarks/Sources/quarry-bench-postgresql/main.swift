#if PostgreSQL
  import BenchmarkCommand
  import PostgreSQLEngines

  QuarryBench.main("quarry-bench-postgresql", engines: PostgreSQLEngines.all)
#else
  import Foundation

  try? FileHandle.standardError.write(
    contentsOf: Data("error: this program was built without the trait PostgreSQL: scripts/bench --postgres\n".utf8))
  exit(1)
#endif
