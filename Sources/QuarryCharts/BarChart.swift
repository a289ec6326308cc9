/// Figures as bars beside their names, the longest the greatest. Bars of negative figures begin at the same line and lead to the
/// other side.
package struct BarChart: Chart {
  package struct Bar {
    package var label: String
    /// The figure; what is no finite number has no bar.
    package var value: Double
    /// The figure as it is printed.
    package var text: String

    package init(label: String, value: Double, text: String) {
      self.label = label
      self.value = value
      self.text = text
    }
  }

  package let title: String
  package let bars: [Bar]

  private static let barHeight = 24
  private static let room = 380

  package init(_ bars: [Bar], title: String) {
    self.bars = bars
    self.title = title
  }

  package var height: Int { bars.count * Self.barHeight + 8 }

  package func svg(_ attributes: String) -> String {
    let values = bars.map { $0.value.isFinite ? $0.value : 0 }
    // Halves keep the difference of any two numbers finite.
    let least = min(0, values.min() ?? 0) / 2
    let span = max(0, values.max() ?? 0) / 2 - least
    // As wide as the longest label, as far as an estimate of its characters tells.
    let left = min(200, (bars.map(\.label.count).max() ?? 0) * 8 + 20)
    func place(_ value: Double) -> Int { left + (span > 0 ? Int((value / 2 - least) / span * Double(Self.room)) : 0) }
    var text = """
      <svg xmlns="http://www.w3.org/2000/svg" class="chart"\(attributes) viewBox="0 0 \(Self.width) \(height)" role="img" \
      aria-label="\(SVG.escaped(title))" font-family="ui-sans-serif, system-ui, sans-serif" font-size="13">
      """
    for (number, bar) in bars.enumerated() {
      let y = number * Self.barHeight + 4
      let (start, end) = (place(min(0, values[number])), place(max(0, values[number])))
      text += SVG.text(
        SVG.label(bar.label, most: 26), x: left - 10, y: y + 16, style: "property", fill: "#1f2328",
        attributes: " text-anchor=\"end\"")
      let style = values[number] < 0 ? "bar below" : "bar"
      text +=
        "<rect x=\"\(start)\" y=\"\(y + 3)\" width=\"\(max(1, end - start))\" height=\"\(Self.barHeight - 7)\" rx=\"2\" "
        + "class=\"\(style)\" fill=\"\(values[number] < 0 ? "#a4450b" : "#0b57a4")\"/>"
      text += SVG.text(
        SVG.label(bar.text, most: 24), x: end + 8, y: y + 16, style: "note", fill: "#57606a")
    }
    return text + "</svg>"
  }
}
