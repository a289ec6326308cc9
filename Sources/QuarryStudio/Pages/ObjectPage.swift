import Foundation
import QuarryBackend
import QuarryData
import QuarryCore
import QuarryData
import QuarryInspect

extension StudioSite {
  /// The characters of a value that an object's page shows.
  static let valueCharacters = 4_000
  /// The bytes of data that it shows.
  static let dataBytes = 256

  /// The object that an address names.
  func object(_ query: FormText, _ deadline: Deadline = .never) throws -> InspectedObject {
    guard let name = query["model"], let text = query["key"] else {
      throw StorageError(.invalidQuery, "the address names no object")
    }
    let key = try FieldText.key(text, of: try inspector.store.model(named: name))
    guard let object = try inspector.object(in: name, key: key, until: deadline) else {
      throw StorageError(.notFound, "there is no object with that key", model: name, key: text)
    }
    return object
  }

  func heading(_ object: InspectedObject) -> String {
    let key = KeyText.text(object.key) ?? ""
    let shown = (key.count > 60 ? key.prefix(60) + "…" : key).withControlPictures
    return "\(object.model.name) \(shown)"
  }

  /// The page of an object that a form has just stored.
  func doneLink(_ done: String, _ model: String, _ key: Value) -> String {
    link("object", [("model", model), ("key", KeyText.text(key) ?? ""), ("done", done)])
  }

  /// The sentence about what a form has done; nil for a page that was opened otherwise.
  private static func sentence(done: String?) -> String? {
    switch done {
    case "saved": "The changes are saved."
    case "added": "The object is added."
    default: nil
    }
  }

  func objectPage(_ query: FormText, _ deadline: Deadline) throws -> StudioPage {
    let object = try object(query, deadline)
    let model = object.model
    let fields = [(name: "model", value: model.name), (name: "key", value: KeyText.text(object.key) ?? "")]
    let done = options.allowsWriting ? Self.sentence(done: query["done"]) : nil
    let canUndo = try done != nil && inspector.keepsHistory
    let values: [String: Any] = [
      "done": orFalse(done), "undo": canUndo ? link("history", fields) : false as Any,
      "heading": heading(object), "title": orFalse(object.title.map { CellText(.string($0), most: 120).text }),
      "model": model.name, "grid": link("grid", [("model", model.name)]),
      "properties": model.liveProperties.map { row($0, object) },
      "referrers": object.referrers.map { referrers -> [String: Any] in
        [
          "model": referrers.model, "property": referrers.property, "count": CellText.objects(referrers.count),
          "isNone": referrers.count == 0, "rule": Self.words(referrers.rule),
          "link": link("grid", [("model", referrers.model), ("where", referrers.condition)]),
        ]
      },
      "hasReferrers": !object.referrers.isEmpty, "hasLinks": !object.links.isEmpty,
      "links": object.links.map { links -> [String: Any] in
        [
          "name": links.isInverse
            ? "\(links.relation.owner).\(links.relation.property), from the other side" : links.relation.property,
          "count": CellText.objects(links.count), "model": links.model,
          "isCut": links.count > links.elements.count ? "The first \(links.elements.count) are shown." : false as Any,
          "elements": links.elements.map { element -> [String: Any] in
            ["link": objectLink(links.model, element.key), "text": Self.name(element.key, element.title)]
          },
        ]
      },
      "edit": options.allowsWriting ? link("edit", fields) : false as Any,
      "delete": options.allowsWriting ? link("delete", fields) : false as Any,
      "history": try inspector.keepsHistory ? link("history", fields) : false as Any,
    ]
    return StudioPage(
      template: "object", title: heading(object), values: values, json: json(object), section: "models",
      live: .everything)
  }

  static func name(_ key: Value, _ title: String?) -> String {
    let key = CellText(.string(KeyText.text(key) ?? ""), most: 60).text
    return title.map { "\(CellText(.string($0), most: 80).text) (\(key))" } ?? key
  }

  static func words(_ rule: PropertySchema.Reference.DeleteRule) -> String {
    switch rule {
    case .cascade: "removed with this object"
    case .nullify: "set to nil when this object is removed"
    case .deny: "keep this object from being removed"
    }
  }

  private func row(_ property: PropertySchema, _ object: InspectedObject) -> [String: Any] {
    let value = object.record[property.name] ?? .null
    let cell = CellText(value, most: Self.valueCharacters)
    var row = cell.values
    row["name"] = property.name
    row["type"] = property.typeName
    row["isKey"] = object.model.keyNames.contains(property.name)
    row["isBlock"] = false
    row["note"] = false
    row["link"] = false
    row["file"] = false
    row["image"] = false
    let file = link(
      "value", [("model", object.model.name), ("key", KeyText.text(object.key) ?? ""), ("property", property.name)])
    switch value {
    case .string(let text):
      row["isBlock"] = text.utf8.contains(0x0A) || text.utf8.count > 200
      if cell.isCut { row["note"] = "The beginning of \(CellText.bytes(text.utf8.count)) of text." }
      if cell.isCut { row["file"] = file }
    case .data(let data):
      row["note"] = CellText.bytes(data.count) + (data.count > Self.dataBytes ? ", of which the first are shown" : "")
      row["text"] = FieldText.hex(data.prefix(Self.dataBytes))
      row["style"] = "code"
      row["isBlock"] = true
      row["file"] = file
      if ImageKind(data) != nil { row["image"] = file + "&show=1" }
    case .array, .object:
      row["text"] = CellText(.string(NestedText.lines(value)), most: Self.valueCharacters).text
      row["isBlock"] = true
      if cell.isCut { row["file"] = file }
    default: break
    }
    if let reference = object.references.first(where: { $0.property == property.name }), let key = reference.key {
      row["text"] = Self.name(key, reference.title)
      row["link"] = reference.exists ? objectLink(reference.model, key) : false as Any
      row["note"] = reference.exists ? reference.model : "No \(reference.model) has this key."
    }
    return row
  }

  private func json(_ object: InspectedObject) -> Value {
    .object(unordered: [
      .init("model", .string(object.model.name)), .init("key", object.key),
      .init("object", .object(object.record.fields.map { .init($0.name, $0.value) })),
      .init("digest", .string(object.digest)),
      .init(
        "referrers",
        .array(
          object.referrers.map {
            .object(unordered: [
              .init("model", .string($0.model)), .init("property", .string($0.property)),
              .init("count", .int(Int64($0.count))), .init("deleteRule", .string($0.rule.rawValue)),
            ])
          })),
      .init(
        "links",
        .array(
          object.links.map {
            .object(unordered: [
              .init("property", .string($0.relation.property)), .init("model", .string($0.model)),
              .init("isInverse", .bool($0.isInverse)), .init("count", .int(Int64($0.count))),
              .init("keys", .array($0.elements.map(\.key))),
            ])
          })),
    ])
  }

  /// A value as a file, which browsers save and never show, save pictures of known kinds.
  func valueFile(_ query: FormText) throws -> StudioResponse {
    let object = try object(query)
    guard let name = query["property"], let value = object.record[name] else {
      throw StorageError(.invalidQuery, "the model has no such property", model: object.model.name)
    }
    let bytes: [UInt8]
    var kind = "application/octet-stream"
    var ending = "txt"
    switch value {
    case .data(let data):
      bytes = Array(data)
      ending = "bin"
      if let image = ImageKind(data) {
        ending = image.rawValue
        if query["show"] == "1" { kind = "image/\(image == .jpg ? "jpeg" : image.rawValue)" }
      }
    case .null: throw StorageError(.notFound, "the value is nil", model: object.model.name, property: name)
    default: bytes = Array(ExactText.text(value).utf8)
    }
    var response = StudioResponse(200, kind, bytes)
    let disposition = kind.hasPrefix("image/") ? "inline" : "attachment"
    // A fixed name: one of the store may be made to mislead.
    response.headers.append(("Content-Disposition", "\(disposition); filename=\"value.\(ending)\""))
    return response
  }
}

/// Pictures that browsers show, known by their first bytes. SVG is not among them: it can have scripts.
enum ImageKind: String {
  case png, jpg, gif, webp

  init?(_ data: Data) {
    let bytes = Array(data.prefix(12))
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpg
    } else if bytes.starts(with: "GIF8".utf8) {
      self = .gif
    } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).elementsEqual("WEBP".utf8) {
      self = .webp
    } else {
      return nil
    }
  }
}

/// A nested value as an indented tree.
enum NestedText {
  /// The deepest level that is indented; deeper ones stay on one line.
  private static let mostLevels = 20

  static func lines(_ value: Value) -> String {
    var text = ""
    append(value, level: 0, to: &text)
    return text
  }

  private static func append(_ value: Value, level: Int, to text: inout String) {
    // The page shows no more.
    guard text.utf8.count < StudioSite.valueCharacters * 4 else { return }
    let indent = String(repeating: "  ", count: level + 1)
    switch value {
    case .object(let members) where !members.isEmpty && level < mostLevels:
      text += "{\n"
      for (place, member) in members.enumerated() {
        text += indent + ExactText.json(.string(member.name)) + ": "
        append(member.value, level: level + 1, to: &text)
        text += place < members.count - 1 ? ",\n" : "\n"
      }
      text += indent.dropLast(2) + "}"
    case .array(let elements) where !elements.isEmpty && level < mostLevels:
      text += "[\n"
      for (place, element) in elements.enumerated() {
        text += indent
        append(element, level: level + 1, to: &text)
        text += place < elements.count - 1 ? ",\n" : "\n"
      }
      text += indent.dropLast(2) + "]"
    default: text += ExactText.json(value)
    }
  }
}
