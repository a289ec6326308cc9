/// A drawing of figures.
package protocol Chart {
  var title: String { get }
  /// The height of the drawing, in its own units. Its width is ``width``.
  var height: Int { get }

  /// The drawing.
  ///
  /// - Parameter attributes: Attributes of the element, with a blank before each.
  func svg(_ attributes: String) -> String
}

extension Chart {
  /// The drawing, as an element of a page.
  package var svg: String { svg("") }

  /// The width of every drawing.
  static var width: Int { 700 }
}

/// Charts one below the other, as a file.
package enum ChartImage {
  /// The document, with the title above each chart.
  package static func svg(_ charts: [any Chart]) -> String {
    let width = 716
    var body = ""
    var top = 16
    for chart in charts {
      body += SVG.text(
        SVG.label(chart.title, most: 80), x: 8, y: top + 14, style: "title", fill: "#1f2328",
        attributes: " font-weight=\"bold\"")
      top += 28
      body += chart.svg(" x=\"8\" y=\"\(top)\" width=\"700\" height=\"\(chart.height)\"") + "\n"
      top += chart.height + 20
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(top)" viewBox="0 0 \(width) \(top)" \
      font-family="ui-sans-serif, system-ui, sans-serif" font-size="13">
      <rect width="100%" height="100%" fill="white"/>
      \(body)</svg>

      """
  }
}
