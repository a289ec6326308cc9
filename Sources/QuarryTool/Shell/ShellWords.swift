import QuarryBackend
import QuarryCore
import QuarryData

/// The words of a line.
enum ShellWords {
  /// Words with blanks between them. Quotes of either kind keep blanks and are taken off; a backslash keeps what follows it, but
  /// not between single quotes.
  ///
  /// - Throws: `invalidQuery` for a quote without an end.
  static func split(_ text: String) throws(StorageError) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    var isEscaped = false
    for character in text {
      if isEscaped {
        word = (word ?? "") + String(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
        word = word ?? ""
      } else if let open = quote {
        if character == open { quote = nil } else { word = (word ?? "") + String(character) }
      } else if character == "'" || character == "\"" {
        quote = character
        word = word ?? ""
      } else if character.isWhitespace {
        if let complete = word { words.append(complete) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    if quote != nil { throw StorageError(.invalidQuery, "a quote is not closed") }
    if let complete = word { words.append(complete) }
    return words
  }

  /// The first word as it stands, and the text behind it.
  static func first(_ text: String) -> (word: String, rest: String) {
    let text = text.trimmingBlanks
    if text.hasPrefix("`"), let end = text.dropFirst().firstIndex(of: "`") {
      return (String(text.dropFirst()[..<end]), String(text[text.index(after: end)...]).trimmingBlanks)
    }
    guard let end = text.firstIndex(where: \.isWhitespace) else { return (text, "") }
    return (String(text[..<end]), String(text[end...].drop(while: \.isWhitespace)))
  }

  /// A condition, and the options behind it: they begin at the first `--` outside of quotes that follows a blank.
  static func options(in text: String) -> (condition: String, options: String) {
    var quote: Character?
    var isEscaped = false
    var last: Character = " "
    for index in text.indices {
      let character = text[index]
      if isEscaped {
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if let open = quote {
        if character == open { quote = nil }
      } else if character == "'" || character == "\"" || character == "`" {
        quote = character
      } else if character == "-", last.isWhitespace, text[index...].hasPrefix("--") {
        return (String(text[..<index]).trimmingBlanks, String(text[index...]))
      }
      last = character
    }
    return (text.trimmingBlanks, "")
  }

  /// Whether a text goes on in the next line: it ends in a backslash, or has something open.
  static func isOpen(_ text: String) -> Bool {
    var quote: Character?
    var isEscaped = false
    var depth = 0
    for character in text {
      if isEscaped {
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if let open = quote {
        if character == open { quote = nil }
      } else if character == "'" || character == "\"" || character == "`" {
        quote = character
      } else if character == "(" || character == "{" {
        depth += 1
      } else if character == ")" || character == "}" {
        depth -= 1
      }
    }
    return isEscaped || quote != nil || depth > 0
  }
}
