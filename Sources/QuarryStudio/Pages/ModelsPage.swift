import QuarryBackend
import QuarryInspect

extension StudioSite {
  func modelsPage() throws -> StudioPage {
    let all = try summaries.models(of: inspector)
    let models = all.filter { $0.links == nil }
    let links = all.filter { $0.links != nil }
    let most = models.map(\.objects).max() ?? 0
    func row(_ model: ModelSummary) -> [String: Any] {
      let references = model.schema.liveProperties.filter { $0.reference != nil }.count
      return [
        "name": model.name, "link": link("grid", [("model", model.name)]), "objects": CellText.count(model.objects),
        "share": String(most == 0 ? 0 : model.objects * 100 / most),
        "size": orFalse(model.bytes.map(CellText.bytes)), "properties": String(model.schema.shownSlots.count),
        "indexes": String(model.schema.indexes.count), "references": String(references),
        "key": "\(model.schema.keyNames.joined(separator: ", ")): \(model.schema.keyProperty.typeName)",
        "relation": orFalse(model.links.map { "\($0.owner).\($0.property) to \($0.target)" }),
      ]
    }
    let manifest = inspector.store.manifest
    let values: [String: Any] = [
      "import": options.allowsWriting ? link("import") : false as Any,
      "models": models.map(row), "links": links.map(row), "hasLinks": !links.isEmpty, "isEmpty": models.isEmpty,
      "engine": "\(manifest.name) \(manifest.engineVersion)", "hasSizes": models.contains { $0.bytes != nil },
      "hasShares": models.count > 1,
      "total": CellText.objects(models.reduce(0) { $0 + $1.objects }),
      "count": "\(models.count) model\(models.count == 1 ? "" : "s")",
    ]
    let json = all.map { model in
      Value.object(unordered: [
        .init("name", .string(model.name)), .init("objects", .int(Int64(model.objects))),
        .init("bytes", model.bytes.map { .int(Int64($0)) } ?? .null), .init("isLinks", .bool(model.links != nil)),
        .init("properties", .array(model.schema.liveProperties.map(Self.json))),
        .init("indexes", .array(model.schema.indexes.map { Self.json($0, model.schema) })),
      ])
    }
    return StudioPage(
      template: "models", title: "Models", values: values, json: .object([.init("models", .array(json))]),
      section: "models", live: .everything)
  }

  static func json(_ property: PropertySchema) -> Value {
    .object(unordered: [
      .init("name", .string(property.name)), .init("type", .string(property.typeName)),
      .init("refersTo", property.reference.map { .string($0.model) } ?? .null),
      .init("deleteRule", property.reference.map { .string($0.deleteRule.rawValue) } ?? .null),
      .init("search", property.search.map(json) ?? .null),
    ])
  }

  private static func json(_ search: PropertySchema.Search) -> Value {
    .object(unordered: [
      .init("weight", .int(Int64(search.weight))),
      .init("language", search.language.map { .string($0.name) } ?? .null),
    ])
  }

  static func json(_ index: IndexSchema, _ model: ModelSchema) -> Value {
    .object(unordered: [
      .init("name", .string(index.name)), .init("isUnique", .bool(index.isUnique)),
      .init(
        "columns", .array(index.columns.map { .string(($0.isDescending ? "-" : "") + model.properties[$0.slot].name) })),
    ])
  }
}
