import Foundation
package import QuarryBackend

/// Throws unless the condition holds.
package func expect(
  _ condition: @autoclosure () throws -> Bool, _ message: @autoclosure () -> String = "not as the contract says",
  file: String = #fileID, line: Int = #line
) throws {
  guard try condition() else { throw ConformanceFailure(message: message(), file: file, line: line) }
}

/// Throws unless the two are equal.
package func expectEqual<T: Equatable>(
  _ actual: @autoclosure () throws -> T, _ expected: @autoclosure () throws -> T,
  _ about: @autoclosure () -> String = "", file: String = #fileID, line: Int = #line
) throws {
  let (actual, expected) = (try actual(), try expected())
  guard actual == expected else {
    let about = about()
    let (got, due) = excerpts("\(actual)", "\(expected)")
    throw ConformanceFailure(
      message: "\(about)\(about.isEmpty ? "" : ": ")got \(got), the contract says \(due)", file: file, line: line)
  }
}

/// Two texts as they are or, where they are long, from shortly before the first difference on: a failure is to be read.
private func excerpts(_ a: String, _ b: String) -> (String, String) {
  let (limit, before) = (600, 100)
  let same = zip(a.utf8, b.utf8).prefix { $0 == $1 }.count
  func excerpt(_ text: String) -> String {
    guard text.utf8.count > limit else { return text }
    let start = max(0, same - before)
    let part = String(decoding: text.utf8.dropFirst(start).prefix(limit), as: UTF8.self)
    return (start > 0 ? "(from byte \(start)) …" : "") + part + (text.utf8.count > start + limit ? "…" : "")
  }
  return (excerpt(a), excerpt(b))
}

/// Throws unless the body throws an error of the type.
package func expectThrows<E: Error, R>(
  _ type: E.Type, file: String = #fileID, line: Int = #line, _ body: () throws -> R
) throws {
  do {
    let result = try body()
    throw ConformanceFailure(
      message: "got \(result), the contract says the error \(type)", file: file, line: line)
  } catch is E {
    return
  } catch let error as ConformanceFailure {
    throw error
  } catch {
    throw ConformanceFailure(
      message: "got the error \(error), the contract says \(type)", file: file, line: line)
  }
}

/// Throws unless the body throws a storage error with the code; gives the error back.
@discardableResult
package func expectError<R>(
  _ code: StorageError.Code, _ about: @autoclosure () -> String = "", file: String = #fileID, line: Int = #line,
  _ body: () throws -> R
) throws -> StorageError {
  func prefix() -> String {
    let about = about()
    return about.isEmpty ? "" : "\(about): "
  }
  do {
    let result = try body()
    throw ConformanceFailure(
      message: "\(prefix())got \(result), the contract says the error \(code)", file: file, line: line)
  } catch let error as StorageError {
    ProvokedErrors.note(error.code)
    guard error.code == code else {
      throw ConformanceFailure(
        message: "\(prefix())got the error \(error), the contract says \(code)", file: file, line: line)
    }
    return error
  }
}

/// The value, which must be there.
package func unwrap<T>(_ value: T?, _ about: String = "", file: String = #fileID, line: Int = #line) throws -> T {
  guard let value else {
    throw ConformanceFailure(message: "\(about.isEmpty ? "" : "\(about): ")got nil", file: file, line: line)
  }
  return value
}

/// Waits until the condition holds, which takes as long as threads of others need.
package func expectSoon(
  _ about: String, file: String = #fileID, line: Int = #line, _ condition: () throws -> Bool
) throws {
  let end = ContinuousClock.now + .seconds(Watching.patience)
  while try !condition() {
    try expect(ContinuousClock.now < end, "\(about) within \(Watching.patience) s", file: file, line: line)
    Thread.sleep(forTimeInterval: 0.002)
  }
}
