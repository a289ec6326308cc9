import QuarryCharts
import QuarryData

/// Charts on a terminal.
extension BarChart {
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
}
