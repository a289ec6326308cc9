import Foundation
import HTTPTypes
import Hummingbird
import Quarry

/// The routes, and what each error of the store is to a client.
enum Routes {
  static func router(_ bank: Bank, _ metrics: Metrics) -> Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: Measured(metrics: metrics))
    router.post("/accounts") { request, context in
      let body = try await request.decode(as: AccountBody.self, context: context)
      try await bank.open(body.account)
      return EditedResponse(status: .created, response: body)
    }
    router.get("/accounts") { request, _ in
      let limit = request.uri.queryParameters.get("limit", as: Int.self) ?? 100
      return try await bank.accounts(limit: limit).map(AccountBody.init)
    }
    router.get("/accounts/:id") { _, context in
      let id = try context.parameters.require("id", as: Int.self)
      guard let statement = try await bank.statement(id) else { throw HTTPError(.notFound) }
      return StatementBody(statement)
    }
    router.get("/transfers") { _, _ in try await bank.transfers().map(TransferBody.init) }
    router.put("/transfers/:id") { request, context in
      let id = try context.parameters.require("id", as: UUID.self)
      let body = try await request.decode(as: TransferBody.self, context: context)
      let transfer = body.transfer(id)
      let isNew = try await bank.transfer(transfer)
      return EditedResponse(status: isNew ? .created : .ok, response: TransferBody(transfer))
    }
    router.get("/health") { _, _ in
      HealthBody(engine: bank.store.manifest.name, version: try await bank.totals().version)
    }
    router.get("/metrics") { _, _ in metrics.text(try await bank.totals()) }
    return router
  }

  /// What an error is to a client. 503 means: send the same request again, with its key.
  static func status(of error: any Error) -> HTTPError? {
    switch error {
    case let refusal as Bank.Refusal:
      switch refusal {
      case .noAccount: HTTPError(.notFound, message: "no such account")
      case .insufficientFunds: HTTPError(.conflict, message: "insufficient funds")
      case .otherTransfer: HTTPError(.conflict, message: "another transfer has this key")
      case .invalidAmount: HTTPError(.badRequest, message: "the amount is positive, and the accounts differ")
      }
    case let error as StorageError:
      switch error.code {
      case .busy, .conflict, .unavailable, .commitUnknown, .io:
        HTTPError(.serviceUnavailable, headers: [.retryAfter: "1"], message: "\(error.code)")
      case .duplicateKey: HTTPError(.conflict, message: "the key is taken")
      case .invalidValue, .missingReference: HTTPError(.badRequest, message: "\(error.code)")
      default: nil
      }
    default: nil
    }
  }
}

/// Turns errors into statuses, and counts and times each answer by its route.
struct Measured: RouterMiddleware {
  let metrics: Metrics

  func handle(
    _ request: Request, context: BasicRequestContext,
    next: (Request, BasicRequestContext) async throws -> Response
  ) async throws -> Response {
    let clock = ContinuousClock()
    let start = clock.now
    var status = HTTPResponse.Status.internalServerError
    defer {
      let seconds = (clock.now - start) / .seconds(1)
      metrics.add("\(request.method) \(context.endpointPath ?? "unknown")", status: status.code, seconds: seconds)
    }
    do {
      let response = try await next(request, context)
      status = response.status
      return response
    } catch {
      let answer: any Error = Routes.status(of: error) ?? error
      if let answer = answer as? any HTTPResponseError { status = answer.status }
      throw answer
    }
  }
}
