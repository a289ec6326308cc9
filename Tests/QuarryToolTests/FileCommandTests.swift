import Foundation
import Testing

/// Backups that are put in their place, and processes without standard streams.
@Suite struct FileCommandTests {
  private static let stores = ["file:a.quarry", "sqlite:a.db", "lmdb:a.lmdb"]

  private func make(_ workshop: Workshop, _ url: String) throws {
    try workshop.write("id,name\n1,one\n2,two\n3,three\n", "a.csv")
    #expect(try workshop.quarry("import", "a.csv", "--into", url, "--model", "Thing", "--key", "id").status == 0)
  }

  @Test(arguments: stores) func aBackupIsRestored(url: String) throws {
    let workshop = try Workshop()
    try make(workshop, url)
    #expect(try workshop.quarry("backup", url, "copy").status == 0)
    #expect(try workshop.quarry("delete", url, "Thing", "--where", "id > 1").status == 0)
    #expect(try workshop.quarry("restore-backup", "copy", url).code == "inUse")
    let restored = try workshop.quarry("restore-backup", "copy", url, "--replace")
    #expect(restored.status == 0)
    #expect(restored.lines.count == 2)
    #expect(restored.lines.last?.contains(".quarantine-") == true)
    #expect(try workshop.quarry("count", url, "Thing").lines == ["3"])
    #expect(try workshop.quarry("restore-backup", "copy", "memory:").code == "unsupported")
    #expect(try workshop.quarry("restore-backup", "nothing", url, "--replace").code == "notFound")
  }

  @Test(arguments: stores) func aProcessWithoutStreamsHarmsNoStore(url: String) throws {
    let workshop = try Workshop()
    try make(workshop, url)
    let quoted = "'\(Quarry.executable.path)'"
    for closed in ["<&-", ">&-", "2>&-", "<&- >&-", ">&- 2>&-", "<&- >&- 2>&-"] {
      for command in ["update '\(url)' Thing --where 'id > 1' --set name=x", "check '\(url)'", "stat '\(url)'"] {
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", "\(quoted) \(command) \(closed)"]
        shell.currentDirectoryURL = workshop.directory
        shell.standardInput = FileHandle.nullDevice
        shell.standardOutput = FileHandle.nullDevice
        shell.standardError = FileHandle.nullDevice
        try shell.run()
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 0, "\(command) \(closed)")
      }
    }
    #expect(try workshop.quarry("check", url).status == 0)
    #expect(try workshop.quarry("count", url, "Thing").lines == ["3"])
  }
}
