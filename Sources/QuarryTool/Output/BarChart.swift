import Foundation
import QuarryData

/// Bars with their labels, as text or as SVG.
struct BarChart {
  struct Bar {
    var label: String
    var value: Double
    /// The value as it is printed.
    var text: String
  }

  var title: String
  var bars: [Bar]

  private var greatest: Double { bars.map { $0.value.isFinite ? $0.value.magnitude : 0 }.max() ?? 0 }

  /// A line for each bar. The bar of a negative value is drawn with a lighter block.
  ///
  /// - Parameter width: The greatest width of a line.
  func lines(width: Int, indent: String = "") -> [String] {
    let labels = bars.map(\.label.escapedForDisplay)
    let labelWidth = min(labels.map(DisplayWidth.of).max() ?? 0, 40)
    let textWidth = bars.map(\.text.count).max() ?? 0
    let room = max(1, min(40, width - indent.count - labelWidth - textWidth - 4))
    let greatest = greatest
    return zip(bars, labels).map { bar, label in
      var label = label
      if DisplayWidth.of(label) > labelWidth { label = DisplayWidth.prefix(label, labelWidth - 1) + "…" }
      let padding = String(repeating: " ", count: max(0, labelWidth - DisplayWidth.of(label)))
      let number = String(repeating: " ", count: textWidth - bar.text.count) + bar.text
      let block = Self.block(bar.value, greatest, room)
      return indent + label + padding + "  " + number + (block.isEmpty ? "" : "  " + block)
    }
  }

  /// A bar in eighths of a character.
  private static func block(_ value: Double, _ greatest: Double, _ room: Int) -> String {
    guard value.isFinite, value != 0, greatest > 0 else { return "" }
    let part = value.magnitude / greatest * Double(room)
    if value < 0 { return String(repeating: "░", count: max(1, Int(part.rounded()))) }
    let eighths = max(1, Int((part * 8).rounded()))
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
    return String(repeating: "█", count: eighths / 8) + rest
  }

  // MARK: SVG

  private static let rowHeight = 22
  private static let labelWidth = 260
  private static let barWidth = 440

  /// The charts one below the other, in one image.
  static func svg(_ charts: [BarChart]) -> String {
    var body = ""
    var top = 16
    for chart in charts {
      body += text(8, top + 14, chart.title, "font-weight=\"bold\"")
      top += 28
      let values = chart.bars.map { $0.value.isFinite ? $0.value : 0 }
      let least = min(0, values.min() ?? 0)
      let span = max(0, values.max() ?? 0) / 2 - least / 2
      func place(_ value: Double) -> Double {
        span > 0 ? Double(labelWidth) + (value / 2 - least / 2) / span * Double(barWidth) : Double(labelWidth)
      }
      for (bar, value) in zip(chart.bars, values) {
        body += text(labelWidth - 8, top + 15, bar.label.clipped(36), "text-anchor=\"end\"")
        let (start, end) = (place(min(0, value)), place(max(0, value)))
        body += String(
          format: "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%@\"/>\n", start, top + 2, end - start,
          rowHeight - 5, value < 0 ? "#c0504d" : "#4f81bd")
        body += text(Int(end) + 6, top + 15, bar.text.clipped(24), "")
        top += rowHeight
      }
      top += 20
    }
    let width = labelWidth + barWidth + 180
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(top)" viewBox="0 0 \(width) \(top)" \
      font-family="sans-serif" font-size="13">
      <rect width="100%" height="100%" fill="white"/>
      \(body)</svg>

      """
  }

  private static func text(_ x: Int, _ y: Int, _ text: String, _ attributes: String) -> String {
    "<text x=\"\(x)\" y=\"\(y)\" \(attributes)>\(text.escapedForXML)</text>\n"
  }
}

extension String {
  /// At most that many characters.
  fileprivate func clipped(_ limit: Int) -> String { count > limit ? prefix(limit - 1) + "…" : self }

  /// The text in XML. Control characters, which XML does not allow, are written as escapes.
  fileprivate var escapedForXML: String {
    var result = ""
    for scalar in escapedForDisplay.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case _ where scalar.value == 0xFFFE || scalar.value == 0xFFFF: result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
