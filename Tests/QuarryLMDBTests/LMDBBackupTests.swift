import Foundation
import QuarryBackend
import QuarryKeyValue
import QuarryTestSupport
import Testing

@testable import QuarryLMDB

@Suite struct LMDBBackupTests {
  let place: Place

  init() throws {
    place = try Place()
  }

  private var copyPath: String { place.folder + "/copy.lmdb" }

  private func backUp(_ engine: LMDBEngine, to path: String) -> StorageError.Code? {
    code { () throws(StorageError) in try engine.backup(to: path) { _, _ in true } }
  }

  /// The newest meta page of a copy is the first or the second, as the number of the commit is even or odd.
  @Test func aBackupGoesOnFromTheVersionOfTheStore() throws {
    let engine = try place.open()
    for number in 0..<6 {
      try engine.write { tx throws(StorageError) in try tx.put(1, key(number), [UInt8](repeating: 1, count: 9_000)) }
      let path = copyPath + String(number)
      try engine.backup(to: path) { _, _ in true }
      let copy = try place.open(creates: false, path: path)
      #expect(try copy.beginRead().version == engine.beginRead().version)
      for more in 10..<14 {
        try copy.write { tx throws(StorageError) in try tx.put(1, key(more), [2]) }
        #expect(try copy.value(1, key(number))?.count == 9_000)
      }
      #expect(try copy.check() == [])
      try copy.close()
      let again = try place.open(creates: false, path: path)
      #expect(try again.value(1, key(13)) == [2])
      try again.close()
    }
  }

  @Test func aBackupIsTheOwnersAlone() throws {
    let engine = try place.open()
    try engine.backup(to: copyPath + "/") { _, _ in true }
    func mode(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    #expect(try mode(copyPath) == 0o700)
    #expect(try mode(copyPath + "/data.mdb") == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: copyPath) == ["data.mdb"])
  }

  @Test func whatAKilledBackupLeftIsTakenOver() throws {
    let engine = try place.open()
    try engine.write { tx throws(StorageError) in try tx.put(1, [1], [1]) }
    try FileManager.default.createDirectory(atPath: copyPath + "._quarry.partial", withIntermediateDirectories: false)
    try Data(repeating: 7, count: 100_000).write(to: URL(fileURLWithPath: copyPath + "._quarry.partial/data.mdb"))
    #expect(backUp(engine, to: copyPath) == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder).sorted() == ["copy.lmdb", "store.lmdb"])
    #expect(try place.open(creates: false, path: copyPath).value(1, [1]) == [1])
  }

  @Test func anythingAtThePlaceIsInUse() throws {
    let engine = try place.open()
    #expect(backUp(engine, to: place.path) == .inUse)
    #expect(backUp(engine, to: place.path + "/data.mdb") == .inUse)
    try FileManager.default.createDirectory(atPath: copyPath, withIntermediateDirectories: false)
    #expect(backUp(engine, to: copyPath) == .inUse)
    #expect(backUp(engine, to: place.folder + "/nowhere/copy") == .notFound)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder).sorted() == ["copy.lmdb", "store.lmdb"])
  }
}
