/// One behaviour that the contract fixes, as a value: it can be listed, chosen and run on any backend by any runner.
public struct ConformanceCase: Sendable {
  /// A stable name, `CRUD.insert-duplicate-key` for example.
  public let id: String
  /// The clauses of the contract that the case proves.
  public let clauses: [String]
  /// What must be true, in one sentence.
  public let summary: String
  /// Whether the case closes a store and opens it again with what it had. It cannot run where nothing persists.
  public let requiresPersistence: Bool
  let body: @Sendable (ConformanceContext) async throws -> Void

  init(
    _ id: String, _ clauses: [String], _ summary: String, requiresPersistence: Bool = false,
    _ body: @escaping @Sendable (ConformanceContext) async throws -> Void
  ) {
    self.id = id
    self.clauses = clauses
    self.summary = summary
    self.requiresPersistence = requiresPersistence
    self.body = body
  }

  /// The area of the contract that the case belongs to, `CRUD` for example.
  public var area: String { String(id.prefix { $0 != "." }) }

  /// Runs the case on places that the harness makes, and removes them.
  ///
  /// - Throws: ``ConformanceFailure`` when the backend does not do what the contract says, and whatever the backend threw
  ///   where it should not have.
  public func run(on harness: some ConformanceHarness) async throws {
    let context = ConformanceContext(harness)
    do {
      try await body(context)
    } catch {
      context.cleanUp()
      throw error
    }
    context.cleanUp()
  }
}

extension ConformanceCase: CustomStringConvertible {
  public var description: String { id }
}

/// A backend that did not do what the contract says, with the place in the kit that found it.
public struct ConformanceFailure: Error, CustomStringConvertible {
  public let message: String
  public let file: String
  public let line: Int

  public var description: String { "\(file):\(line): \(message)" }
}
