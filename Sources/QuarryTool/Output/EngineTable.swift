import QuarryBackend
import QuarryEngines

/// The manifests of the engines, as a table in Markdown.
enum EngineTable {
  /// The lines of the table, the heads among them.
  static var lines: [String] {
    let nowhere = nowhere
    return [
      "| engine | URL | good for | a commit survives | shared by | limits | not offered |",
      "|---|---|---|---|---|---|---|",
    ] + EngineDescription.all.map { row($0, besides: nowhere) }
  }

  /// Capabilities that no engine offers yet, and that are no difference between them.
  static var nowhere: Set<Capability> {
    let all = EngineDescription.all.map { missing($0.manifest) }
    return all.dropFirst().reduce(all.first ?? []) { $0.intersection($1) }
  }

  private static func row(_ engine: EngineDescription, besides: Set<Capability>) -> String {
    let manifest = engine.manifest
    let own = missing(manifest).subtracting(besides).map(\.rawValue).sorted()
    let cells = [
      "[\(manifest.name)](docs/engines/\(engine.name).md)", "`\(engine.scheme):`", engine.purpose,
      durability(manifest), manifest.sharing == .manyProcesses ? "many processes" : "one process",
      limits(manifest.limits), own.joined(separator: ", "),
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
    let sizes = [
      limits.keyBytes.map { "keys of \(text($0)) bytes" }, limits.rowBytes.map { "rows of \(text($0)) bytes" },
      limits.properties.map { "\(text($0)) properties" }, limits.openSnapshots.map { "\(text($0)) snapshots" },
    ].compactMap(\.self)
    let path = limits.pathBytes.map { ["\(text($0)) bytes of path"] } ?? []
    return ((sizes.isEmpty ? ["memory"] : sizes) + path).joined(separator: ", ")
  }

  private static func missing(_ manifest: BackendManifest) -> Set<Capability> {
    Set(manifest.capabilities.filter { !$0.value.isSupported }.keys)
  }

  /// A number with commas, as people read it.
  private static func text(_ number: Int) -> String {
    var digits = Array(String(number))
    for place in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: place) }
    return String(digits)
  }
}
