import QuarryBackend
import QuarryCore
import QuarryInspect
import QuarrySync

extension StudioSite {
  /// What sync holds back, and why. Looking at it begins no sync.
  func heldPage(_ query: FormText) throws -> StudioPage {
    let done = [("discarded", "is discarded."), ("accepted", "is written again.")].compactMap { name, words in
      query[name].map { "\(CellText(.string($0), most: 80).text) \(words)" }
    }
    return try heldPage(done: done.first)
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
      "why": orFalse(item.message.map { CellText(.string($0), most: 200).text }), "isDeletion": item.isDeletion,
      "accepts": item.reason == .refused
        ? [
          "action": link("accept"), "token": guardian.formToken, "id": item.id,
          "digest": StoreInspector.digest(of: item),
        ] as [String: Any] : false as Any,
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
    switch reason {
    case .lostEdit: "The edit is forgotten in this store."
    case .refused: "What was refused is forgotten in this store."
    case .unique, .parent: "The object is deleted, in all stores."
    }
  }

  private static func json(_ item: HeldItem) -> Value {
    func object(_ object: HeldItem.Object) -> Value {
      .object(unordered: [.init("model", .string(object.model)), .init("key", object.key)])
    }
    return .object(unordered: [
      .init("id", .string(item.id)), .init("reason", .string(item.reason.rawValue)),
      .init("object", object(item.object)), .init("isShown", .bool(item.isShown)),
      .init("values", .object(unordered: item.values.map { .init($0.key, $0.value) })),
      .init("waitsFor", .array(item.waitsFor.map(object))), .init("isDeletion", .bool(item.isDeletion)),
      .init("message", item.message.map { .string($0) } ?? .null),
    ])
  }

  func discard(_ form: FormText) throws -> StudioAnswer {
    try answer("discarded") { try inspector.discard(held: form["id"] ?? "", digest: form["digest"] ?? "") }
  }

  func acceptHeld(_ form: FormText) throws -> StudioAnswer {
    try answer("accepted") { try inspector.accept(held: form["id"] ?? "", digest: form["digest"] ?? "") }
  }

  private func answer(_ done: String, _ change: () throws -> HeldItem.Object) throws -> StudioAnswer {
    do {
      return .response(.redirect(to: link("held", [(done, Self.words(try change()))])))
    } catch let error as StorageError where error.code != .closed {
      let (status, _, message) = Self.description(of: error)
      return .page(try heldPage(message: "Nothing was \(done). \(message)", status: status))
    }
  }
}
