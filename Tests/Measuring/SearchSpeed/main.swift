import Foundation
import QuarryBackend
import QuarryCore
import QuarryEngines
import QuarryText

// Text search on each engine with files beside SQLite's FTS5, on the same texts in one run: scripts/search-speed.

/// A text, with an index of its words or without one.
protocol TextModel: Model where PrimaryKey == Int {
  init(_ id: Int, _ text: String)
  var text: String { get set }
}

struct Indexed: TextModel {
  var id: Int
  var text: String

  static let modelDefinition = ModelDefinition<Indexed>(
    name: "Text",
    properties: [
      PropertyDefinition("id", \Indexed.id, Int.self),
      PropertyDefinition("text", \Indexed.text, String.self, search: .init()),
    ], primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var text = Column<String>("text", 1)
  }

  var primaryKeyValue: Int { id }
  init(_ id: Int, _ text: String) { (self.id, self.text) = (id, text) }
  init(reading row: ModelReader) throws(StorageError) { (id, text) = (try row.get(0), try row.get(1)) }
  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, text)
  }
}

struct Plain: TextModel {
  var id: Int
  var text: String

  static let modelDefinition = ModelDefinition<Plain>(
    name: "Text",
    properties: [
      PropertyDefinition("id", \Plain.id, Int.self), PropertyDefinition("text", \Plain.text, String.self),
    ], primaryKey: "id")

  struct Columns: ModelColumns {
    let id = Column<Int>("id", 0)
    var text = Column<String>("text", 1)
  }

  var primaryKeyValue: Int { id }
  init(_ id: Int, _ text: String) { (self.id, self.text) = (id, text) }
  init(reading row: ModelReader) throws(StorageError) { (id, text) = (try row.get(0), try row.get(1)) }
  func write(to row: ModelWriter) throws(StorageError) {
    try row.set(0, id)
    try row.set(1, text)
  }
}

/// Prints a line at once, also into a file.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// The largest memory of the process so far, in MB.
func peakMemory() -> Int {
  let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
  return (line.split(separator: " ").compactMap { Int($0) }.first ?? 0) / 1_024
}

func bytes(below path: String) -> Int {
  var isFolder: ObjCBool = false
  guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return 0 }
  let files =
    isFolder.boolValue
    ? (try? FileManager.default.contentsOfDirectory(atPath: path))?.map { "\(path)/\($0)" } ?? [] : [path]
  return files.reduce(0) { sum, file in
    var status = stat()
    // A file with holes takes the blocks that it has.
    return stat(file, &status) == 0 ? sum + Int(status.st_blocks) * 512 : sum
  }
}

/// Measures one thing on the engines, and prints a line of milliseconds and ratios to the peer.
struct Table {
  let engines: [String]

  func head(_ corpus: Corpus) {
    say("\n\(corpus.name): \(corpus.texts.count) texts, \(corpus.byteCount / 1_000) kB")
    say((["", "FTS5"] + engines.flatMap { [$0, "ratio"] } + ["goal"]).joined(separator: "\t"))
  }

  func line(_ name: String, _ peer: Double, _ values: [Double], goal: Double?, digits: Int = 2) {
    func text(_ value: Double) -> String { String(format: "%.\(digits)f", value) }
    let parts = values.flatMap { [text($0), String(format: "%.2f", $0 / peer)] }
    let worst = (values.max() ?? 0) / peer
    let verdict = goal.map { "\($0): \(worst <= $0 ? "met" : "missed")" } ?? ""
    say(([name, text(peer)] + parts + [verdict]).joined(separator: "\t"))
  }
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func milliseconds(_ body: () throws -> Void) rethrows -> Double {
  try ContinuousClock().measure(body) / .milliseconds(1)
}

/// The median of searches for several words, each the better of two.
func search<S>(_ searches: [S], _ body: (S) throws -> Int, _ found: inout [Int]) throws -> Double {
  var times: [Double] = []
  for search in searches {
    var best = Double.infinity
    var count = 0
    for _ in 0..<2 { best = min(best, try milliseconds { count = try body(search) }) }
    times.append(best)
    found.append(count)
  }
  return median(times)
}

func insert<M: TextModel>(_ type: M.Type, _ store: Store, _ texts: [String]) throws {
  for start in stride(from: 0, to: texts.count, by: 10_000) {
    let part = texts[start..<min(start + 10_000, texts.count)]
    try store.insert(contentsOf: zip(part.indices, part).map { M($0, $1) })
  }
}

func measure(_ corpus: Corpus, _ engines: [EngineDescription], _ folder: String) throws {
  let table = Table(engines: engines.map(\.name))
  table.head(corpus)
  var options = OpenOptions()
  options.durability = .processCrash

  let peer = try Peer("\(folder)/peer.db")
  let peerBuild = try milliseconds {
    for start in stride(from: 0, to: corpus.texts.count, by: 10_000) {
      try peer.insert(corpus.texts[start..<min(start + 10_000, corpus.texts.count)])
    }
  }
  var stores: [Store] = []
  var builds: [Double] = []
  var plainBuilds: [Double] = []
  var sizes: [Double] = []
  for engine in engines {
    let (plainPath, path) = (engine.path(in: folder, "plain"), engine.path(in: folder, "indexed"))
    let plain = try Store(models: [Plain.self], in: engine.provider(at: plainPath), options: options)
    plainBuilds.append(try milliseconds { try insert(Plain.self, plain, corpus.texts) })
    try plain.close()
    let store = try Store(models: [Indexed.self], in: engine.provider(at: path), options: options)
    builds.append(try milliseconds { try insert(Indexed.self, store, corpus.texts) })
    try store.close()
    sizes.append(Double(bytes(below: path) - bytes(below: plainPath)) / Double(corpus.byteCount))
    try? FileManager.default.removeItem(atPath: plainPath)
    stores.append(try Store(models: [Indexed.self], in: engine.provider(at: path), options: options))
  }
  table.line("insert ms", peerBuild, builds, goal: nil, digits: 0)
  for (place, engine) in engines.enumerated() {
    let rate = plainBuilds[place] / builds[place]
    say(
      "  \(engine.name): rate \(String(format: "%.2f", rate)) of inserts without an index, goal 0.3: \(rate >= 0.3 ? "met" : "missed");"
        + " index \(String(format: "%.2f", sizes[place])) x the texts, goal 1.2: \(sizes[place] <= 1.2 ? "met" : "missed")"
    )
  }
  say("  largest memory so far: \(peakMemory()) MB, texts and stores of this program included")

  let searches = corpus.searches(15)
  func compare<S>(
    _ name: String, _ searches: [S], goal: Double?, _ match: (S) -> String, ranked: Int? = nil,
    _ query: (S) -> SearchQuery
  ) throws {
    var due: [Int] = []
    let time = try search(searches, { try peer.keys(match($0), ranked: ranked).count }, &due)
    var times: [Double] = []
    for store in stores {
      var found: [Int] = []
      times.append(
        try search(
          searches,
          { one in
            if let ranked { return try store.ranked(Indexed.all, by: query(one), limit: ranked).count }
            return try store.keys(Indexed.where { $0.search(query(one)) }).count
          }, &found))
      // The tokenizers differ; texts of plain words have the same answers.
      if found != due { say("  \(name): other counts than FTS5: \(zip(due, found).filter { $0 != $1 }.prefix(3))") }
    }
    table.line(name, time, times, goal: goal, digits: 3)
  }
  try compare("rare word", searches.rare, goal: 1, { "\"\($0)\"" }) { .word($0) }
  try compare("common word", searches.common, goal: nil, { "\"\($0)\"" }) { .word($0) }
  try compare("two common words", searches.twoCommon, goal: 2, { "\"\($0.0)\" \"\($0.1)\"" }) {
    .all(.word($0.0), .word($0.1))
  }
  try compare("two letters", searches.beginnings, goal: nil, { "\"\($0)\"*" }) { .prefix($0) }
  try compare("phrase", searches.phrases, goal: nil, { "\"\($0)\"" }) { .phrase($0) }
  try compare("ranked first ten", searches.common, goal: nil, { "\"\($0)\"" }, ranked: 10) { .word($0) }

  let changed = corpus.texts.indices.map { corpus.texts[($0 + 1) % corpus.texts.count] }
  let ids = 0..<min(1_000, corpus.texts.count)
  let peerUpdate = try milliseconds {
    for start in stride(from: 0, to: ids.count, by: 100) {
      try peer.update(start..<min(start + 100, ids.count), corpus.texts, changed)
    }
  }
  var updates: [Double] = []
  for store in stores {
    updates.append(
      try milliseconds {
        for start in stride(from: 0, to: ids.count, by: 100) {
          try store.write { tx in
            for id in start..<min(start + 100, ids.count) { try tx.update(Indexed.self, id) { $0.text = changed[id] } }
          }
        }
      })
  }
  table.line("1,000 updates ms", peerUpdate, updates, goal: nil, digits: 1)
  for store in stores { try store.close() }
  try peer.close()
}

var arguments = Array(CommandLine.arguments.dropFirst())
let folder = FileManager.default.temporaryDirectory.appending(path: "quarry-search-speed-\(UUID().uuidString)").path
defer { try? FileManager.default.removeItem(atPath: folder) }
let short = arguments.first.flatMap { Int($0) }
if short != nil { arguments.removeFirst() }
let long = arguments.first.flatMap { Int($0) }
if long != nil { arguments.removeFirst() }
var corpora: [() throws -> Corpus] = [
  { Corpus("short texts", count: short ?? 1_000_000, words: 4...16) },
  { Corpus("long texts", count: long ?? 100_000, words: 100...260) },
]
for file in arguments { corpora.append { try Corpus(linesOf: file) } }
let engines = EngineDescription.all.filter { $0.path == .path && $0.name != "flat-file" }
for (number, corpus) in corpora.enumerated() {
  let place = "\(folder)/\(number)"
  try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
  let corpus = try corpus()
  guard !corpus.texts.isEmpty else { continue }
  try measure(corpus, engines, place)
  try FileManager.default.removeItem(atPath: place)
}
