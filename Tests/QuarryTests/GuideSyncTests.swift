import Foundation
import Quarry
import Testing

@Suite struct GuideSyncTests {
  @Test func theGuideRuns() throws {
    let folder = try DocumentationTests.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let (a, b, report) = try GuideSync.beginning(folder.path)
    #expect(report.isEqual && report.taken == (1, 1))
    #expect(try a.count(Reminder.all) == 2 && b.count(Reminder.all) == 2)
    try GuideSync.held(a)
    let status = try GuideSync.status(a)
    #expect(status.pending == 0 && status.held == 0 && status.peers.count == 1)
    try a.insert(Reminder(id: UUID(), title: ""))
    let (hub, decided) = try GuideSync.hub(folder.path, a)
    #expect(decided.isEqual)
    #expect(try a.count(Reminder.all) == 2 && a.held(Reminder.self).map(\.item.message) == ["a title is needed"])
    try GuideSync.decide(a)
    #expect(try Store.replicate(a, hub).isEqual)
    #expect(try hub.count(Reminder.where { $0.title == " (2)" }) == 1 && a.held(Reminder.self).isEmpty)
    try hub.close()
    try a.close()
    try b.close()
  }
}
