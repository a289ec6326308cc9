import Foundation
import Testing

/// What `dump`, `export`, `backup` and `key` may take the place of.
@Suite struct OutputCommandTests {
  let shop: Workshop

  init() throws {
    shop = try Workshop.cities()
    for url in ["sqlite:a.db", "file:a.quarry", "lmdb:a.lmdb"] {
      let outcome = try shop.quarry("import", "cities.csv", "--into", url, "--model", "City", "--key", "id")
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
  }

  private func path(_ name: String) -> String { shop.directory.appendingPathComponent(name).path }

  private func run(_ arguments: [String]) throws -> Quarry.Outcome { try Quarry.run(arguments, in: shop.directory) }

  /// Files of stores of every engine, closed and of the store itself.
  private static let files = ["a.db", "a.quarry", "a.lmdb/data.mdb", "a.lmdb/lock.mdb"]

  @Test(arguments: files, ["sqlite:a.db", "file:a.quarry", "lmdb:a.lmdb"])
  func noStoreIsReplaced(_ file: String, _ url: String) throws {
    let path = self.path(file)
    guard FileManager.default.fileExists(atPath: path) else { return }
    let before = FileManager.default.contents(atPath: path)
    try FileManager.default.createSymbolicLink(atPath: self.path("link.csv"), withDestinationPath: path)
    try FileManager.default.linkItem(atPath: path, toPath: self.path("other.csv"))
    for name in [file, "link.csv", "other.csv"] {
      for force in [[], ["--force"]] {
        let dumped = try run(["dump", url, "--to", name] + force)
        #expect(dumped.code == "inUse", "\(name) \(force): \(dumped.output)\(dumped.errors)")
        guard name.hasSuffix(".csv") else { continue }
        let exported = try run(["export", url, "City", "--to", name] + force)
        #expect(exported.code == "inUse", "\(name) \(force): \(exported.output)\(exported.errors)")
      }
    }
    // Whoever opens a store of LMDB writes down its locks.
    #expect(file.hasSuffix("lock.mdb") || FileManager.default.contents(atPath: path) == before)
    #expect(try shop.quarry("count", url, "City").output == "5\n")
  }

  @Test(arguments: ["a.db-wal", "a.db-shm", "a.db-journal", "a.quarry._quarry.partial"])
  func noOutputGetsTheNameOfAFileOfAStore(_ name: String) throws {
    for arguments in [
      ["dump", "sqlite:a.db", "--to", name], ["backup", "file:a.quarry", name], ["key", "new", "--file", name],
    ] {
      let outcome = try run(arguments)
      #expect(["inUse", "invalidValue"].contains(outcome.code), "\(arguments): \(outcome.errors)")
      #expect(!FileManager.default.fileExists(atPath: path(name)))
    }
  }

  @Test func aKeyIsNotReplaced() throws {
    #expect(try shop.quarry("key", "new", "--file", "k.csv").status == 0)
    // A key of another length is known where the command is given it.
    try shop.write("a passphrase of many letters and no number", "own.csv")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o600], ofItemAtPath: path("own.csv"))
    for force in [[], ["--force"]] {
      #expect(try run(["dump", "sqlite:a.db", "--to", "k.csv"] + force).code == "inUse")
      #expect(try run(["export", "sqlite:a.db", "City", "--to", "k.csv"] + force).code == "inUse")
    }
    #expect(try shop.quarry("copy", "sqlite:a.db", "file:s.quarry", "--to-key-file", "own.csv").status == 0)
    let outcome = try shop.quarry(
      "dump", "file:s.quarry", "--key-file", "own.csv", "--to", "own.csv", "--force")
    // Behind the note that a dump is plain.
    #expect(outcome.errors.contains("error: inUse"), "\(outcome.output)\(outcome.errors)")
    #expect(try shop.read("own.csv") == "a passphrase of many letters and no number")
  }

  @Test func anotherFileIsReplacedWhereThatIsSaid() throws {
    try shop.write("old", "out.csv")
    #expect(try shop.quarry("export", "sqlite:a.db", "City", "--to", "out.csv").code == "inUse")
    #expect(try shop.quarry("dump", "sqlite:a.db", "--to", "out.csv").code == "inUse")
    #expect(try shop.read("out.csv") == "old")
    #expect(try shop.quarry("export", "sqlite:a.db", "City", "--to", "out.csv", "--force").status == 0)
    #expect(try shop.read("out.csv").hasPrefix("id,"))
    let report = try shop.quarry("conformance", "memory:", "--case", "TXN.rollback", "--json", "out.csv")
    #expect(report.status == 64, "\(report.errors)")
    #expect(try shop.read("out.csv").hasPrefix("id,"))
  }

  @Test func whatAKilledExportLeftIsRemoved() throws {
    let leftover = ".out.csv.abc._quarry.partial"
    try shop.write("left", leftover)
    try shop.write("mine", ".out.csv.partial")
    #expect(try shop.quarry("export", "sqlite:a.db", "City", "--to", "out.csv").status == 0)
    #expect(!FileManager.default.fileExists(atPath: path(leftover)))
    #expect(try shop.read(".out.csv.partial") == "mine")
  }

  @Test func anImportThatFailsLeavesNoStore() throws {
    try shop.write("id,name\n1,a\n1,b\n", "twice.csv")
    for url in ["sqlite:new.db", "file:new.quarry", "lmdb:new.lmdb"] {
      let outcome = try shop.quarry("import", "twice.csv", "--into", url, "--model", "M", "--key", "id")
      #expect(outcome.code == "duplicateKey", "\(outcome.errors)")
      #expect(try shop.quarry("models", url).code == "notFound")
    }
  }

  @Test func aModelMayBeCalledAsTheMarkOnceWas() throws {
    let name = "unfinished copy"
    #expect(
      try shop.quarry("import", "cities.csv", "--into", "sqlite:b.db", "--model", name, "--key", "id").status == 0)
    #expect(try shop.quarry("count", "sqlite:b.db", name).output == "5\n")
    #expect(try shop.quarry("migrate", "sqlite:a.db", "--rename-model", "City=\(name)").status == 0)
    #expect(try shop.quarry("count", "sqlite:a.db", name).output == "5\n")
    #expect(try shop.quarry("dump", "sqlite:a.db", "--to", "d.jsonl").status == 0)
    #expect(try shop.quarry("restore", "d.jsonl", "lmdb:c.lmdb").status == 0)
    #expect(try shop.quarry("copy", "lmdb:c.lmdb", "file:d.quarry").status == 0)
    #expect(try shop.quarry("check", "file:d.quarry", "--repair").status == 0)
    #expect(try shop.quarry("migrate", "sqlite:a.db", "--rename-model", "\(name)=City").status == 0)
  }
}
