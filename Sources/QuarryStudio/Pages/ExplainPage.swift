import QuarryBackend
import QuarryInspect

extension StudioSite {
  func explainPage(_ parameters: GridParameters, _ deadline: Deadline) throws -> StudioPage {
    let model = try inspector.store.model(named: parameters.model)
    var values = form(model, parameters)
    values["hasPlan"] = false
    do {
      let plan = try inspector.explain(parameters.request)
      var counted = parameters
      counted.place = nil
      counted.limit = 1
      let page = try inspector.page(counted.request, until: deadline)
      values.merge(steps(plan, page)) { $1 }
      return StudioPage(
        template: "explain", title: "Explain \(model.name)", values: values,
        json: .object(unordered: [
          .init("backend", .string(plan.backend)), .init("access", .array(plan.access.map { .string($0.description) })),
          .init("pushed", .array(plan.pushed.map { .string($0) })),
          .init("residual", .array(plan.residual.map { .string($0) })), .init("sorts", .bool(plan.sorts)),
          .init("statement", plan.statement.map { .string($0) } ?? .null),
          .init("total", .int(Int64(page.total))), .init("matching", .int(Int64(page.matching))),
        ]), section: "models")
    } catch let error as QueryTextError {
      values.merge(mistake(error, parameters)) { $1 }
      return StudioPage(
        status: 400, template: "explain", title: "Explain \(model.name)", values: values,
        json: .object([.init("message", .string(error.message))]), section: "models")
    }
  }

  private func steps(_ plan: QueryPlan, _ page: ObjectPage) -> [String: Any] {
    func step(_ name: String, _ text: String, _ details: [String] = [], isCostly: Bool = false) -> [String: Any] {
      ["name": name, "text": text, "details": details, "isCostly": isCostly]
    }
    var steps: [[String: Any]] = plan.first.map { step("First", $0) }
    let scans = plan.access.contains(.scan)
    steps.append(
      step(
        "Find", plan.access.map(\.description).joined(separator: ", "),
        [scans ? "reads every one of \(CellText.objects(page.total))" : "of \(CellText.objects(page.total))"],
        isCostly: scans && page.total > 1_000))
    if !plan.pushed.isEmpty { steps.append(step("Decided by the engine", "", plan.pushed)) }
    if !plan.residual.isEmpty { steps.append(step("Tested object by object", "", plan.residual)) }
    steps.append(
      step(
        "Sort", plan.sorts ? "after reading" : "none needed",
        plan.sorts ? ["all objects that match are read before the first is shown"] : [],
        isCostly: plan.sorts && page.matching > 1_000))
    steps.append(step("Result", CellText.objects(page.matching)))
    return ["hasPlan": true, "steps": steps, "statement": orFalse(plan.statement), "engine": plan.backend]
  }
}
