import Foundation
import Testing

/// The requirements of protocols, by their full names, from the sources of QuarryBackend.
enum Requirements {
  /// The requirements of the public protocols with these names and of those that refine them.
  static func of(_ names: Set<String>) throws -> Set<String> {
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources/QuarryBackend").standardizedFileURL
    let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    var found: Set<String> = []
    for case let file as URL in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: /public protocol (\w+)(?:: (\w+)[^{]*)? \{\n/) {
        guard names.contains(String(match.1)) || names.contains(match.2.map(String.init) ?? "") else { continue }
        let end = text[match.range.upperBound...].firstRange(of: "\n}")?.lowerBound ?? text.endIndex
        found.formUnion(members(text[match.range.upperBound..<end]))
      }
    }
    return found
  }

  private static func members(_ body: Substring) -> Set<String> {
    let code = body.split(separator: "\n").filter { !$0.contains("///") }.joined(separator: " ")
    var found = Set(code.matches(of: /var (\w+):/).map { String($0.1) })
    for match in code.matches(of: /func (\w+)(?:<\w+>)?\(/) {
      let labels = parameters(code[match.range.upperBound...]).map { parameter in
        String(parameter.prefix { $0 != " " && $0 != ":" }) + ":"
      }
      found.insert("\(match.1)(\(labels.joined()))")
    }
    return found
  }

  /// The parameters up to the parenthesis that closes the list.
  private static func parameters(_ text: Substring) -> [Substring] {
    var (depth, start) = (0, text.startIndex)
    var found: [Substring] = []
    for place in text.indices {
      switch text[place] {
      case "(": depth += 1
      case ")" where depth > 0: depth -= 1
      case ",", ")":
        guard depth == 0 else { continue }
        found.append(text[start..<place].drop { $0 == " " })
        if text[place] == ")" { return found.filter { !$0.isEmpty } }
        start = text.index(after: place)
      default: break
      }
    }
    return found
  }
}
