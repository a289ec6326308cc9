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
  /// What is left of results of other sources; nil in a file of before there were any.
  private var earlier: [String: EarlierResult]?

  init(sources: String = "", kit: String = "") {
    self.sources = sources
    self.kit = kit
  }

  static func read(_ file: URL, sources: [String: String], _ arguments: Arguments) -> RunState {
    let fresh = RunState(
      sources: fingerprint(sources) { $0.hasPrefix("Sources/") },
      kit: fingerprint(sources) { !$0.hasPrefix("Sources/") })
    guard let data = try? Data(contentsOf: file), var state = try? JSONDecoder().decode(RunState.self, from: data)
    else { return fresh }
    if state.sources != fresh.sources {
      state.forget { _ in true }
    } else if state.kit != fresh.kit {
      // What did not compile will not compile: it is only tried again where its line has changed.
      state.forget { !$0.isFound && !arguments.explain($0) }
    }
    state.sources = fresh.sources
    state.kit = fresh.kit
    return state
  }

  /// Drops results, of which only ``EarlierResult`` stays.
  mutating func forget(_ isMeant: (MutantResult) -> Bool) {
    var earlier = self.earlier ?? [:]
    for (id, result) in results where isMeant(result) {
      // One that was interrupted says nothing that the results before it did not.
      if result.isFound || !result.tried.isEmpty { earlier[id] = EarlierResult(finding: result.finding) }
      results[id] = nil
    }
    self.earlier = earlier
  }

  /// What found the mutant in other sources, if anything did.
  func earlierFinding(of mutant: Mutant) -> Trial? { earlier?[mutant.id]?.finding }

  /// Whether the mutant survived in other sources.
  func survivedEarlier(_ mutant: Mutant) -> Bool { earlier?[mutant.id].map { $0.finding == nil } ?? false }

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

/// What a mutant's result in other sources says about where to begin. It is no result itself.
struct EarlierResult: Codable, Equatable {
  /// What found the mutant; nil when it survived.
  var finding: Trial?
}
