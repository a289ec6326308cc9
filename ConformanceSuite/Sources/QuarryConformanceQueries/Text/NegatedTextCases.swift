import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore
import QuarryQuery

/// Each text operator with each folding under `NOT`, alone and in AND and OR, where texts are nil too.
enum NegatedTextCases {
  static let all: [ConformanceCase] = [PropertyType.string, .url].flatMap { type in
    TextOperator.allCases.flatMap { operation in options.map { negated(type, operation, $0.name, $0.options) } }
  }

  private static let options: [(name: String, options: TextOptions)] = [
    ("", []), ("-c", .caseInsensitive), ("-d", .diacriticInsensitive),
    ("-cd", [.caseInsensitive, .diacriticInsensitive]),
  ]

  private static let strings: [Value] = ["", "a", "A", "\u{E9}", "E\u{301}", "ab", "b"].map { .string($0) }

  private static let urls: [Value] = ["a:", "A:", "a:b", "http://a", "http://A/\u{E9}"].compactMap {
    URL(string: $0).map { .url($0) }
  }

  private static func negated(
    _ type: PropertyType, _ operation: TextOperator, _ name: String, _ options: TextOptions
  ) -> ConformanceCase {
    ConformanceCase(
      "TEXT.not-\(operation.rawValue)\(name).\(type.name)", ["PRED-4", "TEXT-4", "TEXT-3", "TEXT-5"],
      "NOT of \(operation.rawValue)\(name) on a \(type.name) is true where it is false, and of nil.",
      needs: options.isEmpty ? [] : [.queryTextFolding], without: ConformanceVariant.ofWrites
    ) { kit in
      let needles = type == .url ? ["", "a:", "A:", "http://a", "b"] : ["", "a", "A", "e", "\u{E9}", "b"]
      try ColumnTable.look(kit, type, type == .url ? urls : strings) { view in
        for column in view.columns {
          let isNil = PredicateTree.compare(.named(column), .equal, .value(.null))
          for needle in needles {
            let test = PredicateTree.text(.named(column), operation, needle, options)
            try view.expectRows(.not(test))
            try view.expectRows(.not(.not(test)))
            try view.expectRows(.not(.and([test, .not(isNil)])))
            try view.expectRows(.not(.or([test, isNil])))
            try view.expectRows(.or([.not(test), .compare(.named("id"), .less, .value(.int(40)))]))
            try view.expectRows(
              QueryTree(
                model: ColumnTable.name, predicate: .not(test), order: [.init(column, isDescending: true)], limit: 4))
          }
        }
      }
    }
  }
}
