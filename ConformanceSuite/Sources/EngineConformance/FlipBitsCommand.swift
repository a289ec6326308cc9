import ArgumentParser
import Foundation
import QuarryBackend
import QuarryConformance
import QuarryCore
import QuarryHarnesses
import QuarryQuery

/// Changes single bits in the files of a closed store, and looks at what is read: `scripts/flip-bits`.
struct FlipBitsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "flip-bits", abstract: "Changes single bits of a closed store, and reads it.",
    discussion: """
      A store of about so many bytes is made and closed. Then one bit of its files after the other is changed, the store is \
      opened, everything is read by its keys and by its index, and the bit is put right again. What may come is an error or \
      the same objects. The exit code is 0 when nothing else came, 1 when something did.
      """)

  @Argument(help: ArgumentHelp("The engine: sqlite:, file:, lmdb-checksums:.", valueName: "engine"))
  var engine: String

  @Option(help: "About how many bytes the store has.")
  var bytes = 1_000_000

  @Option(help: "How many bits are tried, chosen by chance; every one when left out.")
  var flips: Int?

  @Option(help: "Chooses the bits.")
  var seed: UInt64 = 0

  @Option(help: "The part of the bits that is tried, as 2/5: to share them among processes.")
  var part: String?

  @Option(help: ArgumentHelp("Where the store is made: a folder in memory is quick.", valueName: "folder"))
  var folder: String?

  func validate() throws {
    if bytes < 10_000 || bytes > 100_000_000 { throw ValidationError("--bytes is 10,000 to 100,000,000") }
    if let flips, flips < 1 { throw ValidationError("--flips is 1 or more") }
    if part != nil, parts == nil { throw ValidationError("--part is as 2/5") }
  }

  private var parts: (number: Int, of: Int)? {
    let words = (part ?? "1/1").split(separator: "/").compactMap { Int($0) }
    guard words.count == 2, words[0] >= 1, words[0] <= words[1] else { return nil }
    return (words[0], words[1])
  }

  func run() throws {
    let scheme = engine.split(separator: ":").first.map(String.init) ?? engine
    let temporary = TemporaryFolder(in: folder)
    defer { temporary.removeAll() }
    guard let harness = EngineHarnesses.harness(scheme, in: temporary), harness.isPersistent else {
      throw ValidationError("\(engine) is no engine whose stores persist")
    }
    let place = try harness.makePlace()
    defer { harness.remove(place) }
    var trial = try FlipTrial(place, bytes: bytes)
    let files = try trial.files(harness.files(at: place))
    let all = files.reduce(0) { $0 + $1.bytes.count * 8 }
    print("\(scheme): \(trial.rows) objects in \(all / 8) bytes, checksums: \(trial.checksums)")
    var random = SeededGenerator(seed: seed)
    let start = ContinuousClock.now
    let (number, of) = parts ?? (1, 1)
    let count = flips ?? all
    for turn in stride(from: number - 1, to: count, by: of) {
      let bit = flips == nil ? turn : Int.random(in: 0..<all, using: &random)
      try trial.flip(bit, files, beside: { harness.files(at: place) })
      if trial.tried % 100_000 == 0 { print("\(trial.tried) bits, \(trial.errors) errors, \(trial.wrong.count) wrong") }
    }
    let seconds = Int((ContinuousClock.now - start) / .seconds(1))
    print(
      """
      | engine | bits flipped | an error | the same objects | other objects or another error | time |
      |---|--:|--:|--:|--:|--:|
      | \(scheme) | \(trial.tried) | \(trial.errors) | \(trial.same) | \(trial.wrong.count) | \(seconds) s |
      """)
    for line in trial.wrong.prefix(20) { print(line) }
    if !trial.wrong.isEmpty { throw ExitCode.failure }
  }
}

/// A store of which bits are changed.
private struct FlipTrial {
  private let place: any BackendProvider
  private let content: [[Value]]
  let checksums: String
  private(set) var tried = 0
  private(set) var errors = 0
  private(set) var same = 0
  private(set) var wrong: [String] = []

  var rows: Int { content.count }

  private static let model = ModelSchema(
    name: "Note",
    properties: [
      PropertySchema(name: "id", type: .int64), PropertySchema(name: "text", type: .string),
      PropertySchema(name: "code", type: .int64), PropertySchema(name: "price", type: .double, isOptional: true),
    ], primaryKey: 0, indexes: [IndexSchema(name: "code", columns: [.init(slot: 2)], isUnique: true)])

  /// The codes that damage may have: of data, and of what says which store it is.
  private static let codes: Set<StorageError.Code> = [
    .corrupt, .schemaTooNew, .keyRequired, .notEncrypted, .wrongKey,
  ]

  init(_ place: any BackendProvider, bytes: Int) throws {
    self.place = place
    let store = try Store(opening: place)
    try store.write { tx in try tx.apply(.createModel(Self.model)) }
    let count = bytes / 130
    for first in stride(from: 0, to: count, by: 1_000) {
      let ids = first..<min(count, first + 1_000)
      try store.write { tx in try tx.insertRecords(into: Self.model.name, ids.map(Self.record)) }
    }
    checksums = try store.statistics().details["checksums"] ?? "none"
    content = try Self.read(store)
    try store.close()
  }

  private static func record(_ id: Int) -> Record {
    let text = String(repeating: "note \(id) ", count: id % 50 == 0 ? 600 : 4)
    return Record([
      "id": .int(Int64(id)), "text": .string(text), "code": .int(Int64(id) &* 7919 % 1_000_003),
      "price": id % 3 == 0 ? .null : .double(Double(id) / 7),
    ])
  }

  /// Every object by its key, and the keys by the index.
  private static func read(_ store: Store) throws -> [[Value]] {
    try store.read { tx in
      let rows = try tx.records(QueryTree(model: model.name)).map(\.values)
      let byIndex = try tx.records(QueryTree(model: model.name, order: [.init("code")]), columns: ["code"]).map(
        \.values)
      return rows + byIndex
    }
  }

  func files(_ paths: [String]) throws -> [(path: String, bytes: [UInt8])] {
    try paths.sorted().map { ($0, [UInt8](try Data(contentsOf: URL(fileURLWithPath: $0)))) }
  }

  mutating func flip(
    _ bit: Int, _ files: [(path: String, bytes: [UInt8])], beside: () -> [String]
  ) throws {
    var rest = bit
    guard
      let file = files.first(where: { file in
        if rest < file.bytes.count * 8 { return true }
        rest -= file.bytes.count * 8
        return false
      })
    else { return }
    tried += 1
    try Self.write(file.bytes[rest / 8] ^ 1 << UInt8(rest % 8), at: rest / 8, file.path)
    let about = "bit \(rest % 8) of byte \(rest / 8)"
    var isChanged = false
    do {
      let store = try Store(opening: place, options: Self.reading)
      defer { try? store.close() }
      if try Self.read(store) == content { same += 1 } else { wrong.append("\(about): other objects") }
    } catch let error as StorageError {
      if Self.codes.contains(error.code) { errors += 1 } else { wrong.append("\(about): \(error)") }
      isChanged = true
    }
    try Self.write(file.bytes[rest / 8], at: rest / 8, file.path)
    // What opening has left beside it, or changed in it, would be part of the next trial.
    let known = Set(files.map(\.path))
    for path in beside() where !known.contains(path) { try FileManager.default.removeItem(atPath: path) }
    if !isChanged || tried % 1_000 == 0 {
      for file in files where try Data(contentsOf: URL(fileURLWithPath: file.path)) != Data(file.bytes) {
        try Data(file.bytes).write(to: URL(fileURLWithPath: file.path))
      }
    }
  }

  private static var reading: OpenOptions {
    var options = OpenOptions()
    options.isReadOnly = true
    return options
  }

  private static func write(_ byte: UInt8, at place: Int, _ path: String) throws {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try file.seek(toOffset: UInt64(place))
    try file.write(contentsOf: [byte])
    try file.close()
  }
}
