import QuarryBackend
import QuarryCore
import QuarryData
import QuarryDump
import QuarryInspect

/// The choices for an import, as the address and the form have them.
private struct ImportChoices {
  let upload: Uploads.Upload
  let model: String
  /// The key: empty for a found one, `=` before the name of a column, `+` before that of a counted key.
  let key: String
  let indexed: [String]

  init(_ query: FormText, _ upload: Uploads.Upload) {
    self.upload = upload
    model = query["model"].flatMap { $0.isEmpty ? nil : $0 } ?? upload.suggestedModel
    key = query["key"] ?? ""
    indexed = query.fields.filter { $0.name == "index" && !$0.value.isEmpty }.map(\.value)
  }

  var table: TableImport {
    var table = TableImport(data: upload.data, model: model)
    if key.hasPrefix("=") { table.key = .column(String(key.dropFirst())) }
    if key.hasPrefix("+") { table.key = .counted(String(key.dropFirst())) }
    table.indexed = indexed
    return table
  }
}

extension StudioSite {
  /// The rows of a file that are shown before they are imported.
  static let rowsPreviewed = 8

  /// Keeps an uploaded file, and says where its preview is.
  func keep(_ file: SpooledInput, _ request: StudioRequest) throws -> StudioAnswer {
    let name = String((request.query["name"] ?? "").unicodeScalars.prefix(200))
    if let kind = try FileKind(file) {
      throw StorageError(
        .invalidValue, "the file is no table but \(kind.words): choose a file of CSV, JSON or JSON Lines")
    }
    let upload = try uploads.keep(file, name: name)
    let place = link("import", [("upload", upload.id), ("model", request.query["model"] ?? "")])
    return .response(
      StudioResponse(
        200, "application/json; charset=utf-8",
        (ExactText.json(.object([.init("location", .string(place))])) + "\n").utf8))
  }

  func importPage(_ query: FormText) throws -> StudioPage {
    try requireWriting()
    var values: [String: Any] = [
      "token": guardian.formToken, "upload": link("upload"), "model": query["model"] ?? "", "hasPreview": false,
      "message": false, "done": false, "most": CellText.bytes(options.uploadBytes),
    ]
    if let rows = query["imported"].flatMap({ Int($0) }), let model = query["model"] {
      values["done"] = "\(CellText.objects(rows)) imported into \(model)."
      values["grid"] = link("grid", [("model", model)])
      values["model"] = ""
    }
    guard let id = query["upload"] else {
      return StudioPage(
        template: "import", title: "Import", values: values, json: .object([]), section: "import")
    }
    return preview(ImportChoices(query, try uploads.upload(id)), message: nil, status: 200, values)
  }

  private func preview(
    _ choices: ImportChoices, message: String?, status: Int, _ values: [String: Any]
  ) -> StudioPage {
    var values = values
    var status = status
    values["hasPreview"] = true
    values["hasTable"] = false
    values["file"] = choices.upload.name.withControlPictures
    values["id"] = choices.upload.id
    values["model"] = choices.model
    values["key"] = choices.key
    values["action"] = link("import")
    values["message"] = orFalse(message)
    values["keys"] = [[String: Any]]()
    values["indexes"] = [[String: Any]]()
    var json: Value = .object([.init("message", message.map { .string($0) } ?? .null)])
    do {
      let preview = try choices.table.preview(in: inspector.store, samples: Self.rowsPreviewed)
      values.merge(table(preview, choices)) { $1 }
      json = Self.json(preview)
    } catch {
      let (number, _, text) = Self.description(of: error)
      if message == nil {
        values["message"] = text
        status = number == 400 ? 422 : number
      }
      json = .object([.init("message", .string(text))])
    }
    return StudioPage(
      status: status, template: "import", title: "Import \(choices.upload.name)", values: values, json: json,
      section: "import")
  }

  private func table(_ preview: TableImport.Preview, _ choices: ImportChoices) -> [String: Any] {
    let key = preview.model.keyNames.joined(separator: ",")
    let columns = preview.columns.enumerated().map { place, column -> [String: Any] in
      [
        "name": column.name, "type": column.typeName, "isKey": column.name == key && !preview.isKeyCounted,
        "samples": preview.samples.prefix(3).map { CellText($0[place], most: 30).values },
      ]
    }
    var keys: [[String: Any]] = [["value": "", "words": preview.isNew ? "found in the data" : key, "isChosen": false]]
    if preview.isNew {
      // Only what can be a key: a column that is nil somewhere cannot.
      for column in preview.columns where !column.isOptional && column.type.isOrdered {
        keys.append(["value": "=" + column.name, "words": column.name, "isChosen": false])
      }
      let counted = preview.isKeyCounted ? key : "id"
      if !preview.columns.contains(where: { $0.name.lowercased() == counted.lowercased() }) {
        keys.append(["value": "+" + counted, "words": "\(counted): the number of the row", "isChosen": false])
      }
    } else if preview.model.keyProperty.type == .int64 {
      keys.append(["value": "+" + key, "words": "\(key): counted", "isChosen": false])
    }
    for place in keys.indices { keys[place]["isChosen"] = keys[place]["value"] as? String == choices.key }
    // The sentence above says which column is the key.
    let notes = preview.notes.filter { !$0.hasPrefix("the key is ") }.map { $0.withControlPictures.asSentence }
    return [
      "hasTable": true, "columns": columns, "keys": keys, "rows": CellText.count(preview.rows),
      "button": "Import \(preview.rows == 1 ? "1 row" : "\(CellText.count(preview.rows)) rows")",
      "effect": preview.isNew
        ? "A new model \(preview.model.name) is created. Its key is \(key)"
          + (preview.isKeyCounted ? ", the number of the row." : ".")
        : "The rows are added to the stored model \(preview.model.name), which keeps its types.",
      "notes": notes, "hasNotes": !notes.isEmpty,
      "isNew": preview.isNew,
      "indexes": preview.columns.filter { preview.isNew && $0.type.isOrdered && $0.name != key }.map {
        column -> [String: Any] in
        ["name": column.name, "isChosen": choices.indexed.contains(column.name)]
      }, "hasIndexes": preview.isNew,
      "chosen": choices.indexed.map { ["name": $0] as [String: Any] },
    ]
  }

  private static func json(_ preview: TableImport.Preview) -> Value {
    .object(unordered: [
      .init("model", .string(preview.model.name)), .init("isNew", .bool(preview.isNew)),
      .init("key", .string(preview.model.keyProperty.name)), .init("rows", .int(Int64(preview.rows))),
      .init("columns", .array(preview.columns.map(Self.json))),
      .init("notes", .array(preview.notes.map { .string($0) })),
    ])
  }

  /// Imports all rows or, after an error, none. The file stays until it was imported.
  func importRows(_ form: FormText) throws -> StudioAnswer {
    let choices = ImportChoices(form, try uploads.upload(form["upload"] ?? ""))
    do {
      try inspector.requireWriting()
      let report = try choices.table.run(in: inspector.store)
      uploads.remove(choices.upload.id)
      return .response(
        .redirect(to: link("import", [("imported", String(report.rows)), ("model", choices.model)])))
    } catch {
      let (status, _, message) = Self.description(of: error)
      let values: [String: Any] = ["token": guardian.formToken, "done": false]
      return .page(
        preview(
          choices, message: "Nothing was imported. \(message)", status: status == 400 ? 422 : status, values))
    }
  }
}
