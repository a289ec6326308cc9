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
    try a.close()
    try b.close()
  }
}
