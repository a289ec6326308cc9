import Foundation
import QuarryBackend
import QuarryCharts
import QuarryInspect
import QuarryQuery

extension StudioSite {
  /// The number of bars of a chart.
  static let barsShown = 30
  /// The number of charts, one for each figure.
  static let chartsShown = 4

  func groupsPage(_ parameters: GroupParameters, _ deadline: Deadline) throws -> StudioPage {
    let models = try inspector.store.models()
    let model = try inspector.store.model(named: parameters.grid.model)
    let names = GroupParameters.names(of: model, in: models, paths: true)
    func choices(_ names: [String], _ chosen: String) -> [[String: Any]] {
      // An address may name what no list has.
      let all = chosen.isEmpty || names.contains(chosen) ? names : names + [chosen]
      return all.map { ["name": $0, "isChosen": $0 == chosen] }
    }
    var values = form(model, parameters.grid)
    let known = GroupParameters.functions.contains { $0.0 == parameters.function }
    let functions = GroupParameters.functions + (known ? [] : [(parameters.function, parameters.function)])
    values["functions"] = functions.map { name, words -> [String: Any] in
      ["name": name, "words": words, "isChosen": name == parameters.function]
    }
    values["groupNames"] = choices(names, parameters.groups[0])
    values["thenNames"] = choices(names, parameters.groups[1])
    values["ofNames"] = choices(
      GroupParameters.names(of: model, in: models, paths: false), parameters.property)
    values["figures"] = parameters.figures
    values["having"] = parameters.having
    values["groupSort"] = parameters.order
    values["hasMore"] = !(parameters.figures + parameters.having + parameters.order).isEmpty
    values["isLine"] = parameters.isLine
    values["hasGroups"] = false
    values["problem"] = false
    var json: Value = .object([])
    var status = 200
    if let request = parameters.request {
      do {
        let figures = try inspector.figures(request, until: deadline)
        values.merge(table(figures, parameters, model)) { $1 }
        json = Self.json(figures)
      } catch let error as QueryTextError {
        status = 400
        values.merge(mistake(error, parameters.grid)) { $1 }
        json = .object([.init("message", .string(error.message))])
      } catch let error as StorageError where error.code != .limitExceeded {
        status = Self.description(of: error).status
        values["problem"] = Self.sentence(error)
        json = .object([.init("message", .string(error.message))])
      }
    }
    return StudioPage(
      status: status, template: "groups", title: "Groups of \(model.name)", values: values, json: json,
      section: "models")
  }

  private static func json(_ figures: GroupedFigures) -> Value {
    func members(_ names: [String], _ values: [Value]) -> Value {
      .object(unordered: zip(names, values).map { .init($0, $1) })
    }
    return .object(unordered: [
      .init("count", .int(Int64(figures.count))),
      .init(
        "groups",
        .array(
          figures.rows.map { row in
            .object(unordered: [
              .init("by", members(figures.properties, row.values)),
              .init("figures", members(figures.figures, row.figures)),
            ])
          })),
    ])
  }

  private static func figure(_ value: Value) -> String {
    if case .int(let number) = value { return CellText.count(Int(number)) }
    return CellText(value, most: 24).text
  }

  private func table(_ figures: GroupedFigures, _ parameters: GroupParameters, _ model: ModelSchema) -> [String: Any] {
    let rows = figures.rows.map { row -> [String: Any] in
      let link = link(
        "grid",
        [
          ("model", model.name), ("find", parameters.grid.search),
          ("where", condition(figures.properties, row.values, parameters, model)),
        ])
      return [
        "values": row.values.map { value -> [String: Any] in
          var cell = CellText(value, most: Self.cellCharacters).values
          cell["link"] = link
          return cell
        },
        "figures": row.figures.map { ["text": Self.figure($0)] as [String: Any] },
      ]
    }
    let shown =
      figures.rows.count < figures.count
      ? ", of which the first \(CellText.count(figures.rows.count)) are shown" : ""
    let by = figures.properties.joined(separator: ", ")
    let charts = figures.figures.prefix(Self.chartsShown).enumerated().map { place, name -> [String: Any] in
      ["name": name, "drawing": chart(figures, place, parameters, title: "\(name) by \(by)")]
    }
    return [
      "hasGroups": true, "rows": rows, "charts": charts, "hasCharts": charts.count > 1,
      "groupHeads": figures.properties.map { ["name": $0] as [String: Any] },
      "figureHeads": figures.figures.map { ["name": $0] as [String: Any] },
      "summary": "\(CellText.count(figures.count)) group\(figures.count == 1 ? "" : "s")\(shown)",
      "chartNote": figures.count > Self.barsShown && !parameters.isLine
        ? "The chart shows the first \(Self.barsShown)." : false as Any,
    ]
  }

  /// The condition that the objects of a group fulfil.
  private func condition(
    _ names: [String], _ values: [Value], _ parameters: GroupParameters, _ model: ModelSchema
  ) -> String {
    let parts = zip(names, values).map { name, value -> PredicateTree in
      let words = model.property(named: name) == nil ? name.split(separator: ".").map(String.init) : [name]
      let path = PropertyPath(words.first ?? name, members: Array(words.dropFirst()))
      return .compare(.property(path), .equal, .value(value))
    }
    let own = parts.count == 1 ? parts[0].description : PredicateTree.and(parts).description
    let before = parameters.grid.condition
    return before.isEmpty ? own : "(\(before)) AND \(own)"
  }

  private func chart(_ figures: GroupedFigures, _ place: Int, _ parameters: GroupParameters, title: String) -> String {
    func label(_ row: GroupedFigures.Row) -> String {
      CellText(.string(row.values.map { CellText($0, most: 24).text }.joined(separator: ", ")), most: 24).text
    }
    guard parameters.isLine, figures.properties.count == 1 else {
      let bars = figures.rows.prefix(Self.barsShown).map { row in
        BarChart.Bar(
          label: label(row), value: row.figures[place].magnitude, text: Self.figure(row.figures[place]))
      }
      return BarChart(bars, title: title).svg
    }
    // A line has no place for nil.
    let points = figures.rows.filter { !$0.values[0].isNull }.map { row in
      LineChart.Point(
        place: Self.place(row.values[0]), label: label(row), figure: row.figures[place].magnitude,
        figureText: Self.figure(row.figures[place]))
    }
    return LineChart(points, title: title).svg
  }

  /// The place of a value on an axis; nil for values without distances.
  private static func place(_ value: Value) -> Double? {
    switch value {
    case .date(let date): date.timeIntervalSinceReferenceDate
    case .int, .uint, .float, .double, .decimal: value.magnitude
    default: nil
    }
  }
}
