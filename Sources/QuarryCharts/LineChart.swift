import Foundation
import QuarryData

/// Figures along an axis of numbers, dates or names, joined by a line.
package struct LineChart: Chart {
  package struct Point {
    /// The place on the axis; nil for points that stand at equal distances.
    var place: Double?
    var label: String
    var figure: Double
    var figureText: String

    package init(place: Double?, label: String, figure: Double, figureText: String) {
      self.place = place
      self.label = label
      self.figure = figure
      self.figureText = figureText
    }
  }

  package let title: String
  package let points: [Point]

  package init(_ points: [Point], title: String) {
    self.title = title
    self.points = points.filter { $0.figure.isFinite && $0.place?.isFinite != false }
  }

  /// The points that have circles of their own.
  static let mostCircles = 80

  private static let width = 700
  package var height: Int { Self.height }
  private static let height = 320
  private static let top = 16
  private static let bottom = 40
  private static let right = 24

  package func svg(_ attributes: String) -> String {
    let ticks = Self.ticks(points.map(\.figure))
    let marks = ticks.map(Self.text)
    let left = min(140, (marks.map(\.count).max() ?? 0) * 8 + 20)
    let (low, high) = (ticks.first ?? 0, ticks.last ?? 1)
    let room = (x: Double(Self.width - left - Self.right), y: Double(Self.height - Self.top - Self.bottom))
    func y(_ figure: Double) -> Int { Self.height - Self.bottom - Int(Self.share(figure, low, high) * room.y) }
    let places = points.enumerated().map { $1.place ?? Double($0) }
    let (first, last) = (places.min() ?? 0, places.max() ?? 0)
    func x(_ place: Double) -> Int { left + Int((first < last ? Self.share(place, first, last) : 0.5) * room.x) }

    var text = """
      <svg xmlns="http://www.w3.org/2000/svg" class="chart"\(attributes) viewBox="0 0 \(Self.width) \(Self.height)" role="img" \
      aria-label="\(SVG.escaped(title))" font-family="ui-sans-serif, system-ui, sans-serif" font-size="13">
      """
    for (tick, mark) in zip(ticks, marks) {
      text += "<path d=\"M\(left) \(y(tick))H\(Self.width - Self.right)\" class=\"grid-line\" stroke=\"#d0d7de\"/>"
      text += SVG.text(
        SVG.escaped(mark), x: left - 8, y: y(tick) + 4, style: "note", fill: "#57606a",
        attributes: " text-anchor=\"end\"")
    }
    let line = zip(points, places).map { "\(x($1)) \(y($0.figure))" }.joined(separator: "L")
    if points.count > 1 {
      text += "<path d=\"M\(line)\" class=\"curve\" fill=\"none\" stroke=\"#0b57a4\" stroke-width=\"2\"/>"
    }
    if points.count <= Self.mostCircles {
      for (point, place) in zip(points, places) {
        text +=
          "<circle cx=\"\(x(place))\" cy=\"\(y(point.figure))\" r=\"3\" class=\"bar\" fill=\"#0b57a4\"><title>"
          + SVG.label("\(point.label): \(point.figureText)", most: 60) + "</title></circle>"
      }
    }
    text += Self.labels(points, places.map(x), left)
    return text + "</svg>"
  }

  /// The names below the axis: as many as have room, always the first and the last.
  private static func labels(_ points: [Point], _ places: [Int], _ left: Int) -> String {
    guard let last = points.indices.last else { return "" }
    var text = ""
    var free = Int.min
    for (number, point) in points.enumerated() {
      let label = SVG.label(point.label, most: 16)
      let half = min(point.label.count, 16) * 4
      let x = min(max(places[number], left + half - 16), width - half - 4)
      let lastX = min(places[last], width - min(points[last].label.count, 16) * 4 - 4)
      guard number == last || x - half > free && x + half + 12 < lastX - half else { continue }
      free = x + half + 12
      text += SVG.text(
        label, x: x, y: height - bottom + 22, style: "property", fill: "#1f2328",
        attributes: " text-anchor=\"middle\"")
    }
    return text
  }

  /// The part of a range that is below a number, from 0 to 1. Halves keep the difference of any two numbers finite.
  private static func share(_ number: Double, _ low: Double, _ high: Double) -> Double {
    let share = (number / 2 - low / 2) / (high / 2 - low / 2)
    return share.isNaN ? 0 : min(max(share, 0), 1)
  }

  /// From three to seven round numbers that surround the figures and zero.
  static func ticks(_ figures: [Double]) -> [Double] {
    let low = min(0, figures.min() ?? 0)
    let high = max(0, figures.max() ?? 1)
    let span = high - low
    guard span > 0 else { return [0, 1] }
    guard span.isFinite else { return [low, 0, high] }
    let rough = span / 4
    let power = pow(10, floor(log10(rough)))
    let step = ([1, 2, 2.5, 5, 10].first { $0 * power >= rough } ?? 10) * power
    guard step > 0, step.isFinite else { return [low, high] }
    return (Int((low / step).rounded(.down))...Int((high / step).rounded(.up))).map { Double($0) * step }.filter(
      \.isFinite)
  }

  private static func text(_ number: Double) -> String {
    if abs(number) < 1e15, number == number.rounded() { return Int(number).withCommas }
    return String(format: "%.4g", number)
  }
}
