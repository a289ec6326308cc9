import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Each text operator with each kind of needle, and each way in which folding goes wrong.
enum NeedleCases {
  static let all: [ConformanceCase] =
    TextOperator.allCases.flatMap { operation in
      needles.map { plain(operation, $0.name, $0.needles) }
        + foldings.flatMap { folding in
          options.map { folded(operation, folding.name, folding.texts, $0.name, $0.options) }
        }
    }

  private static let texts = [
    "", "a", "ab", "abc", "b", "a%b", "a_b", "a*b", "a?b", "a\\b", "a\0b", "\0", "e\u{301}", "\u{E9}", "\u{1F600}",
    "x\u{1F600}y", "\u{1F469}\u{200D}\u{1F4BB}", "\u{202E}abc", "\n", "10", "9", " a", "a ",
  ]

  private static let needles: [(name: String, needles: [String])] = [
    ("empty", [""]), ("letters", ["a", "ab", "b", "c"]), ("sql-wildcards", ["%", "_", "a%b", "a_b", "a%", "[a]"]),
    ("like-wildcards", ["*", "?", "a*b", "a?b", "*b", "\\*", "\\"]), ("nul", ["\0", "a\0", "\0b", "a\0b"]),
    ("composed", ["\u{E9}", "e\u{301}", "\u{301}", "e"]),
    ("emoji", ["\u{1F600}", "\u{200D}", "\u{1F469}", "\u{1F4BB}", "y"]),
    ("longer", ["abcabcabcabc", "a%b ", String(repeating: "x", count: 5000)]), ("spaces", [" ", " a", "a ", "\n"]),
  ]

  private static let foldings: [(name: String, texts: [String])] = [
    ("ascii", ["a", "A", "z", "Z", "aB", "Ab", "@", "[", "`", "{"]),
    ("turkish", ["i", "I", "\u{130}", "\u{131}", "I\u{307}"]), ("sharp-s", ["\u{DF}", "SS", "ss", "\u{1E9E}", "s"]),
    ("greek", ["\u{3A3}", "\u{3C3}", "\u{3C2}", "\u{3CC}", "\u{39F}", "\u{3C9}", "\u{2126}"]),
    ("combining", ["\u{C9}", "e", "E\u{301}", "e\u{301}\u{302}", "\u{301}", "E"]),
    ("compatibility", ["k", "\u{212A}", "\u{C5}", "\u{212B}", "\u{FB00}", "ff", "\u{17F}", "s"]),
  ]

  private static let options: [(name: String, options: TextOptions)] = [
    ("c", .caseInsensitive), ("d", .diacriticInsensitive), ("cd", [.caseInsensitive, .diacriticInsensitive]),
  ]

  private static func plain(_ operation: TextOperator, _ name: String, _ needles: [String]) -> ConformanceCase {
    ConformanceCase(
      "TEXT.\(operation.rawValue).\(name)", ["TEXT-1", "TEXT-2", "TEXT-3", "TEXT-4", "TEXT-6"],
      "\(operation.rawValue) with needles (\(name)), in every kind of column.", without: ConformanceVariant.ofWrites
    ) { kit in
      try expect(kit, texts, operation, needles, [])
    }
  }

  private static func folded(
    _ operation: TextOperator, _ name: String, _ texts: [String], _ option: String, _ options: TextOptions
  ) -> ConformanceCase {
    ConformanceCase(
      "TEXT.\(operation.rawValue)-\(option).\(name)", ["TEXT-5"],
      "\(operation.rawValue) with [\(option)] folds both sides (\(name)) as Foundation does.",
      needs: [.queryTextFolding], without: ConformanceVariant.ofWrites
    ) { kit in
      let needles = operation == .like ? texts.map { "*\($0)" } + texts : texts
      try expect(kit, texts + texts.map { "x\($0)y" }, operation, needles, options)
    }
  }

  private static func expect(
    _ kit: ConformanceContext, _ texts: [String], _ operation: TextOperator, _ needles: [String], _ options: TextOptions
  ) throws {
    try ColumnTable.look(kit, .string, texts.map { .string($0) }) { view in
      for column in view.columns {
        for needle in needles {
          let test = PredicateTree.text(.named(column), operation, needle, options)
          try view.expectRows(test)
          if column == "indexed" { try view.expectRows(.not(test)) }
        }
      }
    }
  }
}
