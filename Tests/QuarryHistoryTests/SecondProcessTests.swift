import Foundation
import QuarryBackend
import QuarryCore
import QuarryEncryption
import QuarryEngines
import QuarryTestSupport
import Testing

/// Histories, and indexes of words, that another process writes or reads until it is killed.
///
/// `scripts/history-kills N` tries N places of each kind on each engine, and `scripts/history-kills every` each operation on files.
@Suite(.serialized) struct SecondProcessTests {
  struct Kind: Sendable, CustomTestStringConvertible {
    let engine: EngineDescription
    let isEncrypted: Bool
    var testDescription: String { engine.name + (isEncrypted ? ", encrypted" : "") }
  }

  private static let wanted = ProcessInfo.processInfo.environment["QUARRY_KILLS"] ?? ""
  /// Whether a writer is ended at each of its operations on files.
  static let atEveryOperation = wanted == "every"
  static let kills = Int(wanted) ?? 1
  static let kinds = EngineDescription.all.filter { $0.path == .path }.flatMap { engine in
    [false, true].map { Kind(engine: engine, isEncrypted: $0) }
  }
  /// Those whose stores several processes have open.
  static let shared = kinds.filter { $0.engine.manifest.sharing == .manyProcesses }

  /// A place of a store, which processes open one after the other or together.
  struct Site {
    let kind: Kind
    let folder: ScratchFolder
    var path: String { kind.engine.path(in: folder.path) }

    init(_ kind: Kind) throws {
      self.kind = kind
      folder = try ScratchFolder(in: ScratchFolder.memory)
    }

    func open() throws -> Store {
      var options = OpenOptions()
      options.history = .on()
      options.durability = .processCrash
      let encryption = kind.isEncrypted ? Encryption(try EncryptionKey(0..<32)) : nil
      return try Store(
        models: NoteWork.models, in: kind.engine.provider(at: path), options: options, encryption: encryption)
    }

    func start(_ arguments: String...) throws -> WritingProcess { try start(arguments) }

    private func start(_ arguments: [String]) throws -> WritingProcess {
      try WritingProcess([kind.engine.name, path, kind.isEncrypted ? "encrypted" : "plain"] + arguments)
    }

    /// Runs it to its end, and returns its lines.
    func run(_ arguments: String...) throws -> [String] {
      let process = try start(arguments)
      var lines: [String] = []
      while let line = process.line() { lines.append(line) }
      let end = process.end()
      #expect(end.status == 0, "\(end.errors)")
      return lines
    }
  }

  /// Verifies a store whose writer was killed after some lines.
  private func verify(_ site: Site, after printed: Int, _ comment: Comment) throws -> Int {
    let store = try site.open()
    defer { try? store.close() }
    let last = try NoteWork.last(in: store)
    #expect(last == printed || last == printed + 1, comment)
    #expect(try NoteWork.defects(of: store, after: last) == [], comment)
    return last
  }

  // HIST-3, HIST-10, SEARCH-26
  @Test(arguments: kinds, ["write", "trim"])
  func aKilledWriterLeavesWholeChangeSets(_ kind: Kind, _ command: String) throws {
    var random = SeededGenerator(seed: 7)
    let site = try Site(kind)
    var last = 0
    for round in 0..<Self.kills {
      let process = try site.start(command, "\(last + 1)", "100000")
      var printed = last
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        guard let line = process.line(), let number = Int(line) else { break }
        printed = number
      }
      // Any moment of the next writes.
      usleep(UInt32.random(in: 0..<30_000, using: &random))
      process.kill()
      while let line = process.line(), let number = Int(line) { printed = number }
      #expect(printed > last, "round \(round): \(process.end().errors)")
      last = try verify(site, after: printed, "round \(round)")
    }
    let store = try site.open()
    // The history goes on, and what the last write of the killed process did is undone.
    let set = try #require(try store.history().last)
    try store.undo(set)
    #expect(try store.count(SearchableNote.all) == NoteWork.content(after: last - 1).count)
    #expect(try store.check() == [])
  }

  // HIST-3, HIST-10, SEARCH-26
  @Test(arguments: kinds)
  func aWriterThatEndsAtAFileOperation(_ kind: Kind) throws {
    func run(_ operation: Int, _ torn: String) throws -> Int? {
      let site = try Site(kind)
      let process = try site.start("operations", "1", "11", "\(operation)", torn, site.folder.path)
      var (printed, operations) = (0, Int?.none)
      while let line = process.line() {
        if line.hasPrefix("operations ") { operations = Int(line.dropFirst(11)) }
        if let number = Int(line) { printed = number }
      }
      let end = process.end()
      #expect(end.status == (operation == 0 ? 0 : 85), "operation \(operation): \(end.errors)")
      _ = try verify(site, after: printed, "operation \(operation), \(torn)")
      return operations
    }
    let count = try #require(try run(0, "whole"))
    // Each write and each trim reaches the disk.
    #expect(count > 20)
    if Self.atEveryOperation {
      for operation in 1...count { for way in ["whole", "torn"] { _ = try run(operation, way) } }
      return
    }
    var random = SeededGenerator(seed: 11)
    for place in 0..<(2 * Self.kills) {
      _ = try run(Int.random(in: 1...count, using: &random), place % 2 == 0 ? "whole" : "torn")
    }
  }

  // HIST-2, HIST-4, HIST-8, SEARCH-26
  @Test(arguments: shared)
  func twoProcessesWriteTogether(_ kind: Kind) async throws {
    let site = try Site(kind)
    let store = try site.open()
    let process = try site.start("write", "1", "25")
    let observed = Task {
      var authors: [String] = []
      for try await set in store.historyUpdates(after: .start) {
        if let author = set.author { authors.append(author) }
        if set.author == "25" { break }
      }
      return authors
    }
    for number in 1...25 { try await store.insert(Delivery(number, "mine")) }
    while process.line() != nil {}
    #expect(process.end().status == 0)
    #expect(try await observed.value == (1...25).map { "\($0)" })
    #expect(try NoteWork.defects(of: store, after: 25) == [])
    let mine = try store.history().filter { $0.author == nil }
    #expect(try mine.flatMap { try $0.changes(of: Delivery.self) }.map { $0.new?.id } == Array(1...25))
    // One process undoes what the other has done.
    for set in try store.history().filter({ $0.author != nil }).reversed() { try store.undo(set) }
    #expect(try await store.count(SearchableNote.all) == 0)
    #expect(try await store.check() == [])
    try store.close()
  }

  // HIST-8, HIST-11
  @Test(arguments: kinds, ["deliver", "store"])
  func aKilledReaderGoesOn(_ kind: Kind, _ command: String) throws {
    let site = try Site(kind)
    let last = 30
    var store = try site.open()
    try store.history.acknowledge(.start, as: "mail")
    try store.close()
    var writer: WritingProcess?
    if Self.shared.contains(where: { $0.testDescription == kind.testDescription }) {
      writer = try site.start("write", "1", "\(last)")
    } else {
      _ = try site.run("write", "1", "\(last)")
    }
    let file = site.folder.path + "/mail"
    var random = SeededGenerator(seed: 3)
    for _ in 0..<Self.kills {
      let reader = try site.start(command, "mail", "\(last)", file)
      for _ in 0..<Int.random(in: 1...6, using: &random) where reader.line() == nil { break }
      usleep(UInt32.random(in: 0..<5_000, using: &random))
      reader.kill()
    }
    while writer?.line() != nil {}
    if let writer { #expect(writer.end().status == 0) }
    // Trimming spares what the reader has not acknowledged.
    store = try site.open()
    try store.history.trim(before: store.history.newest)
    let acknowledged = try #require(try store.history.readers.first?.position)
    let rest = try store.history(after: acknowledged).compactMap { $0.author.flatMap { Int($0) } }
    #expect(rest == Array(((rest.first ?? last + 1)...).prefix(rest.count)) && (rest.isEmpty || rest.last == last))
    try store.close()
    if acknowledged < (try newestOfWrites(site)) { _ = try site.run(command, "mail", "\(last)", file) }
    store = try site.open()
    defer { try? store.close() }
    let expected = Array(1...last)
    if command == "store" {
      #expect(try store.fetch(Delivery.all).map(\.id) == expected)
    } else {
      let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").compactMap { Int($0) }
      #expect(lines.count <= last + Self.kills && Set(lines) == Set(expected) && lines == lines.sorted())
    }
    #expect(try NoteWork.defects(of: store, after: last) == [])
  }

  /// The position of the last change set that has an author.
  private func newestOfWrites(_ site: Site) throws -> HistoryPosition {
    let store = try site.open()
    defer { try? store.close() }
    return try store.history().last { $0.author != nil }?.position ?? .start
  }

  // HIST-14, SEARCH-29
  @Test(arguments: kinds)
  func aBackupIsRestoredWithBoth(_ kind: Kind) throws {
    let site = try Site(kind)
    var store = try site.open()
    for number in 1...12 { try NoteWork.write(number, in: store) }
    try store.history.acknowledge(try store.history()[4].position, as: "mail")
    let backup = site.folder.path + "/backup"
    try store.backup(to: backup)
    for number in 13...17 { try NoteWork.write(number, in: store) }
    try store.close()
    try Store.restoreBackup(
      backup, to: kind.engine.provider(at: site.path), replacing: true,
      encryption: kind.isEncrypted ? Encryption(try EncryptionKey(0..<32)) : nil)
    store = try site.open()
    defer { try? store.close() }
    #expect(try NoteWork.defects(of: store, after: 12) == [])
    #expect(try store.history().count == 12)
    #expect(try store.history.readers.map(\.name) == ["mail"])
    for number in 13...14 { try NoteWork.write(number, in: store) }
    try store.undo(try #require(try store.history().last))
    #expect(try store.count(SearchableNote.all) == NoteWork.content(after: 13).count)
    #expect(try store.check() == [])
  }
}
