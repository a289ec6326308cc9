import Foundation
import QuarryBackend
import QuarryData

/// The way in which an error ends the tool.
enum ErrorReport {
  /// `error: CODE: message`, always one line, with no character that a terminal obeys.
  static func line(_ error: any Error) -> String {
    let text =
      switch error {
      case let error as StorageError: error.description
      default: "io: \(error)"
      }
    return "error: " + text.escapedForDisplay
  }
}
