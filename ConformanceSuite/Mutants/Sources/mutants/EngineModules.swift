import MutantPlanting

/// The engines and the modules that have their code, from their descriptions in the sources.
struct EngineModules: Sendable {
  /// The names of the engines with their modules, those with the fewest modules first: these are the quickest to try.
  let engines: [(name: String, modules: [String])]

  /// What every engine uses.
  private static let shared = ["QuarryBackend", "QuarryQuery", "QuarryCore"]

  /// - Parameter sources: The texts of files by their paths from the package's root.
  init(_ sources: [String: String]) throws {
    var found: [(name: String, modules: [String])] = []
    // An engine that a trait adds stands in a condition; it is not in the build that mutants are planted in.
    for (path, text) in sources where path.contains("/EngineDescription+") && !text.hasPrefix("#if") {
      guard let name = text.firstMatch(of: /name: "([a-z-]+)", scheme:/)?.1,
        let modules = text.firstMatch(of: /modules: \[([^\]]*)\]/)?.1
      else { continue }
      found.append((String(name), modules.matches(of: /"(\w+)"/).map { String($0.1) }))
    }
    guard !found.isEmpty else { throw Problem("no engine describes itself in the sources") }
    engines = found.sorted { ($0.modules.count, $0.name) < ($1.modules.count, $1.name) }
  }

  /// The engines on which code is tried, those that are quickest first: code that all engines share with three of them.
  /// Rows from before a property was added, which the flat file keeps as they were, are there only where a store persists.
  func engines(for file: String) -> [String] {
    let folder = file.split(separator: "/").dropFirst().first.map(String.init) ?? ""
    let own = engines.filter { $0.modules.contains(folder) }.map(\.name)
    if own.isEmpty { return engines.prefix(3).map(\.name) }
    return folder == "QuarryMemory" ? own + [Self.namedMemory] : own
  }

  /// The engines on which a mutant is tried.
  func engines(for mutant: Mutant) -> [String] {
    mutant.engines.isEmpty ? engines(for: mutant.file) : mutant.engines
  }

  /// Those for which most mutants wait come first.
  var all: [String] { engines.map(\.name) + [Self.namedMemory] }

  /// Stores in memory under names, which persist.
  private static let namedMemory = "memory:name"

  /// Whether mutants are planted in the file: in the engines, and in what they and their user have in common.
  func isPlanted(_ path: String) -> Bool {
    let modules = Self.shared + engines.flatMap(\.modules)
    return path.hasSuffix(".swift") && modules.contains { path.hasPrefix("Sources/\($0)/") }
  }
}
