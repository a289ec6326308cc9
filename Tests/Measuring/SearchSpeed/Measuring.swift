import Foundation
import QuarryCore

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
  let peer: String
  let engines: [String]

  func head(_ corpus: Corpus) {
    say("\n\(corpus.name): \(corpus.texts.count) texts, \(corpus.byteCount / 1_000) kB")
    say((["", peer] + engines.flatMap { [$0, "ratio"] } + ["goal"]).joined(separator: "\t"))
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

func insert<S>(_ type: Text<S>.Type, _ store: Store, _ texts: [String]) throws {
  for start in stride(from: 0, to: texts.count, by: 10_000) {
    let part = texts[start..<min(start + 10_000, texts.count)]
    try store.insert(contentsOf: zip(part.indices, part).map { Text<S>($0, $1) })
  }
}
