import SwiftOperators
import SwiftParser
import SwiftSyntax

/// Finds every mutant of a source file.
///
/// Texts, assertions, attributes, patterns, hints of capacity and the release of memory are left alone: no case of the kit
/// can see those, or they are not code that runs.
public enum MutantFinder {
  /// - Parameter file: The path from the root of the package, which the mutants carry.
  public static func mutants(in source: String, file: String) -> [Mutant] {
    let parsed = Parser.parse(source: source)
    // Unknown operators stay unfolded, and their operands are looked at one by one.
    let tree = OperatorTable.standardOperators.foldAll(parsed) { _ in }
    let visitor = MutantVisitor(source, file)
    visitor.walk(tree)
    var seen: [[String]: Int] = [:]
    return visitor.mutants.map { mutant in
      var mutant = mutant
      mutant.ordinal = seen[[mutant.lineText, mutant.change], default: 0]
      seen[[mutant.lineText, mutant.change], default: 0] += 1
      return mutant
    }
  }
}
