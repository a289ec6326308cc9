import Foundation
import QuarryBackend
import QuarryData
import QuarryCore
import QuarryData
import QuarryInspect

/// All pages over one store, without a server: requests become answers.
final class StudioSite: Sendable {
  let inspector: StoreInspector
  let options: StudioOptions
  let guardian: StudioGuard
  private let renderer: any PageRenderer
  let uploads = Uploads()
  let live = LiveCount()
  let summaries = SummaryCache()
  private let threads = QueryThreads()

  /// The seconds that a check, an import, an export and every change may take. A change that was answered before its end would be
  /// made after its page has said otherwise.
  static let workTime = 600.0
  /// The author of its writes in the history of the store.
  static let author = "Studio"
  private static let longPages: Set = ["check", "import", "export"]

  init(_ store: Store, _ options: StudioOptions, _ renderer: any PageRenderer) {
    inspector = StoreInspector(store, author: Self.author, isReadOnly: !options.allowsWriting)
    self.options = options
    self.renderer = renderer
    guardian = StudioGuard(options)
  }

  /// Answers a request. Nothing of the store is read before the request has passed the guard.
  func respond(to request: StudioRequest) async -> StudioResponse {
    var response: StudioResponse
    do {
      try guardian.checkHost(request)
      if let file = StudioFiles.file(request.page), request.method == .get {
        response = file
      } else if let token = request.query["token"], request.method == .get {
        response = .redirect(to: options.path + "/")
        response.headers.append(("Set-Cookie", try guardian.enter(token)))
      } else {
        try guardian.checkSession(request)
        response = await answer(request)
      }
    } catch {
      response = refusal(error, request)
    }
    response.headers += StudioResponse.fixedHeaders
    return response
  }

  private func answer(_ request: StudioRequest) async -> StudioResponse {
    do {
      if request.method == .post {
        try requireWriting()
        if let file = request.file { return try await run(request) { site, _ in try site.keep(file, request) } }
        let form = FormText(parsing: request.body)
        try guardian.checkChange(request, form)
        return try await run(request) { try $0.change(request.page, form) }
      }
      return try await run(request) { site, deadline in
        // A page of a store that is no longer at its place would show objects that no other program reads.
        try site.inspector.store.requireInPlace()
        return try site.show(request, deadline)
      }
    } catch {
      return refusal(error, request)
    }
  }

  /// Refuses an upload before its body is read.
  ///
  /// - Throws: A ``StudioGuard/Refusal``.
  func checkUpload(_ request: StudioRequest) throws {
    try guardian.checkHost(request)
    try guardian.checkSession(request)
    try requireWriting()
    try guardian.checkUpload(request)
  }

  func requireWriting() throws {
    guard !options.allowsWriting else { return }
    throw StudioGuard.Refusal(
      status: 403, message: "This Studio shows the store for reading only. Start it with --write to change objects.")
  }

  private func run(
    _ request: StudioRequest, _ body: @escaping @Sendable (StudioSite, Deadline) throws -> StudioAnswer
  ) async throws -> StudioResponse {
    let isLong = request.method == .post || Self.longPages.contains(request.page)
    let time = isLong ? Self.workTime : options.queryTime
    return try await threads.run(time) { deadline in
      // The state before the page is read, so that no commit is missed between the two.
      let version = request.method == .get ? try? self.inspector.store.read { tx in try tx.version } : nil
      switch try body(self, deadline) {
      case .response(let response): return response
      case .page(let page): return self.response(page, request, version)
      }
    }
  }

  private func run(
    _ request: StudioRequest, _ body: @escaping @Sendable (StudioSite) throws -> StudioAnswer
  ) async throws -> StudioResponse {
    try await run(request) { site, _ in try body(site) }
  }

  private func show(_ request: StudioRequest, _ deadline: Deadline) throws -> StudioAnswer {
    switch request.page {
    case "", "models": .page(try modelsPage())
    case "grid": try gridPage(GridParameters(request.query), deadline)
    case "object": .page(try objectPage(request.query, deadline))
    case "value": .response(try valueFile(request.query))
    case "edit": .page(try editPage(request.query))
    case "new": .page(try newPage(request.query))
    case "delete": .page(try deletePage(request.query, deadline))
    case "schema": .page(try schemaPage())
    case "schema.svg": .response(try schemaFile())
    case "explain": .page(try explainPage(GridParameters(request.query), deadline))
    case "groups": .page(try groupsPage(GroupParameters(request.query), deadline))
    case "history": .page(try historyPage(HistoryParameters(request.query), deadline))
    case "held": .page(try heldPage(request.query))
    case "check": .page(try checkPage(isAsked: request.query["run"] == "1"))
    case "help": .page(helpPage())
    case "export": .response(try exportFile(GridParameters(request.query), request.query, deadline))
    case "import": .page(try importPage(request.query))
    case "events": .response(try eventStream(request))
    default: throw StudioGuard.Refusal(status: 404, message: "There is no such page.")
    }
  }

  private func change(_ page: String, _ form: FormText) throws -> StudioAnswer {
    switch page {
    case "save": try save(form)
    case "insert": try insert(form)
    case "delete": try delete(form)
    case "undo": try undo(form)
    case "discard": try discard(form)
    case "accept": try acceptHeld(form)
    case "import": try importRows(form)
    default: throw StudioGuard.Refusal(status: 404, message: "There is no such page.")
    }
  }

  // MARK: - Answers

  func response(_ page: StudioPage, _ request: StudioRequest, _ version: CommitVersion? = nil) -> StudioResponse {
    if request.wantsJSON {
      return StudioResponse(page.status, "application/json; charset=utf-8", (ExactText.json(page.json) + "\n").utf8)
    }
    var fields = request.query.fields
    fields.removeAll { $0.name == "token" }
    let json = link("\(request.page.isEmpty ? "models" : request.page).json", fields)
    var events: Any = false
    if let live = page.live, let version, page.status == 200 {
      var scope = [(name: "since", value: version.description)]
      if case .model(let name) = live { scope.append(("model", name)) }
      events = link("events", scope)
    }
    let values: [String: Any] = [
      "live": events,
      "title": page.title, "store": options.title, "base": options.path, "writes": options.allowsWriting,
      "body": renderer.html(page.template, page.values.merging(["base": options.path]) { own, _ in own }),
      "json": request.method == .get && page.status == 200 ? json : false as Any, "isModels": page.section == "models",
      "isSchema": page.section == "schema", "isCheck": page.section == "check", "isHelp": page.section == "help",
      "isImport": page.section == "import", "isHistory": page.section == "history",
      "isHeld": page.section == "held", "isSynced": (try? inspector.isSynced) ?? false,
    ]
    return StudioResponse(page.status, "text/html; charset=utf-8", renderer.html("layout", values).utf8)
  }

  func refusal(_ error: any Error, _ request: StudioRequest) -> StudioResponse {
    let (status, code, message) = Self.description(of: error)
    if let refusal = error as? StudioGuard.Refusal, refusal.status == 401 || refusal.status == 421 {
      // Who has no session is shown nothing of the store, not even its title.
      return StudioResponse(status, "text/plain; charset=utf-8", (message + "\n").utf8)
    }
    // A form whose object cannot be read any more is lost, and what was typed is not.
    let isForm = error is StorageError && request.method == .post && ["save", "insert"].contains(request.page)
    let typed = isForm ? TypedValues(FormText(parsing: request.body)).fields : []
    let page = StudioPage(
      status: status, template: "error", title: "Not done",
      values: ["message": message, "code": code, "typed": TypedValues.rows(typed), "hasTyped": !typed.isEmpty],
      json: .object(unordered: [.init("error", .string(code)), .init("message", .string(message))]))
    return response(page, request)
  }

  /// The status, the code and the sentence of an error.
  static func description(of error: any Error) -> (status: Int, code: String, message: String) {
    switch error {
    case let refusal as StudioGuard.Refusal: return (refusal.status, "refused", refusal.message)
    case let error as QueryTextError: return (400, error.error.code.description, error.message)
    case let error as StorageError where error.isRemovedOrReplaced:
      return (503, error.code.description, "\(sentence(error)) Start Studio again to open what is there now.")
    case let error as StorageError where [.keyRequired, .wrongKey, .notEncrypted].contains(error.code):
      return (503, error.code.description, "\(sentence(error)) Start Studio again with the new key.")
    case let error as StorageError:
      let status =
        switch error.code {
        case .notFound: 404
        case .invalidQuery, .invalidValue, .missingValue, .unsupported: 400
        case .duplicateKey, .uniqueViolation, .missingReference, .referenced, .conflict: 409
        case .schemaMismatch: 422
        case .readOnly: 403
        case .limitExceeded, .busy, .inUse, .closed: 503
        default: 500
        }
      return (status, error.code.description, sentence(error))
    default: return (500, "error", "Something went wrong: \(error)")
    }
  }

  /// The message of an error as a sentence, with what it is about.
  static func sentence(_ error: StorageError) -> String {
    var about: [String] = []
    if let model = error.model { about.append("model \(model)") }
    if let property = error.property { about.append("property \(property)") }
    if let key = error.key { about.append("key \(key.utf8.count <= 80 ? key : String(key.prefix(60)) + "…")") }
    let ending = about.isEmpty ? "" : " (\(about.joined(separator: ", ")))"
    return (error.message + ending).asSentence
  }

  // MARK: - Links

  /// The address of a page, without the fields that are empty.
  func link(_ page: String, _ fields: [(name: String, value: String)] = []) -> String {
    let fields = fields.filter { !$0.value.isEmpty }
    return "\(options.path)/\(page)" + (fields.isEmpty ? "" : "?" + FormText(fields).text)
  }

  func objectLink(_ model: String, _ key: Value, page: String = "object") -> String {
    link(page, [("model", model), ("key", KeyText.text(key) ?? "")])
  }
}

extension String {
  /// The message as a sentence: with a capital, and a full stop where it does not end already.
  var asSentence: String {
    let isEnded = last.map { ".?!…".contains($0) } ?? true
    return prefix(1).uppercased() + dropFirst() + (isEnded ? "" : ".")
  }
}
