import Foundation

// What histories, drafts and keys cost: scripts/history-cost [writes|drafts|keys|long]… [ENGINE]…

let arguments = Array(CommandLine.arguments.dropFirst())
let folder = FileManager.default.temporaryDirectory.appending(path: "quarry-history-cost-\(UUID().uuidString)").path
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(atPath: folder) }

if arguments.first == "long-part" {
  try LongHistory(engine: arguments[1], path: arguments[2]).run(arguments[3], count: Int(arguments[4]) ?? 0)
} else if arguments.first == "counted", let addition = Addition(rawValue: arguments[1]) {
  try countWrites(in: folder, addition, objects: Int(arguments[2]) ?? 1)
} else {
  let named = ["writes", "drafts", "keys", "long"].filter(arguments.contains)
  let parts = named.isEmpty ? ["writes", "drafts", "keys", "long"] : named
  if parts.contains("writes") { try measureWrites(in: folder) }
  if parts.contains("drafts") { try measureDrafts(in: folder) }
  if parts.contains("keys") { try measureKeys(in: folder) }
  if parts.contains("long") { try LongHistory.measure(in: folder) }
}
