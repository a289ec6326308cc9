import Foundation
import QuarryBackend
import QuarryCore
import QuarryCrashLab
import QuarryEncryption
import QuarryEngines
import QuarryTestSupport

// A second process of tests, which they kill: second-process ENGINE PATH plain|encrypted COMMAND ARGUMENTS.
//
//   write FIRST LAST                 writes of NoteWork, a line with its number after each commit
//   trim FIRST LAST                  the same, and removes all older change sets after each
//   operations FIRST LAST OPERATION torn|whole FOLDER
//                                    opens the store; then as `trim`, up to an operation on files in the folder, before which the
//                                    process ends; 0 for none. Prints `operations N` at the end
//   deliver READER LAST FILE         appends the author of each change set to a file, then acknowledges it, up to an author
//   store READER LAST                stores the author of each change set in the store, where it is acknowledged, up to an author
//   migrate                          opens the store for searchable notes, and prints `open` before

/// Prints a line that is there even if the process ends next.
func say(_ text: String) {
  let bytes = Array((text + "\n").utf8)
  _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
}

func number(_ place: Int) throws -> Int {
  guard place < CommandLine.arguments.count, let number = Int(CommandLine.arguments[place]) else {
    throw StorageError(.invalidValue, "argument \(place) is no number")
  }
  return number
}

func run() async throws {
  let arguments = CommandLine.arguments
  guard arguments.count > 4, let engine = EngineDescription.all.first(where: { $0.name == arguments[1] }) else {
    throw StorageError(.invalidValue, "second-process ENGINE PATH plain|encrypted COMMAND ARGUMENTS")
  }
  let encryption = arguments[3] == "encrypted" ? Encryption(try EncryptionKey(0..<32)) : nil
  var options = OpenOptions()
  // Kills are of the process alone.
  if arguments[4] != "operations" { options.durability = .processCrash }
  options.busyTimeout = 60
  if arguments[4] == "migrate" { say("open") } else { options.history = .on() }
  let store = try Store(
    models: NoteWork.models, in: engine.provider(at: arguments[2]), options: options, encryption: encryption)
  switch arguments[4] {
  case "write", "trim", "operations":
    if arguments[4] == "operations" {
      let operation = try number(7)
      guard crash_lab_begin(arguments[9], operation, arguments[8] == "torn" ? 1 : 0) == 0 else {
        throw StorageError(.invalidValue, "the path of the folder is too long")
      }
    }
    for write in try number(5)...number(6) {
      try NoteWork.write(write, in: store)
      say("\(write)")
      if arguments[4] != "write" { try store.history.trim(before: store.history.newest) }
    }
    if arguments[4] == "operations" { say("operations \(crash_lab_operations())") }
  case "deliver":
    let file = open(arguments[7], O_WRONLY | O_APPEND | O_CREAT, 0o600)
    for try await set in store.historyUpdates(as: arguments[5]) {
      let line = Array("\(set.author ?? "")\n".utf8)
      _ = line.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      say(set.author ?? "")
      try store.history.acknowledge(set.position, as: arguments[5])
      if set.author == arguments[6] { break }
    }
  case "store":
    for try await set in store.historyUpdates(as: arguments[5]) {
      try await store.write { tx in
        if let author = set.author, let number = Int(author) { try tx.insert(Delivery(number, author)) }
        try tx.acknowledge(set.position, as: arguments[5])
      }
      say(set.author ?? "")
      if set.author == arguments[6] { break }
    }
  default: break
  }
  try store.close()
}

alarm(120)
do {
  try await run()
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}
