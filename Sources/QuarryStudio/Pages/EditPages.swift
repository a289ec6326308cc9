import QuarryBackend
import QuarryCore
import QuarryInspect

/// The fields of a form for an object: by slots, so that no name can be mistaken for another field.
private struct ObjectForm {
  let model: ModelSchema
  let form: FormText

  func text(_ slot: Int) -> String? { form["f\(slot)"] }
  func base(_ slot: Int) -> String? { form["b\(slot)"] }
  /// Whether the field is nil. A text that was typed over nil is a value: without JavaScript the box stays checked.
  func isNil(_ slot: Int) -> Bool {
    guard form["n\(slot)"] == "1" else { return false }
    return !wasNil(slot) || model.properties[slot].type == .bool || text(slot)?.isEmpty != false
  }
  func wasNil(_ slot: Int) -> Bool { form["o\(slot)"] == "1" }

  /// The value that was read, as the form kept it; nil where the form does not have the field.
  func baseValue(_ slot: Int) throws -> Value? {
    if wasNil(slot) { return .null }
    return try base(slot).map { try FieldText.value($0, of: model.properties[slot]) }
  }

  /// Whether a person has changed the field.
  func isChanged(_ slot: Int) -> Bool {
    if isNil(slot) != wasNil(slot) { return true }
    return !isNil(slot) && text(slot)?.lines != base(slot)?.lines
  }
}

extension StudioSite {
  func editPage(_ query: FormText) throws -> StudioPage {
    try requireWriting()
    return editPage(try object(query))
  }

  /// The form for an object, with what was typed where it is shown again.
  private func editPage(
    _ object: InspectedObject, typed: FormText? = nil, errors: [Int: String] = [:], message: String? = nil,
    status: Int = 200, conflict: EditConflict? = nil, lost: [TypedValues.Field] = []
  ) -> StudioPage {
    let model = object.model
    let fields = model.shownSlots.map { slot in
      field(
        slot, model, object.record[model.properties[slot].name] ?? .null, typed: typed, isConflict: conflict != nil,
        errors[slot])
    }
    // Until a conflict was seen, the edit stays one against the object that was read first.
    let digest = conflict == nil ? typed?["digest"] ?? object.digest : object.digest
    let conflicts = (conflict?.fields ?? []).map { field -> [String: Any] in
      [
        "name": field.property, "base": field.base.map { CellText($0, most: 200).text } ?? "not known",
        "mine": field.mine.map { CellText($0, most: 200).text } ?? "not changed",
        "theirs": CellText(field.theirs, most: 200).text,
      ]
    }
    return StudioPage(
      status: status, template: "edit", title: "Edit \(heading(object))",
      values: [
        "heading": "Edit \(heading(object))", "action": link("save"), "token": guardian.formToken, "model": model.name,
        "key": KeyText.text(object.key) ?? "", "digest": digest, "fields": fields, "message": orFalse(message),
        "isConflict": conflict != nil, "conflicts": conflicts, "button": "Save",
        "cancel": objectLink(model.name, object.key), "properties": TypedValues.shape(of: model),
        "lost": TypedValues.rows(lost), "hasLost": !lost.isEmpty,
      ],
      json: .object(unordered: [
        .init("model", .string(model.name)), .init("key", object.key), .init("digest", .string(digest)),
        .init("fields", Self.json(fields)),
        .init("error", message == nil ? .null : .string(conflict == nil ? "invalidValue" : "conflict")),
        .init("message", message.map { .string($0) } ?? .null),
      ]), section: "models", live: .model(model.name))
  }

  /// A field of a form, with what was typed. After a conflict the stored value is its new base, and a field that was not
  /// changed shows it.
  private func field(
    _ slot: Int, _ model: ModelSchema, _ value: Value, typed: FormText?, isConflict: Bool = false, _ error: String?
  ) -> [String: Any] {
    let property = model.properties[slot]
    var form = typed.map { ObjectForm(model: model, form: $0) }
    let stored = FieldText.text(value, of: property)
    let base = isConflict ? stored : form?.base(slot)?.lines ?? stored
    let wasNil = isConflict ? value.isNull : form?.wasNil(slot) ?? value.isNull
    if isConflict, form?.isChanged(slot) == false { form = nil }
    let text = form?.text(slot)?.lines ?? base ?? ""
    let isLong = text.utf8.contains(0x0A) || text.utf8.count > 80 || property.type == .nested || property.type == .array
    var hint: Any = false
    switch property.type {
    case .date: hint = "UTC, such as 2026-01-31T12:00:00Z; another zone as +02:00 in place of Z"
    case .data: hint = "pairs of hexadecimal digits"
    case .array, .nested: hint = "JSON"
    default: break
    }
    return [
      "slot": String(slot), "name": property.name, "type": property.typeName, "text": text, "base": base ?? "",
      "isNil": form?.isNil(slot) ?? value.isNull, "wasNil": wasNil, "isOptional": property.isOptional,
      "isBool": property.type == .bool, "isTrue": text == "true", "isFalse": text == "false",
      "isLong": isLong && property.type != .bool, "isShort": !isLong && property.type != .bool, "hint": hint,
      "error": orFalse(error), "refersTo": orFalse(property.reference.map { "the key of a \($0.model)" }),
      "isFixed": model.isOfKey(slot) || stored == nil,
      "fixedText": CellText(value, most: 200).text,
      "fixedNote": model.isOfKey(slot)
        ? "The primary key stays as it is." : "This value is too long, or cannot be typed, and stays as it is.",
    ]
  }

  /// The fields of a form: what each has, and why it cannot be saved.
  private static func json(_ fields: [[String: Any]]) -> Value {
    .array(
      fields.map { field in
        func text(_ name: String) -> Value { (field[name] as? String).map { .string($0) } ?? .null }
        func truth(_ name: String) -> Value { .bool(field[name] as? Bool ?? false) }
        return .object(unordered: [
          .init("name", text("name")), .init("type", text("type")), .init("text", text("text")),
          .init("isNil", truth("isNil")), .init("isFixed", truth("isFixed")), .init("error", text("error")),
        ])
      })
  }

  /// The message of a form whose model was migrated meanwhile.
  private static let migrated = "The model was migrated since you opened this form."

  /// Whether the form was made for other properties than the model has now.
  private func isOutdated(_ form: FormText, _ model: ModelSchema) -> Bool {
    form["properties"].map { $0 != TypedValues.shape(of: model) } ?? false
  }

  func save(_ form: FormText) throws -> StudioAnswer {
    let object = try object(form)
    let model = object.model
    if isOutdated(form, model) {
      let (typed, lost) = TypedValues(form).form(for: model) { object.record[$0.name] ?? .null }
      return .page(
        editPage(object, typed: typed, message: "\(Self.migrated) Nothing was saved.", status: 409, lost: lost))
    }
    let typed = ObjectForm(model: model, form: form)
    var changes: [(name: String, value: Value)] = []
    var base: [(name: String, value: Value)] = []
    var errors: [Int: String] = [:]
    for slot in model.shownSlots where !model.isOfKey(slot) && typed.text(slot) != nil {
      let property = model.properties[slot]
      do {
        if let value = try typed.baseValue(slot) {
          let stored = object.record[property.name] ?? .null
          // Texts of forms have no ends of lines of their own kind.
          let isStored = FieldText.text(stored, of: property) == typed.base(slot)?.lines && !stored.isNull
          base.append((property.name, isStored ? stored : value))
        }
        guard typed.isChanged(slot) else { continue }
        let old = object.record[property.name] ?? .null
        changes.append(
          (
            property.name,
            typed.isNil(slot) ? .null : try FieldText.value(typed.text(slot) ?? "", of: property, old: old)
          ))
      } catch let error as StorageError {
        errors[slot] = error.message.asSentence
      }
    }
    guard errors.isEmpty else {
      return .page(
        editPage(
          object, typed: form, errors: errors, message: "Nothing was saved: correct the marked fields.", status: 422))
    }
    let edit = ObjectEdit(
      model: model.name, key: object.key, base: Record(base), digest: form["digest"], changes: Record(changes))
    do {
      switch try inspector.save(edit) {
      case .saved: return .response(.redirect(to: doneLink("saved", model.name, object.key)))
      case .unchanged: return .response(.redirect(to: objectLink(model.name, object.key)))
      case .conflict(let conflict):
        return .page(
          editPage(
            object, typed: form,
            message: conflict.isRemoved
              ? "The object was removed meanwhile. Nothing was saved."
              : "The object was changed since you opened it. Nothing was saved.",
            status: 409, conflict: conflict))
      }
    } catch let error as StorageError {
      let slot = error.property.flatMap { model.slot(named: $0) }
      let (status, _, message) = Self.description(of: error)
      return .page(
        editPage(
          object, typed: form, errors: slot.map { [$0: message] } ?? [:], message: "Nothing was saved. \(message)",
          status: status == 400 ? 422 : status))
    }
  }

  func newPage(_ query: FormText) throws -> StudioPage {
    try requireWriting()
    return newPage(try inspector.store.model(named: query["model"] ?? ""))
  }

  private func newPage(
    _ model: ModelSchema, typed: FormText? = nil, errors: [Int: String] = [:], message: String? = nil,
    status: Int = 200, lost: [TypedValues.Field] = []
  ) -> StudioPage {
    let fields = model.shownSlots.map { slot -> [String: Any] in
      let property = model.properties[slot]
      var field = field(slot, model, property.defaultValue ?? .null, typed: typed, errors[slot])
      field["isFixed"] = false
      field["isNil"] = typed.map { ObjectForm(model: model, form: $0).isNil(slot) } ?? property.isOptional
      if slot == model.primaryKey, let generation = model.keyGeneration { field["hint"] = Self.words(generation) }
      return field
    }
    return StudioPage(
      status: status, template: "edit", title: "New \(model.name)",
      values: [
        "heading": "New \(model.name)", "action": link("insert"), "token": guardian.formToken, "model": model.name,
        "key": "", "digest": "", "fields": fields, "message": orFalse(message), "isConflict": false,
        "conflicts": [[String: Any]](), "button": "Add", "cancel": link("grid", [("model", model.name)]),
        "properties": TypedValues.shape(of: model), "lost": TypedValues.rows(lost), "hasLost": !lost.isEmpty,
      ],
      json: .object(unordered: [
        .init("model", .string(model.name)), .init("fields", Self.json(fields)),
        .init("message", message.map { .string($0) } ?? .null),
      ]), section: "models")
  }

  /// The effect of an empty key.
  private static func words(_ generation: KeyGeneration) -> String {
    switch generation {
    case .sequence: "Leave it empty, and the store gives the next number."
    case .uuid: "Leave it empty, and the store gives a new UUID."
    }
  }

  func insert(_ form: FormText) throws -> StudioAnswer {
    let model = try inspector.store.model(named: form["model"] ?? "")
    if isOutdated(form, model) {
      let (typed, lost) = TypedValues(form).form(for: model, keepsKey: true) { $0.defaultValue ?? .null }
      return .page(
        newPage(model, typed: typed, message: "\(Self.migrated) Nothing was added.", status: 409, lost: lost))
    }
    let typed = ObjectForm(model: model, form: form)
    var fields: [(name: String, value: Value)] = []
    var errors: [Int: String] = [:]
    for slot in model.shownSlots {
      let property = model.properties[slot]
      guard let text = typed.text(slot) else { continue }
      if slot == model.primaryKey, model.keyGeneration != nil, text.allSatisfy(\.isWhitespace) { continue }
      do {
        fields.append((property.name, typed.isNil(slot) ? .null : try FieldText.value(text, of: property)))
      } catch let error as StorageError {
        errors[slot] = error.message.asSentence
      }
    }
    guard errors.isEmpty else {
      return .page(
        newPage(
          model, typed: form, errors: errors, message: "Nothing was added: correct the marked fields.", status: 422))
    }
    let record = Record(fields)
    do {
      let key = try inspector.insert(into: model.name, record)
      return .response(.redirect(to: doneLink("added", model.name, key)))
    } catch let error as StorageError {
      let slot = error.property.flatMap { model.slot(named: $0) }
      let (status, _, message) = Self.description(of: error)
      return .page(
        newPage(
          model, typed: form, errors: slot.map { [$0: message] } ?? [:], message: "Nothing was added. \(message)",
          status: status == 400 ? 422 : status))
    }
  }
}
