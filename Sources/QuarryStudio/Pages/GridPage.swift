import QuarryBackend
import QuarryCore
import QuarryInspect
import QuarryQuery

extension StudioSite {
  /// The characters of a value that a cell shows.
  static let cellCharacters = 80

  func gridPage(_ parameters: GridParameters, _ deadline: Deadline) throws -> StudioAnswer {
    let model = try inspector.store.model(named: parameters.model)
    var parameters = parameters
    if let addition = parameters.addition {
      do {
        parameters.condition = try condition(parameters.condition, adding: addition, model)
        return .response(.redirect(to: link("grid", parameters.fields)))
      } catch let error as StorageError {
        return .page(try grid(model, parameters, deadline, additionError: Self.sentence(error)))
      }
    }
    return .page(try grid(model, parameters, deadline, additionError: nil))
  }

  private func condition(
    _ old: String, adding addition: (property: String, comparison: String, value: String), _ model: ModelSchema
  ) throws -> String {
    guard let property = model.property(named: addition.property) else {
      throw StorageError(.invalidQuery, "the model has no such property", model: model.name)
    }
    guard let comparison = FilterComparison(rawValue: addition.comparison) else {
      throw StorageError(.invalidQuery, "there is no such comparison")
    }
    let new = try comparison.predicate(property, addition.value)
    let before = try PageRequest(model: model.name, condition: old).query().predicate
    return before == .constant(true) ? new.description : PredicateTree.and([before, new]).description
  }

  private func grid(
    _ model: ModelSchema, _ parameters: GridParameters, _ deadline: Deadline, additionError: String?
  ) throws -> StudioPage {
    var parameters = parameters
    let all = model.liveProperties.map(\.name)
    let shown = parameters.columns ?? Array(all.prefix(GridParameters.columnsShown))
    var values = form(model, parameters, additionError: additionError)
    values["hiddenColumns"] =
      parameters.columns == nil && shown.count < all.count
      ? "\(shown.count) of \(CellText.count(all.count)) properties are shown." : false as Any
    do {
      let wanted = parameters
      parameters.columns = shown
      let page = try inspector.page(parameters.request, until: deadline)
      values.merge(table(page, model, wanted)) { $1 }
      return StudioPage(
        template: "grid", title: model.name, values: values, json: json(page, wanted), section: "models",
        live: .model(model.name))
    } catch let error as QueryTextError {
      values.merge(mistake(error, parameters)) { $1 }
      return StudioPage(
        status: 400, template: "grid", title: model.name, values: values,
        json: .object(unordered: [
          .init("error", .string(error.error.code.description)), .init("message", .string(error.message)),
          .init("text", .string(error.text.rawValue)), .init("column", error.column.map { .int(Int64($0)) } ?? .null),
        ]), section: "models")
    }
  }

  /// The fields in which a query is typed, shared by the pages that have one.
  func form(_ model: ModelSchema, _ parameters: GridParameters, additionError: String? = nil) -> [String: Any] {
    let addition = parameters.addition
    return [
      "model": model.name, "where": parameters.condition, "sort": parameters.order, "limit": String(parameters.limit),
      "columns": parameters.columns?.joined(separator: ",") ?? "",
      "isFiltered": !parameters.condition.isEmpty || !parameters.search.isEmpty, "search": parameters.search,
      "searchable": model.searchableNames.isEmpty
        ? false as Any : CellText(.string(model.searchableNames.joined(separator: ", ")), most: 60).text,
      "clear": link("grid", [("model", model.name), ("sort", parameters.order)]),
      "properties": model.liveProperties.prefix(1_000).map { property -> [String: Any] in
        ["name": property.name, "isChosen": property.name == addition?.property]
      },
      "comparisons": FilterComparison.allCases.map { comparison -> [String: Any] in
        [
          "name": comparison.rawValue, "words": comparison.words,
          "isChosen": comparison.rawValue == addition?.comparison,
        ]
      },
      "limits": GridParameters.limits.map { limit -> [String: Any] in
        ["number": String(limit), "isChosen": limit == parameters.limit]
      },
      "value": addition?.value ?? "", "additionError": orFalse(additionError), "hasMistake": false,
      "grid": link("grid", parameters.fields), "explain": link("explain", parameters.fields),
      "groups": link(
        "groups", [("model", model.name), ("find", parameters.search), ("where", parameters.condition)]),
      "new": options.allowsWriting ? link("new", [("model", model.name)]) : false as Any,
      "exports": ExportFormat.allCases.map { format -> [String: Any] in
        ["name": format.words, "link": link("export", parameters.fields + [("format", format.rawValue)])]
      }, "hasTable": false,
      "typed": orFalse(nil),
    ]
  }

  /// The message of a mistake, with a mark below its place.
  func mistake(_ error: QueryTextError, _ parameters: GridParameters) -> [String: Any] {
    let text = error.text == .condition ? parameters.condition : parameters.order
    var pointer: Any = false
    var excerpt = ""
    if let column = error.column, column <= text.count + 1 {
      // A long text is shown around the mistake.
      let start = max(0, column - 40)
      excerpt = String(text.dropFirst(start).prefix(80))
      pointer = String(repeating: " ", count: column - 1 - start) + "^"
    }
    return [
      "hasMistake": true, "mistake": error.message.asSentence,
      "mistakeText": error.text == .condition ? "The condition cannot be used" : "The order cannot be used",
      "excerpt": excerpt, "pointer": pointer, "isOrder": error.text == .order,
    ]
  }

  private func table(_ page: ObjectPage, _ model: ModelSchema, _ parameters: GridParameters) -> [String: Any] {
    let properties = page.columns.map { model.property(named: $0) }
    let columns = page.columns.enumerated().map { place, name -> [String: Any] in
      let direction = parameters.order == name ? "ascending" : parameters.order == "-" + name ? "descending" : "none"
      let canSort = properties[place]?.type.isOrdered ?? false
      // A name that is not plain is quoted, as conditions quote it.
      let quoted = PredicateTree.compare(.property(PropertyPath(name)), .equal, .value(.null)).description
        .replacingSuffix(" == nil")
      let next = direction == "ascending" ? "-" + quoted : quoted
      return [
        "name": name, "link": canSort ? link("grid", parameters.sorted(by: next)) : false as Any,
        "type": properties[place]?.typeName ?? "", "direction": direction,
        "arrow": direction == "ascending" ? "▲" : direction == "descending" ? "▼" : false as Any,
        "isNumber": properties[place]?.type.isNumeric ?? false,
        "isKey": model.keyNames.contains(name),
      ]
    }
    let rows = page.rows.map { row -> [String: Any] in
      let object = objectLink(model.name, row.key)
      let cells = zip(row.values, properties).map { value, property -> [String: Any] in
        var cell = CellText(value, most: Self.cellCharacters).values
        let reference = property?.reference
        cell["link"] =
          property?.name == model.keyProperty.name
          ? object : value.isNull ? false as Any : orFalse(reference.map { objectLink($0.model, value) })
        return cell
      }
      return ["cells": cells, "object": object]
    }
    let first = parameters.place == nil ? 0 : parameters.rowsBefore
    let last = first + page.rows.count
    let range =
      page.rows.isEmpty
      ? (page.matching == 0 ? "No objects" : "No objects here")
      : "\(CellText.count(first + 1))–\(CellText.count(last)) of \(CellText.objects(page.matching))"
    return [
      "hasTable": true, "heads": columns, "rows": rows, "isEmpty": page.rows.isEmpty, "range": range,
      "total": page.matching == page.total ? false as Any : "of \(CellText.objects(page.total)) in all",
      "rankNote": orFalse(Self.rankNote(page, parameters)),
      "first": page.previous == nil ? false as Any : link("grid", parameters.fields),
      "previous": orFalse(
        page.previous.map { link("grid", parameters.at($0, row: max(0, first - parameters.limit))) }),
      "next": orFalse(page.next.map { link("grid", parameters.at($0, row: last)) }),
      "hasColumnsWithoutKey": !page.columns.contains(model.keyProperty.name),
    ]
  }

  /// The order of a search without one of its own.
  private static func rankNote(_ page: ObjectPage, _ parameters: GridParameters) -> String? {
    guard !parameters.search.isEmpty, parameters.order.isEmpty, page.matching > 0 else { return nil }
    let most = StoreInspector.mostRanked
    return page.matching > most
      ? "The best hits come first. Of these the first \(CellText.count(most)) are shown: choose an order to see all."
      : "The best hits come first."
  }

  private func json(_ page: ObjectPage, _ parameters: GridParameters) -> Value {
    .object(unordered: [
      .init("model", .string(page.model.name)), .init("total", .int(Int64(page.total))),
      .init("matching", .int(Int64(page.matching))),
      .init(
        "objects",
        .array(page.rows.map { row in .object(zip(page.columns, row.values).map { .init($0, $1) }) })),
      .init("next", page.next.map { .string(link("grid.json", parameters.at($0, row: 0))) } ?? .null),
      .init("previous", page.previous.map { .string(link("grid.json", parameters.at($0, row: 0))) } ?? .null),
    ])
  }
}

extension String {
  /// The text without the suffix, where it has it.
  func replacingSuffix(_ suffix: String) -> String { hasSuffix(suffix) ? String(dropLast(suffix.count)) : self }
}
