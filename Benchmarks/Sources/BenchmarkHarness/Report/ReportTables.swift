/// The tables of a report as rows of text, the first being the head: what all forms of a report show.
struct ReportTables {
  let report: BenchmarkReport

  init(_ report: BenchmarkReport) {
    self.report = report
  }

  /// Workloads by engines.
  func throughput(_ size: Int, showsSpread: Bool) -> [[String]] {
    let engines = report.engines.map(\.name)
    let rows = report.workloads.compactMap { work -> [String]? in
      let cells = engines.map { engine -> String in
        guard let result = report.result(work.id, engine, size) else { return "–" }
        var text = Format.figure(result.rates.median, work.display)
        if showsSpread { text += " ±" + Format.percent(result.rates.spread) }
        if let ratio = report.ratio(work.id, engine, size) {
          text += " " + (ratio.isSettled ? Format.ratio(ratio.median) : Self.unsettled)
        }
        return text
      }
      return cells.allSatisfy { $0 == "–" } ? nil : [work.title] + cells
    }
    return [["workload"] + engines] + rows
  }

  /// What stands for a ratio whose rounds are too far from each other.
  static let unsettled = "×?"

  /// The ratios to peers that are left out, and how many there are; nil where none is left out.
  var noise: String? {
    let ratios = report.results.compactMap { report.ratio($0.workload, $0.engine, $0.size) }
    let count = ratios.count { !$0.isSettled }
    guard count > 0 else { return nil }
    return
      "\(count) of \(ratios.count) ratios are left out (\(Self.unsettled)): their rounds are more than 10 % off the "
      + "median, because something else kept the machine busy"
  }

  /// Latencies of a size.
  func latencies(_ size: Int) -> [[String]] {
    var rows = [["workload", "engine", "p50", "p95", "p99", "p99.9", "most"]]
    for work in report.workloads {
      for engine in report.engines {
        guard let latency = report.result(work.id, engine.name, size)?.latency else { continue }
        let figures = [latency.p50, latency.p95, latency.p99, latency.p999, latency.max]
        rows.append([work.title, engine.name] + figures.map { Format.duration($0) })
      }
    }
    return rows
  }

  /// Bytes on disk and in memory, for an object.
  var footprints: [[String]] {
    var rows = [["engine", "objects", "disk/object", "disk", "peak memory", "of it private"]]
    for footprint in report.footprints {
      let size = max(1, footprint.size)
      rows.append([
        footprint.engine, Format.count(footprint.size), footprint.diskBytes.map { "\($0 / size) B" } ?? "–",
        footprint.diskBytes.map { Format.bytes($0) } ?? "–",
        footprint.memory.map { Format.bytes($0.peakBytes) } ?? "–",
        footprint.memory.map { Format.bytes($0.privateBytes) } ?? "–",
      ])
    }
    return rows
  }

  /// Nanoseconds of an operation by size.
  var growth: [[String]] {
    let sizes = report.sizes
    var rows = [["workload", "engine"] + sizes.map { Format.count($0) } + ["growth"]]
    for work in report.workloads {
      for engine in report.engines {
        let rates = sizes.map { report.result(work.id, engine.name, $0)?.rates.median }
        guard let first = rates.first ?? nil, let last = rates.last ?? nil, last > 0 else { continue }
        rows.append(
          [work.title, engine.name] + rates.map { $0.map { Format.duration(1e9 / $0) } ?? "–" }
            + [Format.ratio(first / last)])
      }
    }
    return rows
  }

  var goals: [[String]] {
    [["goal", "engine", "objects", "wanted", "found", ""]]
      + GoalState.all(of: report).map {
        [$0.workload, $0.engine, $0.size, $0.wanted, $0.found, $0.verdict]
      }
  }

  /// The circumstances, as names and values.
  var circumstances: [(String, String)] {
    let machine = report.machine
    var list = [
      ("Machine", "\(machine.processor), \(machine.cores) cores, \(Format.bytes(machine.memoryBytes))"),
      ("System", "\(machine.system); stores on \(machine.fileSystem)"), ("Swift", report.run.swift),
      ("Commit", report.run.commit), ("Date", report.run.date), ("Command", report.run.command),
      (
        "Rounds",
        "\(report.run.rounds), interleaved between engines, after a warm-up; seed \(report.run.seed); "
          + "took \(ProgressLine.duration(report.run.seconds))"
      ),
    ]
    list += report.data?.circumstances ?? []
    for engine in report.engines {
      let durability =
        switch engine.durability {
        case .powerLoss: "every commit synchronised to the disk"
        case .processCrash: "commits outlive the process, not a loss of power"
        case .none: "not durable: gone with the process"
        }
      list.append((engine.name, "\(engine.summary), \(engine.version); \(durability)"))
    }
    if machine.fileSystem == "tmpfs" {
      list.append(("Caution", "tmpfs lies in memory: commits cost nothing of what they cost on a disk"))
    }
    if let noise { list.append(("Caution", noise)) }
    if !report.isComplete { list.append(("Incomplete", "the run was interrupted; this is only a part")) }
    return list
  }
}
