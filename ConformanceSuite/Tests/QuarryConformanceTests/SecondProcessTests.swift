import Foundation
import QuarryBackend
import QuarryCore
import QuarryFlatFile
import QuarryHarnesses
import QuarryLMDB
import QuarryQuery
import QuarrySQLite
import Synchronization
import Testing

@testable import QuarryConformance
@testable import QuarryConformanceKit

/// A second process that is none, and one that does not follow, end in a report that says so, and soon.
@Suite struct SecondProcessTests {
  private static let meeting = ConformanceCase(
    "MP.a", ["MP-1"], "Meets.", requiresPersistence: true, requiresSecondProcess: true
  ) { kit in
    let place = try kit.makePlace()
    try kit.secondProcess(at: place, "open item", "insert 1", "close").finish()
    try expectEqual(try kit.open([Item.self], at: place).keys(Item.all), [1])
  }

  private static let greeting = "echo \"\(ConformanceChild.greeting)\""

  @Test func soundProcessPasses() {
    let report = SecondProcessHarness().report([Self.meeting])
    #expect(report.problems == [])
    #expect(report.runs.map(\.outcome) == ["passed"], "\(report.runs.map { $0.message ?? "" })")
  }

  @Test(
    arguments: [
      ("exit 1", "ended with exit code 1"), ("kill -9 $$", "was ended by signal 9"),
      ("echo sorry >&2; exit 3", "on standard error: sorry"), ("echo rubbish; exec sleep 60", "began with \"rubbish\""),
      ("exec /bin/yes", "began with \"y\""), ("yes | tr -d '\\n'", "a line that does not end"),
      ("exec 1>&-; exit 0", "ended with exit code 0 before it answered"),
      (greeting + "; exit 4", "ended with exit code 4 before it answered"),
      (greeting + "; read line; echo huh; exec sleep 60", "got huh"),
    ])
  func badProcessIsASuiteError(_ script: String, _ message: String) throws {
    let program = try Script(script)
    let report = SecondProcessHarness(program.path).report([Self.meeting])
    #expect(report.status == .suiteError)
    #expect(report.runs.isEmpty)
    #expect(report.problems.count == 1 && report.problems[0].contains(message), "\(report.problems)")
  }

  @Test(arguments: ["exec sleep 60", "echo '\(ConformanceChild.greeting)'; exec sleep 60"])
  func silentProcessIsWaitedForNoLongerThanPatience(_ script: String) throws {
    let program = try Script(script)
    let harness = SecondProcessHarness(program.path)
    let process = try SecondProcess(
      try #require(harness.secondProcess), at: "/nowhere", patience: .milliseconds(300), limit: 60)
    let start = ContinuousClock.now
    let failure = #expect(throws: ConformanceFailure.self) {
      try process.expectGreeting()
      try process.ask("open item")
    }
    #expect(failure?.message.contains("wrote nothing within") == true)
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  @Test func caseWhoseProcessHangsIsNamedAndItsProcessEnds() throws {
    let started = Box()
    let hanging = ConformanceCase(
      "MP.hangs", ["MP-1"], "Hangs.", requiresPersistence: true, requiresSecondProcess: true, within: .milliseconds(700)
    ) { kit in
      let child = try kit.secondProcess(at: try kit.makePlace(), "open item")
      started.value = child.id
      try child.answer()
    }
    let report = SecondProcessHarness().report([hanging, .passing("CRUD.a")]) { $0.patience = 1 }
    #expect(report.runs.map(\.outcome) == ["passed", "failed"])
    #expect(report.runs.last?.message?.contains("hung") == true)
    #expect(started.value > 0 && kill(started.value, 0) != 0 && errno == ESRCH)
  }

  private final class Box: @unchecked Sendable {
    // Unchecked: the test reads it after the case has ended.
    var value: Int32 = 0
  }

  @Test func missingProgramIsNotRun() {
    let report = SecondProcessHarness("no-such-program").report([Self.meeting])
    #expect(report.problems == [])
    #expect(report.runs.map(\.outcome) == ["notRun"])
    #expect(report.runs.first?.message?.contains("no-such-program") == true)
    #expect(!report.isComplete && report.levelAwarded == nil)
  }

  @Test func otherPlaceIsASuiteError() {
    var harness = SecondProcessHarness()
    harness.secondProcess = ConformanceProcess(
      "quarry-conformance", arguments: ["flat-file"],
      address: { ($0 as? SecondProcessHarness.Place).map { $0.inner.path + ".other" } },
      place: { FlatFileConfiguration(path: $0) })
    let report = harness.report([Self.meeting])
    #expect(report.status == .suiteError)
    #expect(report.problems.first?.contains("opened another place") == true)
  }

  @Test func errorsOfTheOtherProcessComeThrough() throws {
    let kit = ConformanceContext(SecondProcessHarness(), patience: 3)
    defer { kit.cleanUp() }
    let child = try kit.secondProcess(at: try kit.makePlace(), "open item", "insert 1")
    #expect(throws: StorageError.self) { try child.ask("insert 1") }
    #expect((#expect(throws: StorageError.self) { try child.ask("insert 1") })?.code == .duplicateKey)
    #expect((#expect(throws: StorageError.self) { try child.ask("no-such-command") })?.code == .unsupported)
    try child.expect("ids", "1")
    try child.ask("close")
    try child.ask("open accounts")
    #expect(throws: ConformanceFailure.self) { try child.ask("audit 1") }
    try child.finish()
  }
}

/// The cases find what is wrong, and name it.
@Suite struct ProcessFaultTests {
  private func outcome(_ id: String, _ harness: SecondProcessHarness) throws -> String {
    let testCase = try #require(ConformanceSuite.cases.first { $0.id == id })
    let runner = ConformanceExecution(harness, Self.selection)
    return runner.result(of: ConformanceRun(testCase, .fresh)).outcome.name
  }

  private static let selection: ConformanceSelection = {
    var selection = ConformanceSelection()
    selection.killCount = 3
    selection.patience = 3
    return selection
  }()

  @Test(arguments: [
    "DUR.killed-commits", "DUR.killed-idle", "MP.killed-holder", "MP.open-elsewhere", "DUR.killed-transaction",
    "MIG.killed-at-steps-block", "MIG.process-refused", "DUR.killed-backups-at-steps",
  ])
  func soundStorePasses(_ id: String) throws {
    #expect(try outcome(id, SecondProcessHarness()) == "passed")
  }

  /// A recovery that loses something of the last commit.
  @Test(arguments: ["DUR.killed-commits", "DUR.killed-recoveries", "DUR.killed-idle", "MP.killed-holder"])
  func lostCommitIsFound(_ id: String) throws {
    var harness = SecondProcessHarness()
    harness.open = { place, options throws(StorageError) in
      do {
        let store = try Store(models: [], in: place)
        try store.write { tx in
          for model in try tx.models() where ["Item", "Entry"].contains(model.name) {
            if let last = try tx.records.fetch(QueryTree(model: model.name)).last?["id"] {
              try tx.records.delete(
                QueryTree(model: model.name, predicate: .compare(.property(PropertyPath("id")), .equal, .value(last))))
            }
          }
        }
        try store.close()
      } catch {
        throw error as? StorageError ?? StorageError(.io, "\(error)")
      }
      return try place.open(options)
    }
    #expect(try outcome(id, harness) == "failed")
  }

  /// What a recovery after a migration that was not committed does, and must not do.
  enum HalfMigration: CaseIterable {
    case nameKept, indexMissing, versionKept, objectMissing

    func run(_ tx: WriteTransaction, _ book: ModelSchema) throws {
      switch self {
      case .nameKept: try tx.apply(.renameProperty(book.id, slot: 1, to: "name"))
      case .indexMissing: try tx.apply(.dropIndex(book.id, index: book.indexes[0].id))
      case .versionKept: try tx.apply(.setProgramVersion(2))
      case .objectMissing: try tx.records.delete(QueryTree(model: "Draft", limit: 1))
      }
    }
  }

  /// How often this process has opened each place, in the order in which it met them.
  private final class Openings: Sendable {
    private let counts = Mutex<[(path: String, count: Int)]>([])

    /// Notes an opening.
    ///
    /// - Returns: The number of the place, and that of the opening, from 0 on.
    func note(_ path: String) -> (place: Int, opening: Int) {
      counts.withLock { counts in
        guard let place = counts.firstIndex(where: { $0.path == path }) else {
          counts.append((path, 0))
          return (counts.count - 1, 0)
        }
        counts[place].count += 1
        return (place, counts[place].count)
      }
    }
  }

  /// A recovery that leaves something of a migration whose process was killed.
  @Test(arguments: HalfMigration.allCases)
  func halfMigrationIsFound(_ half: HalfMigration) throws {
    var harness = SecondProcessHarness()
    let openings = Openings()
    harness.open = { place, options throws(StorageError) in
      // The first place is for counting steps. The second is filled, looked at, and opened after the first kill.
      guard openings.note(place.path) == (1, 2) else { return try place.open(options) }
      do {
        let store = try Store(models: [], in: place)
        let book = try #require(try store.models().first { $0.name == "Book" })
        try store.write { try half.run($0, book) }
        try store.close()
      } catch {
        throw error as? StorageError ?? StorageError(.io, "\(error)")
      }
      return try place.open(options)
    }
    let testCase = try #require(ConformanceSuite.cases.first { $0.id == "MIG.killed-at-steps-block" })
    let result = ConformanceExecution(harness, Self.selection).result(of: ConformanceRun(testCase, .fresh))
    guard case .failed(let failure) = result.outcome else {
      Issue.record("\(half) is not found")
      return
    }
    #expect(failure.message.hasPrefix("killed at "), "\(failure)")
  }

  /// A store that is opened although another process has it.
  @Test(arguments: ["MP.open-elsewhere", "MP.commit-seen"])
  func missingRefusalIsFound(_ id: String) throws {
    var harness = SecondProcessHarness()
    harness.open = { place, options throws(StorageError) in
      do throws(StorageError) {
        return try place.open(options)
      } catch {
        return try FlatFileConfiguration(path: place.path + ".other").open(options)
      }
    }
    #expect(try outcome(id, harness) == "failed")
  }

  /// A refusal that names the wrong process.
  @Test func wrongHolderIsFound() throws {
    var harness = SecondProcessHarness()
    harness.open = { place, options throws(StorageError) in
      do throws(StorageError) {
        return try place.open(options)
      } catch {
        throw .inUse(by: getpid(), "in use")
      }
    }
    #expect(try outcome("MP.open-elsewhere", harness) == "failed")
  }

  /// An engine that says that it has checksums, and has none.
  @Test func missingChecksumsAreFound() throws {
    let testCase = try #require(ConformanceSuite.cases.first { $0.id == "CARE.changed-bits" })
    for checksums in [true, false] {
      let folder = TemporaryFolder()
      defer { folder.removeAll() }
      let harness = ClaimingHarness(sqlite: SQLiteHarness(folder), checksums: checksums)
      let result = ConformanceExecution(harness, Self.selection).result(of: ConformanceRun(testCase, .fresh))
      #expect(result.outcome.name == (checksums ? "passed" : "failed"))
    }
  }

  /// An engine that does not look, although it is told to: its library follows what it finds.
  @Test(arguments: [true, false]) func pagesThatNobodyLooksAtAreFound(looks: Bool) throws {
    let testCase = try #require(ConformanceSuite.cases.first { $0.id == "CARE.damaged-structure" })
    let folder = TemporaryFolder()
    defer { folder.removeAll() }
    let lmdb = LMDBHarness(folder)
    let sound = try #require(lmdb.secondProcess?.path)
    let deaf = try Script("sed -u 's/ checksStructure//' | \(sound) \"$@\"")
    defer { withExtendedLifetime(deaf) {} }
    let harness = FollowingHarness(lmdb: lmdb, program: looks ? sound : deaf.path)
    let result = ConformanceExecution(harness, Self.selection).result(of: ConformanceRun(testCase, .fresh))
    #expect(result.outcome.name == (looks ? "passed" : "failed"))
  }

  /// What nobody promises to outlive a process is not asked for.
  @Test func storesWithoutDurabilityRefuse() throws {
    struct Fleeting: ConformanceHarness {
      let sound = SecondProcessHarness()
      let name = "fleeting"
      let isPersistent = true
      var manifest: BackendManifest {
        var manifest = sound.manifest
        manifest.durability = .none
        return manifest
      }
      var secondProcess: ConformanceProcess? { sound.secondProcess }
      func makePlace() throws -> any BackendProvider { try sound.makePlace() }
      func remove(_ place: any BackendProvider) { sound.remove(place) }
    }
    let testCase = try #require(ConformanceSuite.cases.first { $0.id == "DUR.killed-commits" })
    let outcome = ConformanceExecution(Fleeting()).result(of: ConformanceRun(testCase, .fresh)).outcome
    #expect(outcome == .refused(["durability"]))
  }
}

/// Plain LMDB stores that another program opens in the second process.
private struct FollowingHarness: ConformanceHarness {
  let lmdb: LMDBHarness
  let program: String

  let name = "following"
  let isPersistent = true
  var manifest: BackendManifest { lmdb.manifest }
  var secondProcess: ConformanceProcess? {
    ConformanceProcess(
      program, arguments: ["lmdb"], address: { ($0 as? LMDBConfiguration)?.path },
      place: { LMDBConfiguration(path: $0) })
  }

  func makePlace() throws -> any BackendProvider { try lmdb.makePlace() }
  func remove(_ place: any BackendProvider) { lmdb.remove(place) }
  func files(at place: any BackendProvider) -> [String] { lmdb.files(at: place) }
}

/// SQLite stores, with checksums or without, that say that they have some.
private struct ClaimingHarness: ConformanceHarness {
  let sqlite: SQLiteHarness
  let checksums: Bool

  let name = "claiming"
  let isPersistent = true
  var manifest: BackendManifest { sqlite.manifest }
  var secondProcess: ConformanceProcess? {
    ConformanceProcess(
      "quarry-conformance", arguments: ["sqlite"], address: { ($0 as? Place)?.inner.path },
      place: { SQLiteConfiguration(path: $0) })
  }

  struct Place: BackendProvider {
    let inner: SQLiteConfiguration

    func open(_ options: OpenOptions) throws(StorageError) -> any Backend { Claiming(try inner.open(options)) }
  }

  private final class Claiming: BackendLayer, @unchecked Sendable {
    // Unchecked because the class that it inherits from is open; it has no field of its own.
    override func statistics() throws(StorageError) -> BackendStatistics {
      var statistics = try super.statistics()
      statistics.details["checksums"] = "XXH64"
      return statistics
    }
  }

  func makePlace() throws -> any BackendProvider {
    guard var inner = try sqlite.makePlace() as? SQLiteConfiguration else {
      throw StorageError(.unsupported, "not a place of SQLite")
    }
    inner.checksums = checksums
    return Place(inner: inner)
  }

  func remove(_ place: any BackendProvider) { if let place = place as? Place { sqlite.remove(place.inner) } }
  func files(at place: any BackendProvider) -> [String] {
    (place as? Place).map { sqlite.files(at: $0.inner) } ?? []
  }
}
