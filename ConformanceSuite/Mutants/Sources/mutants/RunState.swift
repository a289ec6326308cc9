import Foundation
import MutantPlanting

/// What has been found so far, kept in a file, so that an interrupted run goes on where it was.
struct RunState: Codable {
  /// Of the package's own sources: with other ones nothing that was found counts.
  var sources = ""
  /// Of the kit's: with another one, what survived unexplained is tried again.
  var kit = ""
  /// The ids of mutants that the compiler refused.
  var refused: Set<String> = []
  /// The tools that were built, by what they were built of.
  var tools: [String: String] = [:]
  var results: [String: MutantResult] = [:]

  static func read(_ file: URL, sources: [String: String], _ arguments: Arguments) -> RunState {
    let fresh = RunState(
      sources: fingerprint(sources) { $0.hasPrefix("Sources/") },
      kit: fingerprint(sources) { !$0.hasPrefix("Sources/") })
    guard let data = try? Data(contentsOf: file), var state = try? JSONDecoder().decode(RunState.self, from: data)
    else { return fresh }
    if state.sources != fresh.sources { state.results = [:] }
    // What did not compile will not compile: it is only tried again where its line has changed.
    if state.kit != fresh.kit {
      state.results = state.results.filter { $0.value.isFound || arguments.explain($0.value) }
    }
    state.sources = fresh.sources
    state.kit = fresh.kit
    return state
  }

  private static func fingerprint(_ sources: [String: String], of isMeant: (String) -> Bool) -> String {
    let texts = sources.filter { isMeant($0.key) }.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
    return String(Fingerprint.of(texts), radix: 16)
  }

  /// What a tool is built of.
  func name(_ mutants: [Int: Mutant], isOptimized: Bool) -> String {
    let ids = mutants.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.id) \($0.value.change)" }
    return String(Fingerprint.of(ids + [sources, kit, isOptimized ? "" : "debug"]), radix: 16)
  }

  func write(_ file: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try encoder.encode(self).write(to: file, options: .atomic)
  }
}
