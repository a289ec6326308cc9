import Foundation
import QuarryBackend
import QuarryCore
import QuarryData
import QuarryInspect

/// The state of the page of a history, all of it in its address.
struct HistoryParameters {
  /// The model whose changes are shown; empty for all.
  var model: String
  /// The text of the key of the object whose changes are shown; empty for all.
  var key: String
  var before: HistoryPosition?
  /// The one change set that is shown; nil for a list.
  var set: HistoryPosition?
  /// The position that was undone before this page.
  var undone: HistoryPosition?

  init(_ query: FormText) throws {
    model = query["model"] ?? ""
    key = query["key"] ?? ""
    guard key.isEmpty || !model.isEmpty else { throw StorageError(.invalidQuery, "a key was given without its model") }
    before = try Self.position(query["before"])
    set = try Self.position(query["set"])
    undone = try Self.position(query["undone"])
  }

  static func position(_ text: String?) throws -> HistoryPosition? {
    guard let text, !text.isEmpty else { return nil }
    guard let position = HistoryPosition(text) else {
      throw StorageError(.invalidQuery, "the position of a change set must be a number")
    }
    return position
  }

  var fields: [(name: String, value: String)] { [("model", model), ("key", key)] }
}

extension StudioSite {
  /// The characters of a value in a list of changes, and in a change set.
  private static let changeCharacters = (list: 60, set: 300)
  /// The properties of a change that a list shows.
  private static let fieldsListed = 4
  /// The changes of one change set that its page shows.
  static let changesShown = 500

  func historyPage(_ parameters: HistoryParameters, _ deadline: Deadline) throws -> StudioPage {
    if let set = parameters.set { return try changeSetPage(set, undone: parameters.undone) }
    var values: [String: Any] = [
      "isOff": false, "of": false, "models": [[String: Any]](), "sets": [[String: Any]](), "isEmpty": false,
      "older": false, "newest": false, "isFiltered": !parameters.model.isEmpty, "all": link("history"),
    ]
    guard try inspector.keepsHistory else {
      values["isOff"] = true
      return StudioPage(
        template: "history", title: "History", values: values, json: .object([.init("isOn", false)]),
        section: "history")
    }
    var request = HistoryRequest(before: parameters.before)
    if !parameters.model.isEmpty {
      let model = try inspector.store.model(named: parameters.model)
      request.model = model.name
      values["of"] = model.name
      if !parameters.key.isEmpty {
        request.key = try FieldText.key(parameters.key, of: model)
        values["of"] = "\(model.name) \(CellText(.string(parameters.key), most: 60).text)"
      }
    }
    let history = try inspector.history(request, until: deadline)
    values["models"] = try summaries.models(of: inspector).filter { $0.links == nil }.map { model -> [String: Any] in
      ["name": model.name, "isChosen": model.name == parameters.model]
    }
    values["sets"] = history.sets.map(row)
    values["isEmpty"] = history.sets.isEmpty
    values["older"] = orFalse(
      history.next.map { link("history", parameters.fields + [("before", $0.description)]) })
    values["newest"] = parameters.before == nil ? false as Any : link("history", parameters.fields)
    let json = Value.object(unordered: [
      .init("isOn", true), .init("sets", .array(history.sets.map(Self.json))),
      .init("before", history.next.map { .string($0.description) } ?? .null),
    ])
    return StudioPage(
      template: "history", title: "History", values: values, json: json, section: "history", live: .everything)
  }

  private func row(_ set: InspectedChangeSet) -> [String: Any] {
    let hidden = set.count - set.changes.count
    return head(set).merging([
      "changes": set.changes.map { change -> [String: Any] in
        var row = self.change(change)
        row["fields"] = change.fields.prefix(Self.fieldsListed).map { field($0, Self.changeCharacters.list) }
        let more = change.fields.count - Self.fieldsListed
        row["more"] = more > 0 ? "and \(more) more" : false as Any
        return row
      },
      "more": hidden > 0 ? "and \(CellText.count(hidden)) more" : false as Any,
    ]) { $1 }
  }

  /// What is said of a change set as a whole.
  private func head(_ set: InspectedChangeSet) -> [String: Any] {
    let number = "\(CellText.count(set.count)) change\(set.count == 1 ? "" : "s")"
    let count = set.isKnown ? number : set.count == 0 ? "changes not known" : "\(number) and more"
    let unknown =
      set.isUnknown
      ? "Anything may have changed: the store was migrated or repaired, or this is where its history begins."
      : set.unknownModels.isEmpty
        ? nil : "It is not known which objects changed in \(set.unknownModels.joined(separator: ", "))."
    return [
      "position": set.position.description, "link": link("history", [("set", set.position.description)]),
      "date": Self.time(set.date), "dateText": ExactText.text(.date(set.date)),
      "author": orFalse(set.author.map { CellText(.string($0), most: 80).text }), "count": count,
      "unknown": orFalse(unknown),
    ]
  }

  /// `2026-01-31 12:00:00 UTC`.
  private static func time(_ date: Date) -> String {
    let text = ExactText.text(.date(date))
    return text.prefix(19).replacingOccurrences(of: "T", with: " ") + " UTC"
  }

  private func change(_ change: InspectedChangeSet.Change) -> [String: Any] {
    let word = Self.word(change.kind)
    return [
      "word": word, "isChanged": change.kind == .update,
      "object": "\(change.model) \(Self.name(change.key, change.title))",
      "link": change.kind == .deletion ? false as Any : objectLink(change.model, change.key),
      "history": link("history", [("model", change.model), ("key", KeyText.text(change.key) ?? "")]),
    ]
  }

  private static func word(_ kind: ChangeSet.Change.Kind) -> String {
    switch kind {
    case .insertion: "added"
    case .update: "changed"
    case .deletion: "removed"
    }
  }

  private func field(_ field: InspectedChangeSet.Change.Field, _ most: Int) -> [String: Any] {
    func cell(_ value: Value?) -> Any {
      if let value { CellText(value, most: most).values } else { false }
    }
    return ["name": field.property, "old": cell(field.old), "new": cell(field.new)]
  }

  private static func json(_ set: InspectedChangeSet) -> Value {
    .object(unordered: [
      .init("position", .string(set.position.description)), .init("date", .date(set.date)),
      .init("author", set.author.map { .string($0) } ?? .null), .init("isUnknown", .bool(!set.isKnown)),
      .init("count", .int(Int64(set.count))), .init("changes", .array(set.changes.map(json))),
    ])
  }

  private static func json(_ change: InspectedChangeSet.Change) -> Value {
    func values(_ value: (InspectedChangeSet.Change.Field) -> Value?) -> Value {
      var members: [Value.Member] = []
      for field in change.fields {
        if let value = value(field) { members.append(Value.Member(field.property, value)) }
      }
      return .object(unordered: members)
    }
    return .object(unordered: [
      .init("model", .string(change.model)), .init("key", change.key), .init("change", .string(word(change.kind))),
      .init("old", values(\.old)), .init("new", values(\.new)),
    ])
  }

  // MARK: - A change set

  private func changeSetPage(
    _ position: HistoryPosition, undone: HistoryPosition? = nil, problem: String? = nil,
    conflicts: [HistoryConflicts.Object] = [], status: Int = 200
  ) throws -> StudioPage {
    let set = try inspector.changeSet(at: position, most: Self.changesShown)
    let values: [String: Any] = [
      "list": link("history"), "action": link("undo"), "token": guardian.formToken, "problem": orFalse(problem),
      "undone": orFalse(undone?.description), "canUndo": options.allowsWriting && set.isKnown,
      "isReadOnly": !options.allowsWriting && set.isKnown,
      "conflicts": conflicts.prefix(100).map { object -> [String: Any] in
        [
          "object": "\(object.model) \(Self.name(object.key, nil))", "link": objectLink(object.model, object.key),
          "history": link("history", [("model", object.model), ("key", KeyText.text(object.key) ?? "")]),
          "properties": object.properties.isEmpty
            ? "added or removed" : object.properties.joined(separator: ", "),
        ]
      },
      "hasConflicts": !conflicts.isEmpty,
      "rest": conflicts.count > 100 ? "and \(CellText.count(conflicts.count - 100)) more" : false as Any,
      "hasChanges": !set.changes.isEmpty,
      "changes": set.changes.map { change -> [String: Any] in
        var row = self.change(change)
        let fields = change.fields.map { field($0, Self.changeCharacters.set) }
        row["height"] = String(max(fields.count, 1))
        row["first"] = Array(fields.prefix(1))
        row["others"] = Array(fields.dropFirst())
        return row
      },
      "more": set.count > set.changes.count
        ? "The first \(CellText.count(set.changes.count)) of \(CellText.count(set.count)) changes are shown."
        : false as Any,
      "objects": CellText.objects(set.count),
    ]
    return StudioPage(
      status: status, template: "changeset", title: "Change set \(position)",
      values: values.merging(head(set)) { own, _ in own }, json: Self.json(set), section: "history")
  }

  func undo(_ form: FormText) throws -> StudioAnswer {
    guard let position = try HistoryParameters.position(form["set"]),
      case .date(let date)? = TextConversion.value(
        (form["date"] ?? "").utf8, as: PropertySchema(name: "date", type: .date))
    else { throw StorageError(.invalidQuery, "the form names no change set") }
    do {
      switch try inspector.undo(position, dated: date) {
      case .undone(let new):
        return .response(
          .redirect(to: link("history", [("set", new.description), ("undone", position.description)])))
      case .unchanged:
        return .page(
          try changeSetPage(
            position, problem: "Nothing had to be undone: the objects already are as they were before this change set.",
            status: 409))
      case .conflict(let objects):
        return .page(
          try changeSetPage(
            position, problem: "Nothing was undone: later writes have changed these objects.", conflicts: objects,
            status: 409))
      }
    } catch let error as StorageError where error.code != .notFound && error.code != .closed {
      let (status, _, message) = Self.description(of: error)
      return .page(try changeSetPage(position, problem: "Nothing was undone. \(message)", status: status))
    }
  }
}
