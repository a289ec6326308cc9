/// Figures as bars beside each other's names, the longest the greatest.
struct BarChart {
  struct Bar {
    var label: String
    var figure: String
    /// The figure; what is no finite number has no bar.
    var length: Double
  }

  let svg: String

  private static let height = 24
  private static let room = 380

  init(_ bars: [Bar], title: String) {
    let lengths = bars.map { $0.length.isFinite ? $0.length : 0 }
    let greatest = lengths.reduce(0) { max($0, abs($1)) }
    // As wide as the longest label, as far as an estimate of its characters tells.
    let left = min(200, (bars.map(\.label.count).max() ?? 0) * 8 + 20)
    let height = bars.count * Self.height + 8
    var text = """
      <svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 700 \(height)" role="img" \
      aria-label="\(SVG.escaped(title))" font-family="ui-sans-serif, system-ui, sans-serif" font-size="13">
      """
    for (place, bar) in bars.enumerated() {
      let y = place * Self.height + 4
      let width = greatest > 0 ? max(1, Int(abs(lengths[place]) / greatest * Double(Self.room))) : 1
      text += SVG.text(
        SVG.label(bar.label, most: 26), x: left - 10, y: y + 16, style: "property", fill: "#1f2328",
        attributes: " text-anchor=\"end\"")
      let style = lengths[place] < 0 ? "bar below" : "bar"
      text +=
        "<rect x=\"\(left)\" y=\"\(y + 3)\" width=\"\(width)\" height=\"\(Self.height - 7)\" rx=\"2\" "
        + "class=\"\(style)\" fill=\"#0b57a4\"/>"
      text += SVG.text(
        SVG.label(bar.figure, most: 24), x: left + width + 8, y: y + 16, style: "note", fill: "#57606a")
    }
    svg = text + "</svg>"
  }
}
