import Foundation
import QuarryBackend
import QuarryCharts
import QuarryInspect
import QuarryQuery

/// The state of the page of groups.
struct GroupParameters {
  var grid: GridParameters
  var group: String
  var function: AggregateFunction
  var property: String?
  /// Whether the chart is a line, along the values of the property.
  var isLine: Bool

  init(_ query: FormText) throws {
    grid = try GridParameters(query)
    group = query["by"] ?? ""
    guard let function = AggregateFunction(rawValue: query["function"] ?? "count") else {
      throw StorageError(.invalidQuery, "there is no such function")
    }
    self.function = function
    isLine = query["chart"] == "line"
    property = query["of"].flatMap { $0.isEmpty ? nil : $0 }
  }
}

extension StudioSite {
  /// The number of bars of the chart.
  static let barsShown = 30

  func groupsPage(_ parameters: GroupParameters, _ deadline: Deadline) throws -> StudioPage {
    let model = try inspector.store.model(named: parameters.grid.model)
    let names = model.liveProperties.filter { $0.type.isOrdered }
    var values = form(model, parameters.grid)
    values["functions"] = AggregateFunction.allCases.map { function -> [String: Any] in
      ["name": function.rawValue, "isChosen": function == parameters.function]
    }
    values["groupNames"] = names.map { ["name": $0.name, "isChosen": $0.name == parameters.group] as [String: Any] }
    values["ofNames"] = names.map { ["name": $0.name, "isChosen": $0.name == parameters.property] as [String: Any] }
    values["isLine"] = parameters.isLine
    values["hasGroups"] = false
    values["problem"] = false
    var json: Value = .object([])
    var status = 200
    if !parameters.group.isEmpty {
      do {
        var request = GroupRequest(
          of: parameters.grid.request, by: parameters.group, function: parameters.function,
          property: parameters.property)
        request.order = parameters.isLine ? .value : .figure
        let figures = try inspector.figures(request, until: deadline)
        values.merge(table(figures, parameters, model)) { $1 }
        json = .object(unordered: [
          .init("count", .int(Int64(figures.count))),
          .init(
            "groups", .array(figures.groups.map { .object([.init("figure", $0.figure), .init("value", $0.value)]) })),
        ])
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

  private static func figure(_ value: Value) -> String {
    if case .int(let number) = value { return CellText.count(Int(number)) }
    return CellText(value, most: 24).text
  }

  private func table(_ figures: GroupedFigures, _ parameters: GroupParameters, _ model: ModelSchema) -> [String: Any] {
    let rows = figures.groups.map { group -> [String: Any] in
      let condition = PredicateTree.compare(.property(PropertyPath(parameters.group)), .equal, .value(group.value))
      let before = parameters.grid.condition
      let both = before.isEmpty ? condition.description : "(\(before)) AND \(condition.description)"
      return [
        "value": CellText(group.value, most: Self.cellCharacters).values,
        "figure": Self.figure(group.figure),
        "link": link("grid", [("model", model.name), ("find", parameters.grid.search), ("where", both)]),
      ]
    }
    let shown =
      figures.groups.count < figures.count
      ? ", of which the first \(CellText.count(figures.groups.count)) are shown" : ""
    let function =
      parameters.property.map { "\(parameters.function.rawValue) of \($0)" } ?? parameters.function.rawValue
    return [
      "hasGroups": true, "rows": rows, "chart": chart(figures, parameters, title: "\(function) by \(parameters.group)"),
      "groupName": parameters.group, "functionName": function,
      "summary": "\(CellText.count(figures.count)) group\(figures.count == 1 ? "" : "s")\(shown)",
      "chartNote": figures.count > Self.barsShown && !parameters.isLine
        ? "The chart shows the \(Self.barsShown) largest." : false as Any,
    ]
  }

  private func chart(_ figures: GroupedFigures, _ parameters: GroupParameters, title: String) -> String {
    guard parameters.isLine else {
      let bars = figures.groups.prefix(Self.barsShown).map { group in
        BarChart.Bar(
          label: CellText(group.value, most: 24).text, value: group.figure.magnitude, text: Self.figure(group.figure))
      }
      return BarChart(bars, title: title).svg
    }
    // A line has no place for nil.
    let groups = figures.groups.filter { !$0.value.isNull }
    let points = groups.map { group in
      LineChart.Point(
        place: Self.place(group.value), label: CellText(group.value, most: 24).text, figure: group.figure.magnitude,
        figureText: Self.figure(group.figure))
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
