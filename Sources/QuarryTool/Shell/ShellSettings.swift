import QuarryData

/// What a session has set for its commands.
struct ShellSettings {
  var model: String?
  var format: OutputFormat?
  var width: Int?
  var limit: Int?
  var showsTime = false

  /// Carries out a line that changes or shows settings.
  ///
  /// - Returns: The text to print; nil for a line of another kind.
  mutating func take(_ words: [String]) -> String? {
    guard let word = words.first, words.count <= 2 else { return nil }
    let value = words.count == 2 ? words[1] : nil
    switch word {
    case "use": return use(value)
    case "format":
      guard let value else { return "format: \(format?.rawValue ?? "table")" }
      guard let known = OutputFormat(rawValue: value) else { return "the formats are \(OutputFormat.names)" }
      format = known
      return ""
    case "width": return Self.set(&width, value, "width", "that of the terminal")
    case "limit": return Self.set(&limit, value, "limit", "none")
    case "timing", "\\timing":
      switch value {
      case nil: showsTime.toggle()
      case "on": showsTime = true
      case "off": showsTime = false
      default: return "timing must be on or off"
      }
      return "timing: \(showsTime ? "on" : "off")"
    default: return nil
    }
  }

  private mutating func use(_ name: String?) -> String {
    guard let name else { return model.map { "model: \($0.escapedForDisplay)" } ?? "no model is set: use MODEL" }
    model = name == "-" ? nil : name
    return ""
  }

  private static func set(_ number: inout Int?, _ text: String?, _ name: String, _ none: String) -> String {
    guard let text else { return "\(name): \(number.map(String.init) ?? none)" }
    if text == "off" {
      number = nil
      return ""
    }
    guard let value = Int(text), value >= 0 else { return "\(name) is a number, or off" }
    number = value
    return ""
  }
}
