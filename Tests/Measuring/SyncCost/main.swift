import Foundation

let parts = ["writes", "bytes", "exchanges", "laws", "writers"]
let chosen = parts.filter(CommandLine.arguments.contains)
/// Where the stores of the laws stay.
let kept = CommandLine.arguments.firstIndex(of: "--keep").flatMap { place in
  CommandLine.arguments.dropFirst(place + 1).first
}
let folder =
  kept ?? FileManager.default.temporaryDirectory.appending(path: "sync-cost-\(UUID().uuidString)").path
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
defer { if kept == nil { try? FileManager.default.removeItem(atPath: folder) } }
for part in chosen.isEmpty ? Array(parts.prefix(3)) : chosen {
  switch part {
  case "writes": try measureWrites(in: folder)
  case "bytes": try measureBytes(in: folder)
  case "exchanges": try measureExchanges(in: folder)
  case "writers": try measureWriters()
  default:
    let numbers = CommandLine.arguments.compactMap(Int.init)
    try Laws.run(
      in: folder, changes: numbers.first ?? 100_000, seed: UInt64(numbers.dropFirst().first ?? 1), isKept: kept != nil)
  }
}
