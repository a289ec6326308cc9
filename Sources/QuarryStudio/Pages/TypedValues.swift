import QuarryBackend
import QuarryInspect

/// The values that a person has typed into the form of an object, by the names of the properties that the form was made for.
struct TypedValues {
  struct Field {
    var name: String
    /// The name of the type.
    var type: String
    var text: String
    var isNil: Bool
  }

  /// The fields that were changed.
  let fields: [Field]

  /// The properties of a model as a form keeps them: they tell whether the model was migrated while the form was open.
  static func shape(of model: ModelSchema) -> String {
    FormText(
      model.shownSlots.map { slot in
        (String(slot), "\(model.properties[slot].typeName)\n\(model.properties[slot].name)")
      }
    ).text
  }

  init(_ form: FormText) {
    fields = FormText(parsing: (form["properties"] ?? "").utf8).fields.compactMap { slot, shape in
      let parts = shape.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let text = form["f\(slot)"] else { return nil }
      let (box, wasNil) = (form["n\(slot)"] == "1", form["o\(slot)"] == "1")
      let isNil = box && (!wasNil || text.isEmpty || parts[0].hasPrefix("bool"))
      guard isNil != wasNil || !isNil && text.lines != form["b\(slot)"]?.lines else { return nil }
      return Field(name: String(parts[1]), type: String(parts[0]), text: text, isNil: isNil)
    }
  }

  /// The same in a form for a model as it is now.
  ///
  /// - Parameters:
  ///   - keepsKey: Whether the form has the properties of the primary key.
  ///   - value: The value of a property before it is edited.
  /// - Returns: The form, and the fields whose property is gone or has another type.
  func form(
    for model: ModelSchema, keepsKey: Bool = false, _ value: (PropertySchema) -> Value
  ) -> (form: FormText, lost: [Field]) {
    var result: [(name: String, value: String)] = []
    var rest = fields
    for slot in model.shownSlots where keepsKey || !model.isOfKey(slot) {
      let property = model.properties[slot]
      let stored = value(property)
      guard let base = FieldText.text(stored, of: property) else { continue }
      let place = rest.firstIndex { $0.name == property.name && $0.type == property.typeName }
      let typed = place.map { rest.remove(at: $0) }
      result.append(("b\(slot)", base))
      result.append(("o\(slot)", stored.isNull ? "1" : ""))
      result.append(("f\(slot)", typed?.text ?? base))
      result.append(("n\(slot)", typed?.isNil ?? stored.isNull ? "1" : ""))
    }
    return (FormText(result), rest)
  }

  /// The fields for a template.
  static func rows(_ fields: [Field]) -> [[String: Any]] {
    fields.map { ["name": $0.name, "text": $0.isNil ? "nil" : $0.text] }
  }
}

extension String {
  /// The text with the ends of lines of a store, where a form has those of a browser.
  var lines: String { replacingOccurrences(of: "\r\n", with: "\n") }
}
