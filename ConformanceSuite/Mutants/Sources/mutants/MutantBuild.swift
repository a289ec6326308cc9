import Foundation
import MutantPlanting

/// One build of a copy of the package with all mutants that were chosen and can be compiled.
struct MutantBuild {
  let copy: PackageCopy
  /// Whether the tool is built for release: later built, and quicker to run.
  let isOptimized: Bool
  let log: (String) -> Void
  /// Is told the ids of the mutants that the compiler refused, after each round.
  let keep: (Set<String>) throws -> Void

  struct Planted {
    /// By their numbers, in the order in which they were chosen.
    var mutants: [Int: Mutant]
    var tool: String
    /// How many of those that were chosen the compiler refused.
    var refused: Int
  }

  /// Plants the mutants and builds, without those that the compiler refuses, until the rest is built.
  ///
  /// - Parameters:
  ///   - order: The mutants in the order of their choice.
  ///   - count: How many are wanted.
  ///   - known: Ids of mutants that the compiler refused before.
  func build(
    _ order: [Mutant], count: Int, sources: [String: String], known: inout Set<String>
  ) throws -> Planted {
    // Some more than are wanted, in place of those that will be refused, so that they need no round of their own.
    var spare = count / 5 + 4
    for round in 1...40 {
      let numbered = Self.numbered(order, known, count + spare)
      let lines = try plant(numbered, sources)
      log("build \(round): \(numbered.count) mutants, in \(copy.folder.path)")
      let output = copy.folder.appending(path: "build.log").path
      if try build(output) { return try Self.planted(order, known, count, tool: tool()) }
      let refused = try refused(output, lines)
      guard !refused.isEmpty else { throw Problem("the copy does not build, and no mutant is the reason: \(output)") }
      for number in refused { if let mutant = numbered[number] { known.insert(mutant.id) } }
      log("  the compiler refuses \(refused.compactMap { numbered[$0]?.id }.sorted().joined(separator: ", "))")
      try keep(known)
      spare = max(spare - refused.count, 0)
    }
    throw Problem("the compiler refuses mutants without end: \(copy.folder.path)/build.log")
  }

  /// What is planted when the tool is built, or was.
  static func planted(_ order: [Mutant], _ refused: Set<String>, _ count: Int, tool: String) -> Planted {
    let kept = numbered(order, refused, count)
    let last = kept.keys.max() ?? 0
    return Planted(mutants: kept, tool: tool, refused: order.prefix(last).count { refused.contains($0.id) })
  }

  /// The number is the place in the order, so that one that is refused leaves the others, and their files, as they are.
  private static func numbered(_ order: [Mutant], _ refused: Set<String>, _ count: Int) -> [Int: Mutant] {
    let chosen = order.enumerated().filter { !refused.contains($0.element.id) }.prefix(count)
    return Dictionary(uniqueKeysWithValues: chosen.map { ($0.offset, $0.element) })
  }

  /// Mutants are refused by a build for debugging, which takes a fraction of the other's time and names all at once.
  private func build(_ output: String) throws -> Bool {
    guard try swift(Self.debug + ["--target", "QuarryEngines"], output) == .exit(0) else { return false }
    for product in [Self.program, "QuarryCrashLab"] {
      let options = (isOptimized ? Self.release : Self.debug) + ["--product", product]
      guard try swift(options, output) == .exit(0) else { return false }
    }
    return true
  }

  static let program = "quarry-conformance"
  /// Is loaded by the cases that end a process at an operation on files, or set its clock.
  static let library = "libQuarryCrashLab.so"

  private static let debug = ["build", "-Xswiftc", "-continue-building-after-errors"]
  private static let release = ["build", "-c", "release"]

  private func tool() throws -> String {
    let output = copy.folder.appending(path: "bin-path.log").path
    guard try swift((isOptimized ? Self.release : Self.debug) + ["--show-bin-path"], output) == .exit(0) else {
      throw Problem("swift build --show-bin-path failed: \(output)")
    }
    let path = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n").last ?? ""
    return "\(path)/\(Self.program)"
  }

  private func swift(_ arguments: [String], _ output: String) throws -> Program.End {
    let place = ["--package-path", copy.folder.path, "--disable-default-traits"]
    return try Program(command: ["swift"] + arguments + place)
      .run(output: output, within: Program.Limits(clock: 7200))
  }

  private func plant(_ mutants: [Int: Mutant], _ sources: [String: String]) throws -> [String: [Int: ClosedRange<Int>]]
  {
    var files = sources
    var lines: [String: [Int: ClosedRange<Int>]] = [:]
    for (file, group) in Dictionary(grouping: mutants, by: \.value.file) {
      guard let source = sources[file] else { continue }
      let planted = PlantedSource(source, group.map { ($0.key, $0.value) })
      files[file] = planted.text
      lines[file] = planted.lines
    }
    try copy.write(files)
    return lines
  }

  /// The mutants that the errors of a build are about.
  private func refused(_ log: String, _ lines: [String: [Int: ClosedRange<Int>]]) throws -> Set<Int> {
    let text = try String(contentsOfFile: log, encoding: .utf8)
    var refused: Set<Int> = []
    for line in text.split(separator: "\n") where line.contains(": error: ") {
      let parts = line.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
      guard parts.count == 4, let number = Int(parts[1]), let file = file(String(parts[0])), let here = lines[file]
      else { continue }
      let at = here.filter { $0.value.contains(number) }
      if at.isEmpty {
        // A missing result or a name without a value is told elsewhere in the function: the nearest one is tried.
        let nearest = here.min { distance($0.value, number) < distance($1.value, number) }
        if let nearest { refused.insert(nearest.key) }
      } else {
        refused.formUnion(at.keys)
      }
    }
    return refused
  }

  private func distance(_ lines: ClosedRange<Int>, _ line: Int) -> Int {
    // What an error is about stands before it more often than after.
    lines.lowerBound <= line ? line - lines.upperBound : (lines.lowerBound - line) * 4
  }

  private func file(_ path: String) -> String? {
    let prefix = copy.folder.resolvingSymlinksInPath().path + "/"
    let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : nil
  }
}
