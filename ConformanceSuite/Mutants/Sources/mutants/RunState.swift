import Foundation
import MutantPlanting

/// What a run has found so far, kept in a file, so that an interrupted one goes on where it was.
struct RunState: Codable {
  /// Of all that is copied: with other sources nothing that was found counts.
  var sources = ""
  /// Of the mutants that are planted: with other ones the controls do not count.
  var planted = ""
  /// The ids of mutants that the compiler refused.
  var refused: Set<String> = []
  var controls: [String: Controls.Control] = [:]
  var results: [String: MutantResult] = [:]

  static func read(_ file: URL, sources: [String: String]) -> RunState {
    let texts = sources.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
    let fingerprint = String(Fingerprint.of(texts), radix: 16)
    if let data = try? Data(contentsOf: file), let state = try? JSONDecoder().decode(RunState.self, from: data) {
      if state.sources == fingerprint { return state }
      // What did not compile will not compile: it is only tried again where its line has changed.
      return RunState(sources: fingerprint, refused: state.refused)
    }
    return RunState(sources: fingerprint)
  }

  func write(_ file: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try encoder.encode(self).write(to: file, options: .atomic)
  }
}
