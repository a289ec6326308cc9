import QuarryBackend
import QuarryCore
import QuarryInspect
import QuarrySync

extension StudioSite {
  /// What sync holds back, and why. Looking at it begins no sync.
  func heldPage(_ query: FormText) throws -> StudioPage {
    try heldPage(done: query["discarded"].map { "\(CellText(.string($0), most: 80).text) is discarded." })
  }

  private func heldPage(done: String? = nil, message: String? = nil, status: Int = 200) throws -> StudioPage {
    let held = try inspector.held()
    let items = held ?? []
    var values: [String: Any] = [
      "isSynced": held != nil, "items": items.map(row), "isEmpty": items.isEmpty, "done": orFalse(done),
      "message": orFalse(message), "count": "\(CellText.count(items.count)) held",
    ]
    values["writes"] = options.allowsWriting
    return StudioPage(
      status: status, template: "held", title: "Held by sync", values: values,
      json: .object(unordered: [
        .init("isSynced", .bool(held != nil)), .init("held", .array(items.map(Self.json))),
        .init("message", message.map { .string($0) } ?? .null),
      ]), section: "held", live: held == nil ? nil : .everything)
  }

  private func row(_ item: HeldItem) -> [String: Any] {
    let canDiscard = !item.isShown
    return [
      "id": item.id, "object": Self.words(item.object), "reason": item.reason.words.asSentence,
      "link": item.isShown ? objectLink(item.object.model, item.object.key) : false as Any,
      "waits": item.waitsFor.map { object -> [String: Any] in
        [
          "object": Self.words(object),
          "link": item.reason == .parent ? false as Any : objectLink(object.model, object.key),
        ]
      },
      "values": item.values.sorted { $0.key < $1.key }.map { name, value -> [String: Any] in
        CellText(value, most: 120).values.merging(["name": name]) { $1 }
      },
      "discards": canDiscard
        ? [
          "action": link("discard"), "token": guardian.formToken, "id": item.id,
          "digest": StoreInspector.digest(of: item), "effect": Self.effect(item.reason),
        ] as [String: Any] : false as Any,
      "note": canDiscard ? false as Any : "The object is stored without these values. Edit it instead.",
    ]
  }

  private static func words(_ object: HeldItem.Object) -> String {
    "\(object.model) \(name(object.key, nil))"
  }

  private static func effect(_ reason: HeldReason) -> String {
    reason == .lostEdit ? "The edit is forgotten in this store." : "The object is deleted, in all stores."
  }

  private static func json(_ item: HeldItem) -> Value {
    func object(_ object: HeldItem.Object) -> Value {
      .object(unordered: [.init("model", .string(object.model)), .init("key", object.key)])
    }
    return .object(unordered: [
      .init("id", .string(item.id)), .init("reason", .string(item.reason.rawValue)),
      .init("object", object(item.object)), .init("isShown", .bool(item.isShown)),
      .init("values", .object(unordered: item.values.map { .init($0.key, $0.value) })),
      .init("waitsFor", .array(item.waitsFor.map(object))),
    ])
  }

  func discard(_ form: FormText) throws -> StudioAnswer {
    do {
      let object = try inspector.discard(held: form["id"] ?? "", digest: form["digest"] ?? "")
      return .response(.redirect(to: link("held", [("discarded", Self.words(object))])))
    } catch let error as StorageError where error.code != .closed {
      let (status, _, message) = Self.description(of: error)
      return .page(try heldPage(message: "Nothing was discarded. \(message)", status: status))
    }
  }
}
