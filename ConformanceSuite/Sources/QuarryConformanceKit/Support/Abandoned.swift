/// Thrown by bodies that want to be rolled back.
package struct Abandoned: Error {
  package init() {}
}

/// Runs the body, which must throw ``Abandoned``.
package func expectAbandoned<R>(file: String = #fileID, line: Int = #line, _ body: () throws -> R) throws {
  do {
    _ = try body()
  } catch is Abandoned {
    return
  }
  throw ConformanceFailure(message: "the body's error did not come out", file: file, line: line)
}
