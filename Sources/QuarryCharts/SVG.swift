import QuarryData

/// The parts of drawings. Every text that comes from a store goes through ``escaped(_:keepsLines:)``.
package enum SVG {
  package static func escaped(_ text: String, keepsLines: Bool = false) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "\n" where keepsLines, "\t" where keepsLines: result.unicodeScalars.append(scalar)
      // XML does not have these characters, not even escaped.
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: result += " "
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// A text that is cut to a number of characters.
  package static func label(_ text: String, most: Int) -> String {
    let text = text.withControlPictures
    return escaped(text.count > most ? text.prefix(most - 1) + "…" : text)
  }

  package static func text(_ label: String, x: Int, y: Int, style: String, fill: String, attributes: String = "")
    -> String
  {
    "<text x=\"\(x)\" y=\"\(y)\" class=\"\(style)\" fill=\"\(fill)\"\(attributes)>\(label)</text>"
  }
}
