import Foundation
import QuarryBackend
import QuarryCore
import QuarryEncryption
import QuarryFlatFile
import QuarryLMDB
import QuarrySQLite
import QuarryTestSupport

// Writes a small store of each engine into a folder that is not there yet: golden-stores FOLDER.

func write(_ place: any BackendProvider, _ encryption: Encryption? = nil) throws {
  let store = try Store(models: [], in: place, encryption: encryption, migration: .to(1))
  try EveryType.fill(store)
  try store.close()
}

guard CommandLine.arguments.count == 2 else {
  print("usage: golden-stores FOLDER")
  exit(2)
}
let folder = CommandLine.arguments[1]
do {
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
  try write(FlatFileConfiguration(path: folder + "/flat-file.quarry"))
  try write(SQLiteConfiguration(path: folder + "/sqlite.db"))
  try write(LMDBConfiguration(path: folder + "/lmdb"))
  try write(LMDBConfiguration(path: folder + "/checked-lmdb", checksums: true))
  // The bytes of the key are 0 to 31.
  let key = Encryption(try EncryptionKey(0..<32))
  try write(FlatFileConfiguration(path: folder + "/sealed-flat-file.quarry"), key)
  try write(SQLiteConfiguration(path: folder + "/sealed-sqlite.db"), key)
  try write(LMDBConfiguration(path: folder + "/sealed-lmdb"), key)
  // Locks are not part of a store.
  for name in ["lmdb", "checked-lmdb", "sealed-lmdb"] {
    try? FileManager.default.removeItem(atPath: folder + "/\(name)/lock.mdb")
  }
} catch {
  print("error: \(error)")
  exit(1)
}
