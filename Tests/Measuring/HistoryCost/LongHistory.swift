import Foundation
import MeasuringSupport
import QuarryBackend
import QuarryCore
import QuarryEngines

/// A history of a million commits, which is opened, read and trimmed by processes of their own, so that their memory is known.
struct LongHistory {
  let engine: String
  let path: String

  static func measure(in folder: String) throws {
    let count = 1_000_000
    print("engine  part  seconds  peak MiB")
    for engine in measuredEngines where engine.path == .path {
      let path = engine.path(in: folder, "long-\(engine.name)")
      for part in ["make", "open", "read", "trim"] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["long-part", engine.name, path, part, "\(count)"]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { return print("\(engine.name) \(part) failed") }
      }
    }
  }

  func run(_ part: String, count: Int) throws {
    guard let description = EngineDescription.all.first(where: { $0.name == engine }) else { return }
    var options = OpenOptions()
    options.durability = BackendManifest.Durability.none
    if part == "make" { options.history = .on(keeping: .forever, bytes: 1 << 40) }
    var changeSets = 0
    let time = try ContinuousClock().measure {
      let store = try Store(models: [Entry.self], in: description.provider(at: path), options: options)
      switch part {
      case "make":
        try store.insert(contentsOf: (0..<1_000).map { Entry($0, 0) })
        for number in 1..<count { try store.upsert(Entry(number % 1_000, number)) }
      case "read": try store.history.forEach { _ in changeSets += 1 }
      case "trim": try store.history.trim(before: store.history.newest)
      default: break
      }
      if part != "read" { changeSets = try store.history.byteCount }
      try store.close()
    }
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(separator: "\n")
    let peak = status.first { $0.hasPrefix("VmHWM:") }?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    print("\(engine)  \(part)  \(String(format: "%.2f", time / .seconds(1)))  \(peak / 1024)  (\(changeSets))")
  }
}
