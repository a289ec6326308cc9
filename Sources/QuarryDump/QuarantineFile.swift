public import QuarryBackend
public import QuarryCore
import QuarryData

/// A file of JSON Lines that keeps the rows that a repair removes.
///
/// For each row it has its model, its key, why it cannot be read, and its bytes in base64 or its columns. The file exists once
/// the repair has been committed, and only if there was such a row.
public final class QuarantineFile: UnreadableRowKeeper {
  private let path: String
  private var file: OutputFile?
  private var line: [UInt8] = []

  /// Creates the file.
  ///
  /// - Parameter path: A path where nothing exists yet.
  public init(path: String) {
    self.path = path
  }

  /// Adds a row to the file.
  ///
  /// - Parameter row: A row that a repair is about to remove. It becomes one line of JSON.
  /// - Throws: `inUse` when there is a file at the path; `notFound`, `io`, `full`.
  public func keep(_ row: UnreadableRow) throws {
    let file = try file ?? OutputFile(path: path)
    self.file = file
    line.removeAll(keepingCapacity: true)
    line.append(contentsOf: "{\"model\":".utf8)
    append(row.model)
    line.append(contentsOf: ",\"key\":".utf8)
    append(row.key)
    line.append(contentsOf: ",\"reason\":".utf8)
    append(row.reason)
    switch row.content {
    case .bytes(let bytes):
      line.append(contentsOf: ",\"row\":".utf8)
      try DumpValue.append(.data(.init(bytes)), .data, nil, to: &line)
    case .columns(let columns):
      line.append(contentsOf: ",\"columns\":".utf8)
      try DumpValue.append(.object(unordered: columns), .nested, nil, to: &line)
    }
    line.append(contentsOf: "}\n".utf8)
    try file.sink.write(line)
  }

  /// Writes the remaining bytes and moves the file to its path, if a row was added.
  ///
  /// - Throws: `inUse` when something was created at the path meanwhile; `full`, `io`.
  public func finish() throws {
    try file?.finish()
  }

  private func append(_ text: String) {
    JSONSyntax.append(string: text, to: &line, .demanded)
  }
}

extension Store {
  /// Repairs the defects that a check finds, and keeps the removed rows in a file of JSON Lines. See ``Store/repair(keeping:)``.
  ///
  /// - Parameter path: A path where nothing exists yet; the file is created only when a row is removed.
  public func repair(quarantine path: String) throws -> RepairReport {
    try repair(keeping: QuarantineFile(path: path))
  }

  /// Repairs the defects that a check finds, on a thread of its own. See ``repair(quarantine:)-swift.method``.
  public func repair(quarantine path: String) async throws -> RepairReport {
    try await Self.onThread { [self] in try repair(quarantine: path) }
  }
}
