import Foundation

// Counts words and patterns that read badly, and sentences of more than 30 words, in documents and in the comments of public
// declarations. See scripts/prose.

/// Words and phrases that the glossary of CONTRIBUTING.md replaces.
nonisolated(unsafe) let patterns: [Regex<Substring>] = [
  /(?i)\b(?:nobody|somebody|whoever|anew|beside|so many|for ever|all the same|that of|those of|shall)\b/,
  /(?i)\b(?:is|are|was|were|be|been) told\b/,
  /(?i)\blet(?:s|ting)? go\b/,
  /(?i)\bgo(?:es|ing)? on\b/,
  /(?i)\blook(?:s|ed|ing)? at\b/,
  /(?:^|[.:;] )(?:Who|What) [^?.]*(?:\.|$)/,
]

struct Count {
  var phrases = 0
  var long = 0
  var isZero: Bool { phrases == 0 && long == 0 }
}

/// The paragraphs of a document, without code, tables, headings and addresses of links.
func paragraphs(markdown text: String) -> [String] {
  var result: [String] = []
  var paragraph: [Substring] = []
  var isCode = false
  func end() {
    if !paragraph.isEmpty { result.append(paragraph.joined(separator: " ")) }
    paragraph = []
  }
  for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
    let trimmed = line.drop { $0 == " " }
    if trimmed.hasPrefix("```") {
      isCode.toggle()
      end()
    } else if isCode || trimmed.isEmpty || trimmed.hasPrefix("|") || trimmed.hasPrefix("#") {
      end()
    } else if let item = trimmed.prefixMatch(of: #/(?:[-*+]|\d+\.)\s/#) {
      end()
      paragraph = [trimmed[item.range.upperBound...]]
    } else {
      paragraph.append(trimmed)
    }
  }
  end()
  return result
}

/// The paragraphs of the comments of public declarations.
func paragraphs(swift text: String) -> [String] {
  var result: [String] = []
  var comment: [Substring] = []
  for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
    let trimmed = line.drop { $0 == " " }
    if trimmed.hasPrefix("///") {
      comment.append(trimmed.dropFirst(3).drop { $0 == " " })
    } else if !comment.isEmpty, !trimmed.hasPrefix("@") || trimmed.contains(" func ") || trimmed.contains(" var ") {
      let isPublic = trimmed.contains("public ") || trimmed.contains("open ")
      if isPublic { result += paragraphs(markdown: comment.joined(separator: "\n")) }
      comment = []
    }
  }
  return result
}

func count(_ paragraphs: [String]) -> Count {
  var count = Count()
  for paragraph in paragraphs {
    let plain = paragraph.replacing(/`[^`]*`/, with: "code").replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.output.1 }
    for pattern in patterns { count.phrases += plain.matches(of: pattern).count }
    for sentence in plain.split(separator: /[.!?]\)?(?: |$)/) where sentence.split(separator: " ").count > 30 {
      count.long += 1
    }
  }
  return count
}

let arguments = CommandLine.arguments.dropFirst()
let isListing = arguments.contains("--list")
var lines: [String] = []
for path in arguments where !path.hasPrefix("--") {
  guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { continue }
  let all = path.hasSuffix(".swift") ? paragraphs(swift: text) : paragraphs(markdown: text)
  let found = count(all)
  if isListing {
    for paragraph in all where !count([paragraph]).isZero { print("\(path): \(paragraph)\n") }
  } else if !found.isZero {
    lines.append("\(found.phrases)\t\(found.long)\t\(path)")
  }
}
for line in lines { print(line) }
