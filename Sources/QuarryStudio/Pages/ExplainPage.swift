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
      // Where the engine tests nothing more, the rows of the range are those that match.
      let isWhole = plan.residual.isEmpty && plan.statement == nil && !plan.readsEverything
      let read = isWhole ? page.matching : try inspector.rowsRead(counted.request, by: plan, until: deadline)
      values.merge(steps(plan, page, read)) { $1 }
      return StudioPage(
        template: "explain", title: "Explain \(model.name)", values: values,
        json: .object(unordered: [
          .init("backend", .string(plan.backend)), .init("access", .array(plan.access.map { .string($0.description) })),
          .init("pushed", .array(plan.pushed.map { .string($0) })),
          .init("residual", .array(plan.residual.map { .string($0) })), .init("sorts", .bool(plan.sorts)),
          .init("statement", plan.statement.map { .string($0) } ?? .null),
          .init("read", read.map { .int(Int64($0)) } ?? .null), .init("total", .int(Int64(page.total))),
          .init("matching", .int(Int64(page.matching))),
        ]), section: "models")
    } catch let error as QueryTextError {
      values.merge(mistake(error, parameters)) { $1 }
      return StudioPage(
        status: 400, template: "explain", title: "Explain \(model.name)", values: values,
        json: .object([.init("message", .string(error.message))]), section: "models")
    }
  }

  /// - Parameter read: The number of rows that are found before the rest of the condition is tested; nil where it is not known.
  private func steps(_ plan: QueryPlan, _ page: ObjectPage, _ read: Int?) -> [String: Any] {
    func step(_ name: String, _ text: String, _ details: [String] = [], isCostly: Bool = false) -> [String: Any] {
      ["name": name, "text": text, "details": details, "isCostly": isCostly]
    }
    var steps: [[String: Any]] = plan.first.map { step("First", $0) }
    let scans = plan.readsEverything
    let total = CellText.objects(page.total)
    let found =
      scans
      ? "reads every one of \(total)"
      : read.map { "reads \(CellText.count($0)) of \(total)" } ?? "of \(total)"
    steps.append(
      step(
        "Find", plan.steps.count == 1 ? plan.steps[0] : "", (plan.steps.count == 1 ? [] : plan.steps) + [found],
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
