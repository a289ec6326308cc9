import Foundation
import HostilePeer
import QuarrySync

// Forged messages to synced stores, in rounds of one kind, one engine and one role: scripts/sync-hostile.
//   sync-hostile INPUTS SECONDS [KIND]…              until so many were tried, or so much time is over
//   sync-hostile again KIND ENGINE ROLE NUMBER        one round again
//   sync-hostile tiny CHANGES ENGINE                  one answer of so many entries

let arguments = Array(CommandLine.arguments.dropFirst())
/// The inputs of a round.
let ofRound = 400

func run(_ kind: HostileKind, _ scheme: String, _ role: SyncRole, _ number: Int) throws -> HostileTally {
  // What a crash leaves says what it was.
  if let path = ProcessInfo.processInfo.environment["QUARRY_SYNC_NOTE"] {
    try "\(kind.rawValue) \(scheme) \(role.rawValue) \(number)\n".write(
      toFile: path, atomically: false, encoding: .utf8)
  }
  var round = try HostileRound(kind, on: scheme, as: role, number: number)
  return try round.run(inputs: ofRound)
}

if arguments.count == 5, arguments[0] == "again", let kind = HostileKind(rawValue: arguments[1]),
  let role = SyncRole(rawValue: arguments[3]), let number = Int(arguments[4])
{
  print(try run(kind, arguments[2], role, number))
  exit(0)
}
if arguments.count == 3, arguments[0] == "tiny", let count = Int(arguments[1]) {
  print(try HostileStore.takeTinyChanges(count, on: arguments[2]))
  exit(0)
}
guard arguments.count >= 2, let wanted = Int(arguments[0]), let seconds = Double(arguments[1]) else {
  print("sync-hostile INPUTS SECONDS [KIND]…, or sync-hostile again KIND ENGINE ROLE NUMBER")
  exit(64)
}
let named = HostileKind.allCases.filter { arguments.contains($0.rawValue) }
let kinds = named.isEmpty ? HostileKind.allCases : named
let end = ContinuousClock.now + .seconds(seconds)
var tallies: [HostileKind: HostileTally] = [:]
var findings = 0
var total: Int { tallies.values.reduce(0) { $0 + $1.inputs } }
rounds: for number in 0... {
  for scheme in HostileStore.schemes {
    for role in SyncRole.allCases {
      for kind in kinds {
        guard total < wanted, ContinuousClock.now < end else { break rounds }
        do {
          let tally = try run(kind, scheme, role, number)
          tallies[kind] = (tallies[kind] ?? HostileTally()) + tally
        } catch {
          findings += 1
          print("found: \(error)")
        }
      }
    }
  }
}
print("kind\tinputs\taccepted\trefused")
for kind in kinds {
  let tally = tallies[kind] ?? HostileTally()
  print("\(kind.rawValue)\t\(tally.inputs)\t\(tally.accepted)\t\(tally.refused)")
}
let sum = tallies.values.reduce(HostileTally(), +)
print("all\t\(sum.inputs)\t\(sum.accepted)\t\(sum.refused)")
print("\(findings) findings")
exit(findings == 0 ? 0 : 1)
