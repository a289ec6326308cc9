import Foundation
import Testing

@Suite("Watching on the command line")
struct WatchTests {
  /// A watch that runs beside, until it has seen enough.
  private final class Watch {
    private let process = Process()
    private let file: URL

    init(_ shop: Workshop, _ arguments: String...) throws {
      file = shop.directory.appending(path: "watched-\(UUID().uuidString)")
      try Data().write(to: file)
      process.executableURL = Quarry.executable
      process.arguments = ["watch"] + arguments
      process.currentDirectoryURL = shop.directory
      process.standardOutput = try FileHandle(forWritingTo: file)
      try process.run()
    }

    var lines: [String] {
      get throws { try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init) }
    }

    /// Waits until so many lines were printed.
    func wait(for count: Int) throws {
      for _ in 0..<3_000 {
        if try lines.count >= count { return }
        Thread.sleep(forTimeInterval: 0.01)
      }
      try #require(try lines.count >= count)
    }

    /// Its status when it has seen enough.
    func end() -> Int32 {
      process.waitUntilExit()
      return process.terminationStatus
    }
  }

  @Test("What another process commits is printed, commit by commit", arguments: ["sqlite:w.db", "lmdb:w.lmdb"])
  func changes(_ url: String) throws {
    let shop = try Workshop.cities()
    try #require(
      try shop.quarry("import", "cities.csv", "--into", url, "--model", "City", "--key", "id").status == 0)
    let watch = try Watch(shop, url, "City", "--where", "area > 80", "--sort", "-area", "--count", "3")
    try watch.wait(for: 3)
    for (condition, assignment, lines) in [
      ("id == 3", "area=900", 5), ("id == 5", "area=100", 6), ("id == 2", "area=1", 7),
    ] {
      try #require(try shop.quarry("update", url, "City", "--where", condition, "--set", assignment).status == 0)
      try watch.wait(for: lines)
    }
    #expect(watch.end() == 0)
    let marks = try watch.lines.map { String($0.prefix(8)) }
    #expect(marks == ["= id: 2,", "= id: 3,", "= id: 1,", "> id: 3,", "~ id: 3,", "+ id: 5,", "- id: 2,"])
    #expect(try watch.lines[4].hasSuffix("area: 454.1 -> 900.0") || watch.lines[4].hasSuffix("area: 454.1 -> 900"))
  }

  @Test func linesOfJSONHaveEverything() throws {
    let shop = try Workshop.cities()
    let watch = try Watch(shop, "sqlite:s.db", "City", "--where", "id == 1", "--format", "jsonl", "--count", "1")
    try watch.wait(for: 1)
    let update = try shop.quarry("update", "sqlite:s.db", "City", "--where", "id == 1", "--set", "people=7")
    try #require(update.status == 0)
    #expect(watch.end() == 0)
    struct Line: Decodable {
      struct City: Decodable { var people: Int? }
      var event: String
      var version: Int
      var place: Int
      var from: Int?
      var object: City
      var old: City?
      var properties: [String]?
    }
    let lines = try watch.lines.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    #expect(lines.map(\.event) == ["initial", "updated"])
    #expect(lines.map(\.object.people) == [434_008, 7] && lines.last?.old?.people == 434_008)
    #expect(lines.last?.properties == ["people"] && lines.last?.from == 0)
    #expect(lines[0].version < lines[1].version)
  }

  @Test func whatCannotBeWatchedIsSaidAtOnce() throws {
    let shop = try Workshop.cities()
    #expect(try shop.quarry("watch", "sqlite:s.db", "Cty").code == "invalidQuery")
    #expect(try shop.quarry("watch", "sqlite:s.db", "City", "--where", "nme == 1").code == "invalidQuery")
    #expect(try shop.quarry("watch", "sqlite:none.db", "City").code == "notFound")
    try #require(
      try shop.quarry("import", "cities.csv", "--into", "file:c.quarry", "--model", "City", "--key", "id").status == 0)
    #expect(try shop.quarry("watch", "file:c.quarry", "City").code == "unsupported")
    #expect(try shop.quarry("watch", "sqlite:s.db", "City", "--count", "-1").status == 64)
    let initial = try shop.quarry("watch", "sqlite:s.db", "City", "--sort", "id", "--count", "0")
    #expect(initial.status == 0 && initial.lines.count == 5)
  }
}
