import Foundation
import MutantPlanting

/// The list of mutants that change nothing that a program can see, each with the reason, and of those that only a test of the
/// package finds, because they need to look inside an engine, each with the test that was seen to fail with the mutant.
///
/// An entry names the file, the line's text and the change, so that it lasts when lines above come and go:
///
///     file: Sources/QuarryTree/BTree/BTree.swift
///     line: if depth > 0 { rebalance() }
///     change: depth > 0 => depth >= 0
///     why: A tree of depth 0 is a leaf, and rebalancing a leaf does nothing.
///
/// `change: *` stands for every change of the line. A reason may go on in lines that begin with spaces. `test: Suite.test` in
/// place of the reason names the test.
struct Arguments {
  struct Entry: Hashable {
    var file = ""
    var line = ""
    var change = ""
    var why = ""
    var test = ""
  }

  let entries: [Entry]

  /// No arguments.
  init() { entries = [] }

  init(_ file: URL) throws {
    guard FileManager.default.fileExists(atPath: file.path) else {
      entries = []
      return
    }
    entries = try Self.entries(String(contentsOf: file, encoding: .utf8))
  }

  private static func entries(_ text: String) throws -> [Entry] {
    var entries: [Entry] = []
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      func value(_ name: String) -> String? {
        line.hasPrefix(name + ": ") ? String(line.dropFirst(name.count + 2)) : nil
      }
      if line.isEmpty || line.hasPrefix("#") { continue }
      if let file = value("file") {
        entries.append(Entry(file: file))
        continue
      }
      guard var entry = entries.popLast() else {
        throw Problem("line \(number + 1) of the arguments belongs to no file")
      }
      if let text = value("line") {
        entry.line = text
      } else if let change = value("change") {
        entry.change = change
      } else if let why = value("why") {
        entry.why = why
      } else if let test = value("test") {
        entry.test = test
      } else if line.hasPrefix("  ") {
        entry.why += " " + line.drop { $0 == " " }
      } else {
        throw Problem("line \(number + 1) of the arguments is none of file, line, change, why, test: \(line)")
      }
      entries.append(entry)
    }
    for entry in entries where entry.line.isEmpty || entry.change.isEmpty || entry.why.isEmpty == entry.test.isEmpty {
      throw Problem("an argument about \(entry.file) lacks its line, its change or its reason, or has a test, too")
    }
    return entries
  }

  /// Why the mutant has no effect, when somebody has argued so.
  func argument(for result: MutantResult) -> String? { entry(result).flatMap { $0.why.isEmpty ? nil : $0.why } }

  /// The test of the package that finds the mutant.
  func test(for result: MutantResult) -> String? { entry(result).flatMap { $0.test.isEmpty ? nil : $0.test } }

  /// Whether there is a reason or a test.
  func explain(_ result: MutantResult) -> Bool { entry(result) != nil }

  private func entry(_ result: MutantResult) -> Entry? {
    entries.first {
      $0.file == result.file && $0.line == result.lineText && ($0.change == result.change || $0.change == "*")
    }
  }

  /// Entries about lines or changes that are no longer there.
  func stale(_ mutants: [Mutant]) -> [Entry] {
    let places = Set(mutants.map { [$0.file, $0.lineText] })
    let changes = Set(mutants.map { [$0.file, $0.lineText, $0.change] })
    return entries.filter {
      $0.change == "*" ? !places.contains([$0.file, $0.line]) : !changes.contains([$0.file, $0.line, $0.change])
    }
  }
}
