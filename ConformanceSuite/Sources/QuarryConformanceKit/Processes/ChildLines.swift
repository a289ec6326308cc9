import Foundation
import QuarryBackend

/// The lines between the kit and a second process: words with spaces between them, and errors that come through.
enum ChildLines {
  private static let error = "error"
  private static let failure = "failure"

  /// An error as a line.
  static func text(_ thrown: any Error) -> String {
    switch thrown {
    case let thrown as StorageError:
      "\(error) \(thrown.code) \(thrown.processID ?? 0) \(escaped(thrown.message))"
    case let thrown as ConformanceFailure:
      "\(failure) \(thrown.file):\(thrown.line) \(escaped(thrown.message))"
    default: "\(failure) \(#fileID):\(#line) \(escaped("\(thrown)"))"
    }
  }

  /// Throws the error that a line is, if it is one.
  static func rethrow(_ line: String) throws {
    let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
    if words.first == error, words.count == 4, let code = StorageError.Code.all.first(where: { "\($0)" == words[1] }) {
      let message = "in the second process: \(words[3])"
      if code == .inUse { throw StorageError.inUse(by: Int32(words[2]).flatMap { $0 == 0 ? nil : $0 }, message) }
      throw StorageError(code, message)
    }
    if words.first == failure, words.count > 2 {
      let place = words[1].split(separator: ":")
      throw ConformanceFailure(
        message: "in the second process: \(words.dropFirst(2).joined(separator: " "))",
        file: String(place.first ?? ""), line: place.last.flatMap { Int($0) } ?? 0)
    }
  }

  private static func escaped(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).joined(separator: " / ")
  }
}
