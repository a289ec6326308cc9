import Foundation
import QuarryBackend
import QuarryCore
import QuarryEncryption
import QuarryEngines
import QuarryTestSupport

// Writes a small store of each engine into a folder that is not there yet: golden-stores FOLDER. With `compound`, one with compound
// keys, with `language`, one that is searched in a language, and with `sync`, one that is synced.

func write(_ place: any BackendProvider, _ encryption: Encryption? = nil) throws {
  let store = try Store(models: [], in: place, encryption: encryption, migration: .to(1))
  try EveryType.fill(store)
  try store.close()
}

/// Writes stores of one content alone: one for each engine.
func write(_ folder: String, _ fill: (Store) throws -> Void) throws {
  for engine in EngineDescription.all where engine.fileSuffix != nil {
    let store = try Store(models: [], in: engine.provider(at: engine.path(in: folder, engine.name)))
    try fill(store)
    try store.close()
  }
}

let fill: ((Store) throws -> Void)? =
  switch CommandLine.arguments.last {
  case "compound": CompoundType.fill
  case "language": LanguageType.fill
  default: nil
  }
let isSynced = CommandLine.arguments.last == "sync"
guard CommandLine.arguments.count == (fill == nil && !isSynced ? 2 : 3) else {
  print("usage: golden-stores FOLDER [compound|language|sync]")
  exit(2)
}
let folder = CommandLine.arguments[1]
do {
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
  if let fill { try write(folder, fill) }
  for engine in EngineDescription.all where engine.fileSuffix != nil && isSynced {
    try SyncedStores.write(
      engine.provider(at: engine.path(in: folder, engine.name)),
      engine.provider(at: engine.path(in: folder, "other-" + engine.name)))
  }
  // The bytes of the key are 0 to 31.
  let key = Encryption(try EncryptionKey(0..<32))
  for engine in EngineDescription.all where engine.fileSuffix != nil && fill == nil && !isSynced {
    try write(engine.provider(at: engine.path(in: folder, engine.name)))
    try write(engine.provider(at: engine.path(in: folder, "sealed-" + engine.name)), key)
    for variant in engine.variants {
      try write(engine.provider(at: engine.path(in: folder, variant.name), options: variant.options))
    }
  }
  // Locks are not part of a store.
  for path in try FileManager.default.subpathsOfDirectory(atPath: folder) where path.hasSuffix("/lock.mdb") {
    try FileManager.default.removeItem(atPath: "\(folder)/\(path)")
  }
} catch {
  print("error: \(error)")
  exit(1)
}
