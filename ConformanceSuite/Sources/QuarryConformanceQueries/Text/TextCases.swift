import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

enum TextCases {
  /// Texts that folding changes in ways that are easily missed.
  private static let folding = [
    "I", "i", "\u{130}", "\u{131}", "\u{DF}", "SS", "ss", "\u{1E9E}", "\u{C9}", "E", "e", "E\u{301}", "\u{FB00}", "ff",
    "\u{3A9}", "\u{2126}", "\u{3C9}", "\u{C5}", "\u{E5}", "\u{212B}", "k", "\u{212A}", "\u{17F}", "s",
    "\u{39F}\u{394}\u{39F}\u{3A3}", "\u{3BF}\u{3B4}\u{3CC}\u{3C2}", "\u{3BF}\u{3B4}\u{3BF}\u{3C3}", "caf\u{E9}", "CAFE",
  ]
  private static let texts = Samples.strings + ["a%b", "a_b", "axb", "ab%", "a*b", "a\u{10FFFF}", "a\\b", "\n", "a\nb"]
  private static let patterns = [
    "", "*", "?", "??", "a*", "*a", "*a*", "a?", "?b", "a*b", "*\0*", "%", "_", "a%b", "a_b", "\\*", "a\\*b", "\\?",
    "\\\\",
    "a\\\\b", "**", "*?*", "\u{E9}", "e?", "?\u{301}", "\u{10FFFF}*", "*\u{10FFFF}", "a?b", "[a]*", "\n", "a*b*", "A*",
  ]

  private static func name(_ options: TextOptions) -> String {
    (options.contains(.caseInsensitive) ? "c" : "") + (options.contains(.diacriticInsensitive) ? "d" : "")
  }

  private static let options: [TextOptions] = [
    [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
  ]

  static let all: [ConformanceCase] =
    TextOperator.allCases.flatMap { operation in
      options.map { options in
        ConformanceCase(
          "TEXT.\(operation.rawValue)\(options.isEmpty ? "" : "-\(name(options))")",
          ["TEXT-1", "TEXT-2", "TEXT-3", "TEXT-4", "TEXT-5", "TEXT-6", "PRED-12"],
          "Strings and \(operation.rawValue)\(options.isEmpty ? "" : " with [\(name(options))]"), wherever they are stored."
        ) { kit in
          let texts = options.isEmpty ? texts : folding + ["", "a", "\0"]
          let needles = operation == .like ? patterns + (options.isEmpty ? [] : folding.map { "*\($0)*" }) : texts
          try ColumnTable.inspect(kit, .string, texts.map { .string($0) }) { view in
            for column in view.columns {
              for needle in needles {
                let test = PredicateTree.text(.named(column), operation, needle, options)
                try view.expectRows(test)
                if needle.utf8.count < 2 { try view.expectRows(.not(test)) }
              }
            }
          }
        }
      }
    } + [
      ConformanceCase("TEXT.url", ["TEXT-1", "TEXT-3", "TEXT-4"], "A URL is searched by its text.") { kit in
        try ColumnTable.inspect(kit, .url, Samples.values(.url)) { view in
          for column in view.columns {
            for needle in ["", "http", "HTTP", "a", "/", "%20", "http://a/"] {
              for operation in TextOperator.allCases {
                for options in options {
                  try view.expectRows(.text(.named(column), operation, needle, options))
                }
              }
            }
          }
        }
      },
      ConformanceCase(
        "TEXT.prefixes", ["TEXT-1", "PRED-12"], "Prefixes at the edges of UTF-8 find what begins with them."
      ) {
        kit in
        let ends = [
          "\u{7F}", "\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}",
        ]
        let texts = ends.flatMap { ["a\($0)", "a\($0)b", $0, "\($0)\($0)"] } + ["a", "b", "aa"]
        try ColumnTable.inspect(kit, .string, texts.map { .string($0) }) { view in
          for column in view.columns {
            for needle in ends + ends.map({ "a\($0)" }) + ["a"] {
              let test = PredicateTree.text(.named(column), .hasPrefix, needle, [])
              try view.expectRows(test)
              try view.expectRows(
                QueryTree(
                  model: ColumnTable.name,
                  predicate: .and([test, .compare(.named(column), .greater, .value(.string("a")))]),
                  order: [.init(column, isDescending: true)], limit: 3))
            }
          }
        }
      },
    ]
}
