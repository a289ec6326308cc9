import QuarryBackend
import QuarryConformance
import QuarryHarnesses

/// What the engines say of themselves, as a table in Markdown.
enum EngineTable {
  /// What no manifest says: what an engine is good for, and its page.
  private static let purposes: [String: (page: String, purpose: String)] = [
    "memory": ("memory", "caches, tests, working sets"),
    "file": ("flat-file", "one file and no library: settings, documents, tools; all data in memory"),
    "sqlite": ("sqlite", "files that other tools read; most programs"),
    "lmdb": ("lmdb", "many reads, much data, several processes"),
  ]

  /// The lines of the table, the heads among them.
  static var lines: [String] {
    let engines = EngineHarnesses.all.map { scheme, make in (scheme, make(TemporaryFolder()).manifest) }
    let nowhere = nowhere
    return [
      "| engine | URL | good for | a commit survives | shared by | limits | not offered |",
      "|---|---|---|---|---|---|---|",
    ] + engines.map { row($0, $1, besides: nowhere) }
  }

  /// What no engine offers yet, which is no difference between them.
  static var nowhere: Set<Capability> {
    let all = EngineHarnesses.all.map { missing($0.make(TemporaryFolder()).manifest) }
    return all.dropFirst().reduce(all.first ?? []) { $0.intersection($1) }
  }

  private static func row(_ scheme: String, _ manifest: BackendManifest, besides: Set<Capability>) -> String {
    let about = purposes[scheme]
    let name = about.map { "[\(manifest.name)](docs/engines/\($0.page).md)" } ?? manifest.name
    let own = missing(manifest).subtracting(besides).map(\.rawValue).sorted()
    let cells = [
      name, "`\(scheme):`", about?.purpose ?? "", durability(manifest),
      manifest.sharing == .manyProcesses ? "many processes" : "one process", limits(manifest.limits),
      own.joined(separator: ", "),
    ]
    return "| " + cells.joined(separator: " | ") + " |"
  }

  private static func durability(_ manifest: BackendManifest) -> String {
    let name =
      switch manifest.durability {
      case .none: "nothing"
      case .processCrash: "the end of the process"
      case .powerLoss: "loss of power"
      }
    return manifest.capabilities[.openDurability]?.isSupported == true ? name + ", or less when asked" : name
  }

  private static func limits(_ limits: BackendManifest.Limits) -> String {
    let all = [
      limits.keyBytes.map { "keys of \(text($0)) bytes" }, limits.rowBytes.map { "rows of \(text($0)) bytes" },
      limits.properties.map { "\(text($0)) properties" }, limits.openSnapshots.map { "\(text($0)) snapshots" },
    ]
    let known = all.compactMap(\.self)
    return known.isEmpty ? "memory" : known.joined(separator: ", ")
  }

  private static func missing(_ manifest: BackendManifest?) -> Set<Capability> {
    Set((manifest?.capabilities ?? [:]).filter { !$0.value.isSupported }.keys)
  }

  /// A number with commas, as people read it.
  private static func text(_ number: Int) -> String {
    var digits = Array(String(number))
    for place in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: place) }
    return String(digits)
  }
}
