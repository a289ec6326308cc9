public import QuarryBackend

/// One behaviour that the contract fixes, as a value: it can be listed, chosen and run on any backend by any runner.
public struct ConformanceCase: Sendable {
  /// A stable name, `CRUD.insert-duplicate-key` for example.
  public let id: String
  /// The area of the contract that the case belongs to, which its id begins with.
  public let area: ConformanceArea
  /// The clauses of the contract that the case proves.
  public let clauses: [String]
  /// What must be true, in one sentence.
  public let summary: String
  /// What the backend has to offer for the case to make sense. Where it does not, its refusal is tested instead.
  public let capabilities: Set<Capability>
  /// Whether the case closes a store and opens it again with what it had. It cannot run where nothing persists.
  public let requiresPersistence: Bool
  /// Whether the case starts a second process.
  public let requiresSecondProcess: Bool
  /// Whether the second process is ended at chosen operations on files, by ``CrashLab``.
  let requiresCrashLab: Bool
  /// The level that the case belongs to.
  public let level: ConformanceLevel
  /// The ways to run the case that make sense.
  public let variants: Set<ConformanceVariant>
  /// The writers of the engines that the case is about; nil for every engine.
  public private(set) var writers: BackendManifest.Writers?
  /// Whether the case is about files of a store, or paths: it is refused where stores are on a server.
  public private(set) var requiresFiles: Bool
  /// How long the case may take before it counts as hung.
  public let timeLimit: Duration
  /// Where the case is defined, as `#fileID` and `#line`.
  public let file: String
  /// The line of the case in its file.
  public let line: Int
  let body: @Sendable (ConformanceContext) async throws -> Void

  /// - Parameters:
  ///   - needs: Capabilities beside those that the case's area needs anyhow.
  ///   - level: Nil for that of the area, or L3 for a case that requires persistence or a second process.
  ///   - without: Variants that make no sense.
  package init(
    _ id: String, _ clauses: [String], _ summary: String, needs: Set<Capability> = [],
    requiresPersistence: Bool = false, requiresSecondProcess: Bool = false, requiresCrashLab: Bool = false,
    level: ConformanceLevel? = nil, without: Set<ConformanceVariant> = [], within timeLimit: Duration = .seconds(10),
    file: String = #fileID,
    line: Int = #line, _ body: @escaping @Sendable (ConformanceContext) async throws -> Void
  ) {
    self.id = id
    area = ConformanceArea(ofCase: id)
    self.clauses = clauses
    self.summary = summary
    capabilities = needs.union(area.needs)
    self.requiresPersistence = requiresPersistence
    self.requiresSecondProcess = requiresSecondProcess || requiresCrashLab
    self.requiresCrashLab = requiresCrashLab
    requiresFiles = requiresCrashLab
    self.level = level ?? (requiresPersistence || self.requiresSecondProcess ? .durable : area.level)
    variants = area.variants.subtracting(without)
    self.timeLimit = timeLimit
    self.file = file
    self.line = line
    self.body = body
  }

  /// The case for engines with these writers alone. It is refused on others.
  package func only(_ writers: BackendManifest.Writers) -> ConformanceCase {
    var result = self
    result.writers = writers
    return result
  }

  /// The case for stores with files of their own. It is refused where they are on a server.
  package func ofFiles() -> ConformanceCase {
    var result = self
    result.requiresFiles = true
    return result
  }
}

extension ConformanceCase: CustomStringConvertible {
  public var description: String { id }
}

/// A backend that did not do what the contract says, with the place in the kit that found it.
public struct ConformanceFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was expected and what was found.
  public let message: String
  /// As `#fileID`.
  public let file: String
  /// The line in the file.
  public let line: Int

  public var description: String { "\(file):\(line): \(message)" }

  package init(message: String, file: String, line: Int) {
    self.message = message
    self.file = file
    self.line = line
  }
}
