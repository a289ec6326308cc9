import Foundation
import QuarryBackend
import QuarryCore
import QuarryFlatFile
import QuarryLMDB
import QuarrySQLite
import QuarryTestSupport

// Writes a small store of each engine into a folder that is not there yet: golden-stores FOLDER.

func write(_ place: any BackendProvider) throws {
  let store = try Store(models: [], in: place, migration: .to(1))
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
  // Locks are not part of a store.
  try? FileManager.default.removeItem(atPath: folder + "/lmdb/lock.mdb")
} catch {
  print("error: \(error)")
  exit(1)
}
