public import Foundation

/// Everything that a run found out.
public struct BenchmarkReport: Sendable, Codable, Equatable {
  /// The circumstances of a run.
  public struct Run: Sendable, Codable, Equatable {
    /// The command, without the paths that it was given.
    public var command: String
    public var commit: String
    public var swift: String
    public var date: String
    public var seed: UInt64
    public var rounds: Int
    public var sizes: [Int]
    public var effort: Effort
    public var seconds: Double

    public init(
      command: String, commit: String, swift: String, date: String, seed: UInt64, rounds: Int, sizes: [Int],
      effort: Effort, seconds: Double = 0
    ) {
      self.command = command
      self.commit = commit
      self.swift = swift
      self.date = date
      self.seed = seed
      self.rounds = rounds
      self.sizes = sizes
      self.effort = effort
      self.seconds = seconds
    }
  }

  public struct Engine: Sendable, Codable, Equatable {
    public var name: String
    public var summary: String
    public var version: String
    public var isQuarry: Bool
    public var durability: BenchmarkEngine.Durability
    public var peer: String?
  }

  public struct Work: Sendable, Codable, Equatable {
    public var id: String
    public var title: String
    public var unit: String
    public var explanation: String
    public var display: Workload.Display
    public var isBoundByCommits: Bool

    public init(
      id: String, title: String, unit: String, explanation: String, display: Workload.Display = .rate,
      isBoundByCommits: Bool = false
    ) {
      self.id = id
      self.title = title
      self.unit = unit
      self.explanation = explanation
      self.display = display
      self.isBoundByCommits = isBoundByCommits
    }
  }

  public struct Result: Sendable, Codable, Equatable {
    public var workload: String
    public var engine: String
    public var size: Int
    /// Operations of a round.
    public var operations: Int
    /// Operations in a second, of each round.
    public var rates: Statistics
    public var latency: LatencySummary?

    package init(
      workload: String, engine: String, size: Int, operations: Int, rates: Statistics, latency: LatencySummary?
    ) {
      self.workload = workload
      self.engine = engine
      self.size = size
      self.operations = operations
      self.rates = rates
      self.latency = latency
    }
  }

  /// What a store takes.
  public struct Footprint: Sendable, Codable, Equatable {
    public var engine: String
    public var size: Int
    /// Bytes of its files after a bulk insert and a clean close; nil for a store without files.
    public var diskBytes: Int?
    public var memory: MemoryFigures?

    package init(engine: String, size: Int, diskBytes: Int?, memory: MemoryFigures? = nil) {
      self.engine = engine
      self.size = size
      self.diskBytes = diskBytes
      self.memory = memory
    }
  }

  public struct Failure: Sendable, Codable, Equatable {
    public var workload: String
    public var engine: String
    public var size: Int
    public var message: String

    package init(workload: String, engine: String, size: Int, message: String) {
      self.workload = workload
      self.engine = engine
      self.size = size
      self.message = message
    }
  }

  /// The version of this form.
  public var format = BenchmarkReport.currentFormat
  public static let currentFormat = 1
  /// False when the run was interrupted: then it is only a part.
  public var isComplete = false
  public var machine: Machine
  public var run: Run
  public var engines: [Engine]
  public var workloads: [Work]
  public var results: [Result] = []
  public var footprints: [Footprint] = []
  public var failures: [Failure] = []
  /// What the run was about, where it was the user's own data.
  public var data: DataSection?

  public init(machine: Machine, run: Run, engines: [BenchmarkEngine], workloads: [Workload]) {
    self.machine = machine
    self.run = run
    self.engines = engines.map {
      Engine(
        name: $0.name, summary: $0.summary, version: $0.version, isQuarry: $0.isQuarry, durability: $0.durability,
        peer: $0.peer)
    }
    self.workloads = workloads.map {
      Work(
        id: $0.id, title: $0.title, unit: $0.unit, explanation: $0.explanation, display: $0.display,
        isBoundByCommits: $0.isBoundByCommits)
    }
  }

  public func result(_ workload: String, _ engine: String, _ size: Int) -> Result? {
    results.first { $0.workload == workload && $0.engine == engine && $0.size == size }
  }

  public func footprint(_ engine: String, _ size: Int) -> Footprint? {
    footprints.first { $0.engine == engine && $0.size == size }
  }

  /// The rate of an engine over that of its peer; nil where there is no peer in the run, or where the one makes durable
  /// what the other does not.
  public func ratio(_ workload: String, _ engine: String, _ size: Int) -> Statistics? {
    guard let described = engines.first(where: { $0.name == engine }), let peerName = described.peer,
      let peer = engines.first(where: { $0.name == peerName }),
      let work = workloads.first(where: { $0.id == workload }),
      !work.isBoundByCommits || described.durability == peer.durability
    else { return nil }
    return ratio(workload, engine, size, over: peerName)
  }

  /// The rate of an engine over that of any other.
  public func ratio(_ workload: String, _ engine: String, _ size: Int, over other: String) -> Statistics? {
    guard let own = result(workload, engine, size), let others = result(workload, other, size) else { return nil }
    return own.rates.ratio(to: others.rates)
  }

  /// The sizes of which there is something to show, ascending.
  public var sizes: [Int] { Set(results.map(\.size)).sorted() }

  public func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self)
  }

  /// - Throws: `BenchmarkError` when it is not a report, or one of a later form.
  public static func read(json: Data, name: String) throws -> BenchmarkReport {
    struct Form: Decodable { var format: Int }
    guard let form = try? JSONDecoder().decode(Form.self, from: json) else {
      throw BenchmarkError("\(name) is not a report of this benchmark")
    }
    guard form.format == currentFormat else {
      throw BenchmarkError("\(name) has the form \(form.format); this program reads \(currentFormat)")
    }
    do {
      return try JSONDecoder().decode(BenchmarkReport.self, from: json)
    } catch {
      throw BenchmarkError("\(name) is a damaged report: \(error)")
    }
  }
}

/// The memory of a process that did nothing but fill, scan and read one store.
public struct MemoryFigures: Sendable, Codable, Equatable {
  /// The most that was resident above what was resident before the store was opened, mapped files included.
  public var peakBytes: Int
  /// What was resident at the end above that, without the content of files.
  public var privateBytes: Int
}
