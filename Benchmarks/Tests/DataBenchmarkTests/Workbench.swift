import BenchmarkHarness
import Foundation
import QuarryBackend
import QuarryEngines

@testable import DataBenchmark

/// A folder with files of data, which is there while the value lives.
final class Workbench {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "own-data-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  func file(_ text: String, _ name: String = "data.csv") throws -> DataSource {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/" + name))
    return try DataSource(path + "/" + name, emptyAsText: false)
  }

  /// Towns with every type that an import finds, and columns that are nil here and there.
  func towns(_ count: Int, _ name: String = "towns.csv") throws -> DataSource {
    var text = "id,name,country,people,area,founded,isPort,note\n"
    for number in 0..<count {
      let people = number % 7 == 0 ? "" : String(number * 13 % 1000)
      let date = "20\(10 + number % 20)-01-02T03:04:05Z"
      text += "\(number),Town \(number),C\(number % 10),\(people),\(Double(number) / 4),\(date),\(number % 2 == 0),"
      text += number % 3 == 0 ? "\n" : "\"note, \(number)\"\n"
    }
    return try file(text, name)
  }

  /// A store of the towns.
  func store(_ url: String, _ count: Int) throws {
    let rows = try read(towns(count), key: "id", indexed: ["country"])
    let backend = try StoreURL(parsing: url).open(OpenOptions())
    defer { try? backend.close() }
    let transaction = try backend.beginWrite(WriteOptions())
    defer { transaction.end() }
    try transaction.apply(.createModel(rows.model))
    var batch = RowBatch()
    for index in 0..<rows.count { try rows.withRow(index) { batch.append($0) } }
    try transaction.insert(transaction.schema.models[0].id, batch)
    _ = try transaction.commit()
  }

  func read(
    _ source: DataSource, model: String = "Town", key: String? = nil, indexed: [String] = [],
    unique: [String] = [], first: Int? = nil
  ) throws -> DataRows {
    let selection = DataSelection(model: model, key: key, indexed: indexed, unique: unique, first: first)
    let file = path + "/rows-" + UUID().uuidString
    return try DataLoader(selection: selection, path: file, approve: { _, _, _ in }, progress: { _, _ in }).read(source)
  }

  func settings(_ mix: String, operations: Int = 200, key: String? = "id", indexed: [String] = []) throws
    -> DataSettings
  {
    DataSettings(
      engines: DataEngine.all, selection: DataSelection(model: "Town", key: key, indexed: indexed, first: nil),
      mix: try OperationMix(parsing: mix), operations: operations, batch: 1, isZipfian: false, selectivity: 0.05,
      limit: 20, rounds: 2, seed: 3, folder: path)
  }

  /// The built program, which engines' processes are made of.
  static var program: URL {
    let folder = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL.deletingLastPathComponent()
    let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    let candidates = [own, folder].compactMap { $0?.appendingPathComponent("quarry-bench") }
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) } ?? candidates[0]
  }

  func report(
    _ settings: DataSettings, _ source: DataSource, _ interruption: Interruption = Interruption()
  ) throws -> BenchmarkReport {
    let runner = try DataRunner(settings, source, ProgressLine(isQuiet: true), interruption)
    var report = BenchmarkReport(
      machine: .current(folder: path),
      run: .init(
        command: "quarry-bench", commit: "c", swift: "6", date: "d", seed: settings.seed, rounds: settings.rounds,
        sizes: [runner.section.rows], effort: .smoke), engines: settings.engines.map(\.engine), works: runner.works,
      data: runner.section)
    try runner.run(into: &report)
    return report
  }
}
