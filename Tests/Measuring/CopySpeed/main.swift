import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines

// Copies a store to each engine with files, beside inserting the same objects there in one call: scripts/copying.

let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
let rounds = 3
let folder = FileManager.default.temporaryDirectory.appending(path: "quarry-copying-\(UUID().uuidString)").path
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(atPath: folder) }

func seconds(_ body: () throws -> Void) rethrows -> Double {
  let start = ContinuousClock.now
  try body()
  return (ContinuousClock.now - start) / .seconds(1)
}

func padded(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}

let engines = EngineDescription.all.filter { $0.fileSuffix != nil }
let books = (0..<count).map { Book($0) }
let source = try Store(models: [Book.self], in: .sqlite(at: folder + "/source"))
try source.insert(contentsOf: books)

print("to          inserted     copied   compared    ratio of copied to inserted, best of \(rounds) rounds")
for engine in engines {
  var inserted = Double.infinity
  var copied = Double.infinity
  var compared = Double.infinity
  for round in 0..<rounds {
    let place = try engine.provider(at: engine.path(in: folder, "\(engine.name)-\(round)"))
    let copy = try engine.provider(at: engine.path(in: folder, "\(engine.name)-\(round)-copy"))
    let store = try Store(models: [Book.self], in: place)
    inserted = min(inserted, try seconds { try store.insert(contentsOf: books) })
    try store.destroy()
    let report = try source.copy(to: copy)
    copied = min(copied, report.copySeconds)
    compared = min(compared, report.verificationSeconds)
    guard report.models.map(\.rows) == [count] else { fatalError("the copy has other objects") }
    try Store(opening: copy).destroy()
  }
  let figures = [inserted, copied, compared].map { padded(String(format: "%.2f s", $0), 11) }.joined()
  print(
    engine.name.padding(toLength: 9, withPad: " ", startingAt: 0) + figures
      + padded(String(format: "%.2f", inserted / copied), 9))
}
