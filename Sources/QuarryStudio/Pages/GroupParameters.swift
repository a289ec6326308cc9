import QuarryBackend
import QuarryInspect

/// The state of the page of groups, all of it in its address.
struct GroupParameters {
  /// The functions that are chosen from a list, with their words.
  static let functions = [
    ("count", "number"), ("sum", "sum"), ("average", "average"), ("min", "least"), ("max", "greatest"),
    ("median", "median"), ("p90", "90th percentile"), ("p99", "99th percentile"), ("distinct", "different values"),
    ("deviation", "standard deviation"),
  ]

  var grid: GridParameters
  /// The properties to group by.
  var groups: [String]
  /// The chosen function, and the property that it is of.
  var function: String
  var property: String
  /// Figures as a text, which stand in place of the chosen function.
  var figures: String
  var having: String
  var order: String
  /// Whether the chart is a line, along the values of the property.
  var isLine: Bool

  init(_ query: FormText) throws {
    grid = try GridParameters(query)
    groups = [query["by"] ?? "", query["then"] ?? ""]
    function = query["function"] ?? "count"
    property = query["of"] ?? ""
    figures = query["figures"] ?? ""
    having = query["having"] ?? ""
    order = query["sort"] ?? ""
    isLine = query["chart"] == "line"
  }

  /// The request; nil where nothing to group by is named.
  var request: GroupRequest? {
    let names = groups.filter { !$0.isEmpty }
    guard !names.isEmpty else { return nil }
    let chosen = property.isEmpty ? function : "\(function)(\(property))"
    var request = GroupRequest(
      of: grid.request, by: names.joined(separator: ","), figures: figures.isEmpty ? chosen : figures)
    request.having = having
    request.order = !order.isEmpty ? .names(order) : isLine ? .value : .figure
    return request
  }

  /// The properties of a model that groups can be made by, with those of the objects that it refers to, as texts name them.
  static func names(of model: ModelSchema, in models: [ModelSchema], paths: Bool) -> [String] {
    var names: [String] = []
    for property in model.liveProperties where property.type.isOrdered {
      names.append(GroupNames.text(property.name))
      guard paths, GroupNames.isPlain(property.name), let target = property.reference?.model,
        let other = models.first(where: { $0.name == target })
      else { continue }
      for inner in other.liveProperties where inner.type.isOrdered && !other.keyNames.contains(inner.name) {
        if GroupNames.isPlain(inner.name) { names.append("\(property.name).\(inner.name)") }
      }
    }
    return Array(names.prefix(1_000))
  }
}
