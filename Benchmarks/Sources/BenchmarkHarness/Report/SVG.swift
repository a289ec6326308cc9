import Foundation

/// The little of SVG that the charts are made of.
enum SVG {
  static func number(_ value: Double) -> String {
    guard value.isFinite else { return "0" }
    let text = String(format: "%.1f", value)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  static func image(_ width: Double, _ height: Double, label: String, _ content: String) -> String {
    "<svg viewBox=\"0 0 \(number(width)) \(number(height))\" role=\"img\" aria-label=\"\(HTML.escaped(label))\">"
      + content + "</svg>"
  }

  static func text(
    _ x: Double, _ y: Double, _ text: String, anchor: String = "start", style: String = ""
  ) -> String {
    "<text x=\"\(number(x))\" y=\"\(number(y))\" text-anchor=\"\(anchor)\" class=\"\(style)\">"
      + HTML.escaped(text) + "</text>"
  }

  static func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, style: String) -> String {
    "<line x1=\"\(number(x1))\" y1=\"\(number(y1))\" x2=\"\(number(x2))\" y2=\"\(number(y2))\" class=\"\(style)\"/>"
  }

  static func bar(_ x: Double, _ y: Double, _ width: Double, _ height: Double, color: Int) -> String {
    "<rect x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(max(width, 1)))\" height=\"\(number(height))\" "
      + "rx=\"2\" style=\"fill:var(--e\(color))\"/>"
  }

  /// A line through points; dashed for peers, so that it can be told without colour.
  static func path(_ points: [(Double, Double)], color: Int, isDashed: Bool) -> String {
    let places = points.map { "\(number($0.0)),\(number($0.1))" }.joined(separator: " ")
    let dashes = isDashed ? ";stroke-dasharray:4 3" : ""
    let dots =
      points.count > 6
      ? ""
      : points.map {
        "<circle cx=\"\(number($0.0))\" cy=\"\(number($0.1))\" r=\"2.5\" style=\"fill:var(--e\(color))\"/>"
      }.joined()
    return "<polyline points=\"\(places)\" fill=\"none\" style=\"stroke:var(--e\(color))\(dashes)\"/>" + dots
  }
}

enum HTML {
  static func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
      .replacingOccurrences(of: ">", with: "&gt;").replacingOccurrences(of: "\"", with: "&quot;")
  }
}
