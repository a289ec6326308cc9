import Foundation
import QuarryBackend
import QuarryCore
import QuarryTestSupport
import Testing

@testable import QuarrySync

/// A hub whose own entries were lost: SYNC-65.
@Suite struct HubBackupTests {
  @Test func theHubsOwnEntriesAreMissed() throws {
    let (hub, a) = (try SyncedPlace("sqlite"), try SyncedPlace("memory"))
    try hub.store.enableSync(as: .hub)
    try Store.replicate(a.store, hub.store)
    try hub.store.close()
    let backup = hub.path + ".backup"
    try FileManager.default.copyItem(atPath: hub.path, toPath: backup)
    try hub.reopenClosed()
    try hub.insert("Team", Record(["id": TeamModels.key(1), "name": "red"]))
    try Store.replicate(a.store, hub.store)
    try hub.store.close()
    try FileManager.default.removeItem(atPath: hub.path)
    try FileManager.default.copyItem(atPath: backup, toPath: hub.path)
    try hub.reopenClosed()
    let error = #expect(throws: StorageError.self) { try Store.replicate(a.store, hub.store) }
    #expect(error?.code == .unsupported && error?.cause as? SyncDenial == .wentBack)
    #expect(try a.rows("Team").count == 1)
    try hub.sync.restored()
    #expect(try Store.replicate(a.store, hub.store).isEqual)
    #expect(try hub.rows("Team").count == 1)
  }
}
