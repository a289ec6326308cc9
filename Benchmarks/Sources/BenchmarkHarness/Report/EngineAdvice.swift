/// When to choose an engine: three sentences, with the figures of the run.
public struct EngineAdvice: Sendable, Codable, Equatable {
  public var engine: String
  /// What it is for, what it does with the mix, and what it costs.
  public var sentences: [String]

  /// The sentences as a paragraph.
  var text: String { sentences.joined(separator: " ") }
}

extension Adviser {
  /// What to say of each engine, the fastest first.
  var advice: [EngineAdvice] {
    contenders.map { EngineAdvice(engine: $0.name, sentences: [purpose($0), performance($0), costs($0)]) }
  }

  private func purpose(_ engine: BenchmarkReport.Engine) -> String {
    let name = engine.name
    let trait = trait(name)
    if engine.durability == .none {
      return "Choose \(name) for data that may be gone with the process: caches, tests, results that can be made again."
    }
    if trait?.keepsAllInMemory == true {
      return "Choose \(name) for one file without a library, which one process uses, and whose rows fit into memory."
    }
    let sharing = trait?.isShared == true ? "several processes" : "one process"
    return trait?.isReadByOthers == true
      ? "Choose \(name) for files that other tools read, too, and that \(sharing) may use."
      : "Choose \(name) for a store that only Quarry reads, and that \(sharing) may use."
  }

  private func performance(_ engine: BenchmarkReport.Engine) -> String {
    let name = engine.name
    var text = "It does \(mix(name))"
    if name != choice.name { text += ", \(ratio(name, to: choice.name))" }
    let rivals = engine.durability == .none ? contenders : pool
    let ahead = kinds.filter { work in
      rivals.count > 1 && rate(work.id, name) > 0
        && rivals.allSatisfy { $0.name == name || rate(work.id, $0.name) < rate(work.id, name) }
    }
    let titles = ahead.prefix(4).map { "\($0.title.lowercased()) (\(Format.rate(rate($0.id, name)))/s)" }
    if titles.isEmpty { return text + "." }
    let whom = rivals.count == contenders.count ? "the quickest" : "the quickest of those that survive a loss of power"
    let more = ahead.count > titles.count ? ["\(ahead.count - titles.count) more"] : []
    return text + ", and is \(whom) at \(list(titles + more))."
  }

  private func costs(_ engine: BenchmarkReport.Engine) -> String {
    let name = engine.name
    let footprint = report.footprint(name, data.rows)
    var costs: [String] = []
    if let bytes = footprint?.diskBytes {
      costs.append("\(Format.bytes(bytes)) on the disk (\(bytes / max(1, data.rows)) B a row)")
    }
    if let memory = footprint?.memory { costs.append("\(Format.bytes(memory.privateBytes)) of memory") }
    if let time = openingTime(name) { costs.append("\(time) to open") }
    let keepsAll = trait(name)?.keepsAllInMemory == true
    let rows = keepsAll ? "It keeps all rows in memory" : "It reads rows as they are asked for"
    return rows + (costs.isEmpty ? "." : ": \(list(costs)) for \(self.rows).")
  }
}
