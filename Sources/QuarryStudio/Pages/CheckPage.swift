import QuarryBackend
import QuarryInspect

extension StudioSite {
  /// The page of a check, which is run when it is asked for.
  func checkPage(isAsked: Bool) throws -> StudioPage {
    var values: [String: Any] = [
      "run": link("check", [("run", "1")]), "isDone": false, "isSound": false, "defects": [String](),
      "notes": inspector.store.openingReport.notes.map { $0.withControlPictures },
      "hasNotes": !inspector.store.openingReport.notes.isEmpty,
    ]
    var json: Value = .object([.init("isDone", false)])
    if isAsked {
      let defects = try inspector.check()
      values["isDone"] = true
      values["isSound"] = defects.isEmpty
      values["defects"] = defects.map { $0.withControlPictures }
      values["count"] = "\(CellText.count(defects.count)) defect\(defects.count == 1 ? "" : "s")"
      json = .object(unordered: [
        .init("isDone", true), .init("isSound", .bool(defects.isEmpty)),
        .init("defects", .array(defects.map { .string($0) })),
      ])
    }
    return StudioPage(template: "check", title: "Check", values: values, json: json, section: "check")
  }

  func helpPage() -> StudioPage {
    StudioPage(template: "help", title: "Help", values: [:], json: .object([]), section: "help")
  }
}
