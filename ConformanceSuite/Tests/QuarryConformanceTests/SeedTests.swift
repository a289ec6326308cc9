import Foundation
import QuarryBackend
import Synchronization
import Testing

@testable import QuarryConformance
@testable import QuarryConformanceKit

/// The seed of a run reaches the random cases, and makes the same run again.
@Suite struct SeedTests {
  /// One case of each kind whose steps stand in one order. Those with threads take their numbers from the same place.
  private static let random = [
    "PRED.partition-3", "PRED.random-3", "PRED.pivot-3", "AGG.count-3", "AGG.double-shuffled", "MODEL.random-3",
    "MODEL.schema-3", "SORT.ties-ascending", "SORT.ties-descending", "SORT.large", "PAGE.order-value", "CRUD.key.int64",
  ]

  @Test(arguments: random)
  func sameSeedIsSameRun(_ id: String) throws {
    let testCase = try #require(ConformanceSuite.cases.first { $0.id == id })
    let first = try transcript(testCase, seed: 1)
    #expect(!first.isEmpty)
    #expect(try transcript(testCase, seed: 1) == first)
    #expect(try transcript(testCase, seed: .max) != first)
  }

  @Test func everyRandomCaseTakesItsNumbersFromTheRun() throws {
    for (name, text) in try sources() {
      #expect(!text.contains("SeededGenerator(seed"), "\(name)")
      for line in text.split(separator: "\n") where line.contains(".random(") || line.contains("shuffled(") {
        // No run depends on the bytes of a key.
        if line.contains("EncryptionKey.random()") { continue }
        #expect(line.contains("using: &") || line.contains("kit.random("), "\(name): \(line)")
      }
    }
  }

  /// Tests that run beside a case may hold the shared pool for minutes.
  @Test func tasksOfCasesHaveThreadsOfTheirOwn() throws {
    for (name, text) in try sources() {
      for line in text.split(separator: "\n") {
        #expect(!line.contains(" Task {") && !line.contains("Task.detached"), "\(name): \(line)")
      }
    }
  }

  /// The files of the cases.
  private func sources() throws -> [(name: String, text: String)] {
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources").standardizedFileURL
    let files = try ["Queries", "Commits", "Models", "Files", "Texts"].flatMap { part in
      let folder = sources.appending(path: "QuarryConformance\(part)")
      return try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
    }
    #expect(files.count > 30)
    return try files.map { ($0.lastPathComponent, try String(contentsOf: $0, encoding: .utf8)) }
  }

  /// What the case asks of the backend, call by call.
  private func transcript(_ testCase: ConformanceCase, seed: UInt64) throws -> [String] {
    var selection = ConformanceSelection()
    selection.seed = seed
    let transcript = Transcript()
    let harness = LyingHarness(wrap: { RecordingBackend($0, transcript) })
    let result = ConformanceExecution(harness, selection).result(of: ConformanceRun(testCase, .fresh))
    #expect(result.outcome == .passed)
    return transcript.lines.withLock { $0 }
  }
}

private final class Transcript: Sendable {
  let lines = Mutex<[String]>([])

  func note(_ line: String) { lines.withLock { $0.append(line) } }
}

private final class RecordingBackend: BackendLayer, @unchecked Sendable {
  // Unchecked because the class that it inherits from is open; its one field is constant and Sendable.
  private let transcript: Transcript

  init(_ backend: any Backend, _ transcript: Transcript) {
    self.transcript = transcript
    super.init(backend)
  }

  override func readHooks() -> (any TransactionHooks)? { RecordingHooks(transcript: transcript) }
  override func writeHooks() -> (any TransactionHooks)? { RecordingHooks(transcript: transcript) }
}

private struct RecordingHooks: TransactionHooks {
  let transcript: Transcript

  func cursor(_ base: Reader, _ query: BoundQuery) throws(StorageError) -> any RowCursor {
    transcript.note("\(query)")
    return try base.cursor(query)
  }

  func count(_ base: Reader, _ query: BoundQuery) throws(StorageError) -> Int {
    transcript.note("count \(query)")
    return try base.count(query)
  }

  func insert(_ base: Writer, _ model: ModelID, _ rows: borrowing RowBatch) throws(StorageError) {
    try rows.forEach { _, row throws(StorageError) in transcript.note("insert \(CRC32C.checksum(row))") }
    try base.insert(model, rows)
  }

  func load(
    _ base: Writer, _ model: ModelID, _ next: (inout RowBatch) throws(StorageError) -> Void
  ) throws(StorageError) {
    try loadByInserting(base, model, next)
  }

  func update(_ base: Writer, _ query: BoundQuery, _ assignments: [BoundAssignment]) throws(StorageError) -> Int {
    transcript.note("update \(query)")
    return try base.update(query, assignments)
  }
}
