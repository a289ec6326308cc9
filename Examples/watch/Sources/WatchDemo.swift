import Foundation
import Quarry
import QuarryEngines

/// Two processes on one store: one writes, one keeps a list by what it is told of the other's commits. Ends with an error when
/// the list is ever another than what a fetch gives.
@main
struct WatchDemo {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.count == 2, arguments.first == "play", let url = arguments.last { return try Player.play(url) }
    let folder = FileManager.default.temporaryDirectory.appending(path: "watch-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for engine in ["sqlite", "lmdb"] {
      let watcher = try Watcher(url: "\(engine):\(folder.path)/scores.\(engine)")
      let seen = try await watcher.run()
      print(
        "\(engine): \(seen.changes) changes kept the list as it is stored,",
        "\(seen.compared) of them compared with a fetch of the same state")
    }
  }
}

/// Shows the ten best.
struct Watcher {
  let url: String
  let store: Store

  init(url: String) throws {
    self.url = url
    store = try Store(for: Score.self, url: url)
  }

  /// The list is another than what is stored.
  struct OtherList: Error {
    var list: [Score]
    var stored: [Score]
  }

  func run() async throws -> (changes: Int, compared: Int) {
    let best = Score.all.sorted(by: \.points, order: .reverse).limit(10)
    let process = try Process.run(URL(filePath: CommandLine.arguments[0]), arguments: ["play", url])
    defer { process.terminate() }
    var list: [Score] = []
    var (changes, compared) = (0, 0)
    for try await change in store.changes(of: best) {
      list = change.isInitial ? change.objects : change.applied(to: list)
      changes += 1
      let (version, stored) = try await store.read { tx in (try tx.version, try tx.fetch(best)) }
      if version == change.version {
        guard list == stored else { throw OtherList(list: list, stored: stored) }
        compared += 1
      }
      // The last that the player does.
      if list.first?.player == Player.last { break }
    }
    process.waitUntilExit()
    let stored = try await store.fetch(best)
    guard list == stored else { throw OtherList(list: list, stored: stored) }
    try store.close()
    return (changes, compared)
  }
}

/// Plays in the other process.
enum Player {
  static let last = "the winner"

  static func play(_ url: String) throws {
    let store = try Store(for: Score.self, url: url)
    var random = SystemRandomNumberGenerator()
    for round in 0..<60 {
      try store.write { tx in
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          let id = Int.random(in: 0..<25, using: &random)
          if round % 5 == 4 { try tx.delete(Score.self, id) }
          try tx.upsert(Score(id: id, player: "player \(id)", points: .random(in: 0..<1_000, using: &random)))
        }
      }
      Thread.sleep(forTimeInterval: 0.01)
    }
    try store.insert(Score(id: 1_000, player: last, points: 1_000_000))
    try store.close()
  }
}
