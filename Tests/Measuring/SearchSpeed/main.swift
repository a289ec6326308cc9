import Foundation
import QuarryBackend
import QuarryEngines

// Text search on each engine beside SQLite's FTS5, and on PostgreSQL beside its tsvector: scripts/search-speed.

var arguments = Array(CommandLine.arguments.dropFirst())
let folder = FileManager.default.temporaryDirectory.appending(path: "quarry-search-speed-\(UUID().uuidString)").path
defer { try? FileManager.default.removeItem(atPath: folder) }

/// Takes a number from the beginning of the arguments.
@MainActor func takeNumber() -> Int? {
  guard let number = arguments.first.flatMap({ Int($0) }) else { return nil }
  arguments.removeFirst()
  return number
}

/// A store in a file or folder.
func subject(_ engine: EngineDescription, in folder: String) -> Subject {
  Subject(
    name: engine.name, place: { try engine.provider(at: engine.path(in: folder, $0)) },
    size: { bytes(below: engine.path(in: folder, $0)) },
    remove: { try? FileManager.default.removeItem(atPath: engine.path(in: folder, $0)) })
}

let (short, long) = (takeNumber(), takeNumber())
var corpora: [() throws -> Corpus] = [
  { Corpus("short texts", count: short ?? 1_000_000, words: 4...16) },
  { Corpus("long texts", count: long ?? 100_000, words: 100...260) },
]
for file in arguments { corpora.append { try Corpus(linesOf: file) } }
let engines = EngineDescription.all.filter { $0.path == .path && $0.name != "flat-file" }
for (number, corpus) in corpora.enumerated() {
  let place = "\(folder)/\(number)"
  try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
  let corpus = try corpus()
  guard !corpus.texts.isEmpty else { continue }
  try measure(corpus, FTS5("\(place)/peer.db"), engines.map { subject($0, in: place) })
  #if PostgreSQL
    if let server = ProcessInfo.processInfo.environment["QUARRY_TEST_POSTGRES"],
      let engine = EngineDescription.all.first(where: { $0.path == .connection })
    {
      let peer = try TextVector(server)
      let onServer = Subject(
        name: "postgresql",
        place: { try engine.provider(at: server, options: "schema=speed_\(number)_\($0)") },
        size: {
          try peer.analyze()
          return try peer.bytes(of: "speed_\(number)_\($0)")
        }, remove: { _ in })
      try measure(corpus, peer, [onServer])
    }
  #endif
  try FileManager.default.removeItem(atPath: place)
}
