import Foundation

let parts = ["writes", "bytes", "exchanges", "laws"]
let chosen = parts.filter(CommandLine.arguments.contains)
let folder = FileManager.default.temporaryDirectory.appending(path: "sync-cost-\(UUID().uuidString)").path
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(atPath: folder) }
for part in chosen.isEmpty ? Array(parts.dropLast()) : chosen {
  switch part {
  case "writes": try measureWrites(in: folder)
  case "bytes": try measureBytes(in: folder)
  case "exchanges": try measureExchanges(in: folder)
  default:
    let numbers = CommandLine.arguments.compactMap(Int.init)
    try Laws.run(in: folder, changes: numbers.first ?? 100_000, seed: UInt64(numbers.dropFirst().first ?? 1))
  }
}
