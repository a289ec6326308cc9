import Foundation
import Testing

@testable import QuarrySync

/// The histories of the specification, replayed step by step.
@Suite struct TraceTests {
  /// The traces of this package, or those of a file that `QUARRY_SYNC_TRACES` names.
  static let files: [String] = {
    if let path = ProcessInfo.processInfo.environment["QUARRY_SYNC_TRACES"] { return [path] }
    let folder = Bundle.module.resourceURL?.appendingPathComponent("Traces").path ?? ""
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".jsonl") }.sorted().map { "\(folder)/\($0)" }
  }()

  /// The traces of a file, each with its head.
  static func traces(_ path: String) throws -> [[Substring]] {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    var traces: [[Substring]] = []
    for line in text.split(separator: "\n") {
      if line.hasPrefix("{\"trace\":") { traces.append([]) }
      guard !traces.isEmpty else { continue }
      traces[traces.count - 1].append(line)
    }
    return traces
  }

  @Test func tracesAreThere() {
    #expect(!Self.files.isEmpty)
  }

  @Test(arguments: files) func replays(_ path: String) throws {
    let traces = try Self.traces(path)
    var steps = 0
    for trace in traces {
      guard let head = trace.first else { continue }
      var replay = TraceReplay(try JSON(head))
      try replay.run(trace.dropFirst())
      steps += replay.steps
    }
    #expect(!traces.isEmpty)
    print("\(path.split(separator: "/").last ?? ""): \(traces.count) traces, \(steps) steps")
  }

  /// A replay that compares nothing would pass: each planted difference must be found.
  @Test(arguments: [
    (#""refused":0"#, #""refused":1"#), (#""digest":""#, #""digest":"f0"#), (#""agreement":""#, #""agreement":"f0"#),
    (#""entry":1"#, #""entry":2"#), (#""held":[]"#, #""held":[["Team/0","unique"]]"#),
    (#""lost":[]"#, #""lost":[["Team/0",[1,"r0"],"name",[1,"r0"],0]]"#), (#"["log","r0""#, #"["log","r9""#),
    (#""vector":{""#, #""vector":{"r9":1,""#), (#""name":"r1""#, #""name":"r7""#),
  ]) func plantedDifferenceIsFound(_ old: String, _ new: String) throws {
    var tried = 0
    for trace in try Self.files.flatMap(Self.traces) where tried < 3 {
      guard let place = trace.dropFirst().lastIndex(where: { $0.contains(old) }) else { continue }
      tried += 1
      var lines = trace.map(String.init)
      lines[place] = lines[place].replacingOccurrences(of: old, with: new)
      var replay = TraceReplay(try JSON(lines[0]))
      #expect(throws: (any Error).self) { try replay.run(lines.dropFirst()) }
    }
    #expect(tried > 0)
  }

  /// A fault in the replicas makes at least one trace differ.
  @Test(arguments: TraceReplay.Fault.allCases) func plantedFaultIsFound(_ fault: TraceReplay.Fault) throws {
    for trace in try Self.files.flatMap(Self.traces) {
      var replay = TraceReplay(try JSON(try #require(trace.first)), fault: fault)
      do {
        try replay.run(trace.dropFirst())
      } catch {
        return
      }
    }
    Issue.record("no trace finds \(fault)")
  }
}
