import Foundation
import Quarry
import QuarryEngines

// Moves objects of a list of links to random places, one call each, and prints the time of a move: scripts/link-moves.

@Model struct Picture {
  var id: Int
}

@Model struct Show {
  var id: Int
  var rooms: Links<Picture>
}

let length = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 2_000
let moves = 2_000
let folder = FileManager.default.temporaryDirectory.appending(path: "quarry-link-moves-\(UUID().uuidString)").path
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(atPath: folder) }

/// What a list must be after the same moves.
func expected(_ places: [(Int, Int)]) -> [Int] {
  var list = Array(0..<length)
  for (from, to) in places { list.insert(list.remove(at: from), at: to) }
  return list
}

guard length > 0 else { exit(64) }
var random = SystemRandomNumberGenerator()
let places = (0..<moves).map { _ in
  (Int.random(in: 0..<length, using: &random), Int.random(in: 0..<length, using: &random))
}
let providers: [(String, any BackendProvider)] = [
  ("memory", .memory), ("flat file", .flatFile(at: folder + "/store.quarry")),
  ("SQLite", .sqlite(at: folder + "/store.db")), ("LMDB", .lmdb(at: folder + "/store.lmdb")),
]
for (name, provider) in providers {
  let store = try Store(models: [Show.self, Picture.self], in: provider)
  let show = Show(id: 1)
  try store.insert(show)
  let pictures = (0..<length).map { Picture(id: $0) }
  try store.insert(contentsOf: pictures)
  try show.rooms.append(contentsOf: pictures, in: store)
  let time = try ContinuousClock().measure {
    try store.write { tx in
      for (from, to) in places { try show.rooms.move(from: from, to: to, in: tx) }
    }
  }
  guard try store.fetch(show.rooms).map(\.id) == expected(places) else {
    print("\(name): the list is not what it must be")
    exit(1)
  }
  try store.close()
  print("\(name): \(moves) moves in a list of \(length): \(time), \(time / moves) each")
}
