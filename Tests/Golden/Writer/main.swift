import Foundation
import QuarryBackend
import QuarryCore
import QuarryEncryption
import QuarryEngines
import QuarryTestSupport

// Writes a small store of each engine into a folder that is not there yet: golden-stores FOLDER. With `compound`, one with compound
// keys.

func write(_ place: any BackendProvider, _ encryption: Encryption? = nil) throws {
  let store = try Store(models: [], in: place, encryption: encryption, migration: .to(1))
  try EveryType.fill(store)
  try store.close()
}

/// Writes the stores with compound keys alone: one for each engine.
func writeCompound(_ folder: String) throws {
  for engine in EngineDescription.all where engine.fileSuffix != nil {
    let store = try Store(models: [], in: engine.provider(at: engine.path(in: folder, engine.name)))
    try CompoundType.fill(store)
    try store.close()
  }
}

let hasCompound = CommandLine.arguments.last == "compound"
guard CommandLine.arguments.count == (hasCompound ? 3 : 2) else {
  print("usage: golden-stores FOLDER [compound]")
  exit(2)
}
let folder = CommandLine.arguments[1]
do {
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
  if hasCompound { try writeCompound(folder) }
  // The bytes of the key are 0 to 31.
  let key = Encryption(try EncryptionKey(0..<32))
  for engine in EngineDescription.all where engine.fileSuffix != nil && !hasCompound {
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
