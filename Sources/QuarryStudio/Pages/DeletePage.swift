import QuarryBackend
import QuarryInspect

extension StudioSite {
  func deletePage(_ query: FormText, _ deadline: Deadline) throws -> StudioPage {
    try requireWriting()
    return try deletePage(try object(query), deadline, message: nil, status: 200)
  }

  private func deletePage(
    _ object: InspectedObject, _ deadline: Deadline, message: String?, status: Int
  ) throws -> StudioPage {
    let preview = try inspector.deletion(in: object.model.name, key: object.key, until: deadline)
    let effects = (preview?.effects ?? []).map { effect -> [String: Any] in
      let least = preview?.isComplete == false ? "at least " : ""
      return [
        "model": effect.model, "property": effect.property, "count": least + CellText.objects(effect.count),
        "effect": effect.rule == .cascade
          ? "removed too" : effect.rule == .nullify ? "their \(effect.property) becomes nil" : "in the way",
      ]
    }
    let json = (preview?.effects ?? []).map { effect in
      Value.object(unordered: [
        .init("model", .string(effect.model)), .init("property", .string(effect.property)),
        .init("rule", .string(effect.rule.rawValue)), .init("count", .int(Int64(effect.count))),
      ])
    }
    let isDenied = preview?.isDenied ?? false
    return StudioPage(
      status: status, template: "delete", title: "Delete \(heading(object))",
      values: [
        "heading": "Delete \(heading(object))", "action": link("delete"), "token": guardian.formToken,
        "model": object.model.name, "key": KeyText.text(object.key) ?? "", "digest": object.digest,
        "effects": effects, "hasEffects": !effects.isEmpty, "isDenied": isDenied,
        "title": orFalse(object.title.map { CellText(.string($0), most: 120).text }), "message": orFalse(message),
        "removed": (preview?.isComplete == false ? "At least " : "") + CellText.objects(preview?.removed ?? 0),
        "cancel": objectLink(object.model.name, object.key), "hasHistory": try inspector.keepsHistory,
      ],
      json: .object(unordered: [
        .init("removed", .int(Int64(preview?.removed ?? 0))), .init("isDenied", .bool(isDenied)),
        .init("isComplete", .bool(preview?.isComplete ?? true)), .init("effects", .array(json)),
      ]), section: "models")
  }

  func delete(_ form: FormText) throws -> StudioAnswer {
    let object = try object(form)
    do {
      switch try inspector.delete(in: object.model.name, key: object.key, digest: form["digest"]) {
      case .saved, .unchanged: return .response(.redirect(to: link("grid", [("model", object.model.name)])))
      case .conflict:
        return .page(
          try deletePage(
            object, Deadline(after: options.queryTime),
            message: "The object was changed since you opened this page. Nothing was deleted.", status: 409))
      }
    } catch let error as StorageError where error.code == .referenced {
      return .page(
        try deletePage(
          object, Deadline(after: options.queryTime), message: "Nothing was deleted. \(Self.sentence(error))",
          status: 409))
    }
  }
}
