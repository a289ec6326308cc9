import QuarryBackend
import QuarryInspect

extension StudioSite {
  func schemaPage() throws -> StudioPage {
    let models = try summaries.models(of: inspector)
    let diagram = SchemaDiagram(models) { self.link("grid", [("model", $0)]) }
    let lists = models.filter { $0.links == nil }.map { model -> [String: Any] in
      [
        "name": model.name, "link": link("grid", [("model", model.name)]),
        "properties": model.schema.liveProperties.prefix(1_000).map { property -> [String: Any] in
          [
            "name": property.name, "type": property.typeName,
            "isKey": model.schema.keyNames.contains(property.name),
            "reference": orFalse(property.reference.map { "to \($0.model), \($0.deleteRule.rawValue)" }),
            "generated": orFalse(
              model.schema.keyGeneration.flatMap { generation in
                model.schema.keyNames == [property.name] ? "generated: \(generation.words)" : nil
              }),
            "search": orFalse(property.search?.words),
            "default": orFalse(property.defaultValue.map { "default \(CellText($0, most: 40).text)" }),
          ]
        },
        "indexes": model.schema.indexes.map { index -> [String: Any] in
          let figures = model.indexes.first { $0.name == index.name }
          let columns = index.columns.map { ($0.isDescending ? "-" : "") + model.schema.properties[$0.slot].name }
          return [
            "name": index.name, "columns": columns.joined(separator: ", "), "isUnique": index.isUnique,
            "figures": [figures?.entries.map { "\(CellText.count($0)) entries" }, figures?.bytes.map(CellText.bytes)]
              .compactMap { $0 }.joined(separator: ", "),
          ]
        }, "hasIndexes": !model.schema.indexes.isEmpty,
      ]
    }
    let json = models.map { model in
      Value.object(unordered: [
        .init("name", .string(model.name)), .init("properties", .array(model.schema.liveProperties.map(Self.json))),
        .init("primaryKey", .string(model.schema.keyNames.joined(separator: ","))),
        .init("indexes", .array(model.schema.indexes.map { Self.json($0, model.schema) })),
      ])
    }
    return StudioPage(
      template: "schema", title: "Schema",
      values: ["diagram": diagram.svg, "file": link("schema.svg"), "models": lists, "isEmpty": lists.isEmpty],
      json: .object([.init("models", .array(json))]), section: "schema")
  }

  /// The diagram as a file.
  func schemaFile() throws -> StudioResponse {
    let diagram = SchemaDiagram(try summaries.models(of: inspector), link: nil)
    var response = StudioResponse(200, "image/svg+xml", diagram.svg.utf8)
    response.headers.append(("Content-Disposition", "attachment; filename=\"schema.svg\""))
    return response
  }
}
