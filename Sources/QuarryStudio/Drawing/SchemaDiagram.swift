import QuarryBackend
import QuarryCharts
import QuarryInspect

/// The models of a store as boxes, with lines for references and links.
///
/// Models without references stand on the left, and each model on the right of those that it refers to. In a ring of references
/// the order of names decides.
struct SchemaDiagram {
  private struct Box {
    var model: ModelSummary
    var rows: [PropertySchema]
    var more: Int
    var x = 0
    var y = 0
    var height: Int { headHeight + (rows.count + (more > 0 ? 1 : 0)) * rowHeight + 10 }
    /// The middle of the line of a property; of the head where it is not shown.
    func middle(of property: String) -> Int {
      guard let place = rows.firstIndex(where: { $0.name == property }) else { return y + headHeight / 2 }
      return y + headHeight + place * rowHeight + rowHeight / 2 + 3
    }
  }

  private static let width = 270
  private static let headHeight = 46
  private static let rowHeight = 20
  private static let columnGap = 110
  private static let rowGap = 28
  private static let margin = 16
  /// The properties that a box shows.
  private static let most = 16

  let svg: String

  /// - Parameter link: The address of a model's page; nil for a drawing without links.
  init(_ models: [ModelSummary], link: ((String) -> String)?) {
    var boxes = models.filter { $0.links == nil }.map { model in
      // The key and the references first, where not all have room.
      let all = model.schema.liveProperties
      let isLong = all.count > Self.most
      let rows =
        isLong
        ? Array(
          (all.filter { Self.isImportant($0, model) } + all.filter { !Self.isImportant($0, model) })
            .prefix(Self.most)) : all
      return Box(model: model, rows: rows, more: all.count - rows.count)
    }
    let size = Self.place(&boxes)
    var text = """
      <svg xmlns="http://www.w3.org/2000/svg" class="diagram" viewBox="0 0 \(size.width) \(size.height)" \
      width="\(size.width)" height="\(size.height)" role="\(link == nil ? "img" : "group")" aria-label="Models and their references" \
      font-family="ui-sans-serif, system-ui, sans-serif" font-size="13">
      """
    text +=
      "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" "
      + "orient=\"auto\"><path d=\"M0 0 8 4 0 8Z\" class=\"tip\" fill=\"#57606a\"/></marker></defs>"
    text += Self.lines(boxes, models.compactMap(\.links))
    for box in boxes { text += Self.drawing(box, link?(box.model.name)) }
    svg = text + "</svg>"
  }

  private static func isImportant(_ property: PropertySchema, _ model: ModelSummary) -> Bool {
    property.reference != nil || model.schema.keyNames.contains(property.name)
  }

  /// Gives each box its place.
  private static func place(_ boxes: inout [Box]) -> (width: Int, height: Int) {
    let columns = columns(boxes)
    var size = (width: margin * 2 + 200, height: margin * 2 + 20)
    var x = margin
    // Many models without references stand beside each other, and not in one long column.
    for column in columns {
      var y = margin
      for place in column {
        if y > margin, y + boxes[place].height > 1_400 {
          x += width + columnGap / 2
          y = margin
        }
        boxes[place].x = x
        boxes[place].y = y
        y += boxes[place].height + rowGap
        size.height = max(size.height, y - rowGap + margin)
      }
      x += width + columnGap
      size.width = max(size.width, x - columnGap + margin)
    }
    return size
  }

  /// The boxes of each column: a model stands behind those that it refers to, as far as they do not refer to it.
  private static func columns(_ boxes: [Box]) -> [[Int]] {
    let names = Dictionary(boxes.enumerated().map { ($1.model.name, $0) }) { first, _ in first }
    var levels = [Int](repeating: 0, count: boxes.count)
    // As many rounds as there are models at most: each moves a model by one column, and a ring does not grow further.
    for _ in 0..<min(boxes.count, 12) {
      for (place, box) in boxes.enumerated() {
        for property in box.model.schema.liveProperties {
          guard let target = property.reference.flatMap({ names[$0.model] }), target != place else { continue }
          if levels[place] <= levels[target], levels[target] < boxes.count - 1 { levels[place] = levels[target] + 1 }
        }
      }
    }
    // Rings leave columns empty.
    let used = Set(levels).sorted()
    return used.map { level in boxes.indices.filter { levels[$0] == level } }
  }

  private static func lines(_ boxes: [Box], _ links: [LinkRelation]) -> String {
    var text = ""
    for box in boxes {
      for property in box.model.schema.liveProperties {
        guard let reference = property.reference, let target = boxes.first(where: { $0.model.name == reference.model })
        else { continue }
        text += line(box, box.middle(of: property.name), target, style: "line", dashes: "")
      }
    }
    for link in links {
      guard let owner = boxes.first(where: { $0.model.name == link.owner }),
        let target = boxes.first(where: { $0.model.name == link.target })
      else { continue }
      let y = owner.y + owner.height - 6
      text += line(owner, y, target, style: "line", dashes: " stroke-dasharray=\"5 4\"")
      text += SVG.text(
        SVG.label(link.property, most: 20), x: owner.x + 8, y: owner.y + owner.height + 14, style: "note",
        fill: "#57606a")
    }
    return text
  }

  private static func line(_ from: Box, _ y: Int, _ to: Box, style: String, dashes: String) -> String {
    let end = to.y + headHeight / 2
    let path: String
    if from.x == to.x {
      // Beside the boxes of the same column.
      let x = from.x + width
      path = "M\(x) \(y)C\(x + 60) \(y) \(x + 60) \(end) \(x + 2) \(end)"
    } else if from.x > to.x {
      let (start, stop) = (from.x, to.x + width + 2)
      path = "M\(start) \(y)C\(start - 60) \(y) \(stop + 60) \(end) \(stop) \(end)"
    } else {
      let (start, stop) = (from.x + width, to.x - 2)
      path = "M\(start) \(y)C\(start + 60) \(y) \(stop - 60) \(end) \(stop) \(end)"
    }
    return "<path d=\"\(path)\" class=\"\(style)\" fill=\"none\" stroke=\"#57606a\" stroke-width=\"1.3\" "
      + "marker-end=\"url(#tip)\"\(dashes)/>"
  }

  private static func drawing(_ box: Box, _ link: String?) -> String {
    let (x, y) = (box.x, box.y)
    var text =
      "<rect x=\"\(x)\" y=\"\(y)\" width=\"\(width)\" height=\"\(box.height)\" rx=\"8\" class=\"box\" "
      + "fill=\"#ffffff\" stroke=\"#8c959f\"/>"
    let name = SVG.text(
      SVG.label(box.model.name, most: 30), x: x + 12, y: y + 20, style: "name", fill: "#0b57a4",
      attributes: " font-weight=\"600\" font-size=\"15\"")
    text += link.map { "<a href=\"\(SVG.escaped($0))\">\(name)</a>" } ?? name
    text += SVG.text(
      [CellText.objects(box.model.objects), box.model.bytes.map(CellText.bytes)].compactMap { $0 }
        .joined(separator: ", "), x: x + 12, y: y + 37, style: "note", fill: "#57606a",
      attributes: " font-size=\"11\"")
    text += "<path d=\"M\(x) \(y + headHeight)H\(x + width)\" class=\"rule\" stroke=\"#d0d7de\"/>"
    let indexed = Set(box.model.schema.indexes.compactMap { $0.columns.first?.slot })
    for (place, property) in box.rows.enumerated() {
      let line = y + headHeight + place * rowHeight + 17
      let isKey = box.model.schema.keyNames.contains(property.name)
      let isIndexed = box.model.schema.slot(named: property.name).map(indexed.contains) ?? false
      text += SVG.text(
        SVG.label(property.name, most: 20), x: x + 12, y: line, style: "property", fill: "#1f2328",
        attributes: isKey ? " font-weight=\"600\"" : "")
      let type = property.typeName + (isKey ? " key" : isIndexed ? " index" : "")
      text += SVG.text(
        SVG.label(type, most: 20), x: x + width - 12, y: line, style: "note", fill: "#57606a",
        attributes: " text-anchor=\"end\"")
    }
    if box.more > 0 {
      text += SVG.text(
        "and \(CellText.count(box.more)) more", x: x + 12, y: y + headHeight + box.rows.count * rowHeight + 17,
        style: "note", fill: "#57606a")
    }
    return text
  }
}
