import Foundation
import Testing

/// The tool starts the kit's program, which stands beside it.
@Suite struct ConformanceCommandTests {
  @Test func theKitRunsWithTheToolsArguments() throws {
    let workshop = try Workshop()
    let outcome = try workshop.quarry(
      "conformance", "memory:", "--case", "TXN.rollback", "--variant", "fresh", "--json", "report.json")
    // A part of the kit awards no level.
    #expect(outcome.status == 2, "\(outcome.errors)")
    #expect(outcome.output.hasPrefix("memory: 1 runs planned"))
    #expect(try workshop.read("report.json").contains("\"id\" : \"TXN.rollback\""))
  }

  @Test func wrongUsageIsThatOfTheKit() throws {
    let workshop = try Workshop()
    let engine = try workshop.quarry("conformance", "nowhere:")
    #expect(engine.status == 64)
    #expect(
      engine.errors.contains(
        "nowhere: is no engine; there are memory:, file:, sqlite:, lmdb:, lmdb-checksums: and all"))
    let option = try workshop.quarry("conformance", "memory:", "--jobs", "0")
    #expect(option.status == 64)
    let help = try workshop.quarry("conformance", "--help")
    #expect(help.status == 0)
    #expect(help.output.contains("--fail-fast"))
  }

  @Test(
    arguments: [
      ("conformance", 3, "swift build -c release --product quarry-conformance"),
      ("benchmark", 1, "swift build -c release --package-path Benchmarks --scratch-path .build --product quarry-bench"),
    ] as [(String, Int32, String)])
  func withoutTheProgramItSaysHowToBuildIt(_ command: String, _ status: Int32, _ build: String) throws {
    let workshop = try Workshop()
    let alone = workshop.directory.appending(path: "quarry")
    // Copied by a process of its own: a child that another test starts meanwhile would keep the copy open for writing, and
    // what is open for writing cannot be run.
    let copying = try Process.run(URL(filePath: "/bin/cp"), arguments: [Quarry.executable.path, alone.path])
    copying.waitUntilExit()
    #expect(copying.terminationStatus == 0)
    let outcome = try Quarry.run([command, "memory:"], in: workshop.directory, program: alone)
    #expect(outcome.status == status)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains(build))
  }
}
