public import Foundation

extension StorageError: LocalizedError {
  /// The text of ``description``, so that `localizedDescription` returns it too.
  public var errorDescription: String? { description }

  /// The message alone.
  public var failureReason: String? { message }

  /// A hint that helps, where there is one; in English, as all messages are.
  public var recoverySuggestion: String? {
    switch code {
    case .busy: "Write again later, or wait longer: write(timeout:)."
    case .commitUnknown: "Check whether the write was stored, and repeat it if not."
    case .conflict: "Read the object again, and repeat the change."
    case .duplicateKey: "Use upsert to replace the object, or getOrInsert to keep it."
    case .full: "Free some space. All committed changes are still stored."
    case .inUse: "Close the store where it is open."
    case .iterationActive: "Write after the iteration, or close the cursor first."
    case .limitExceeded: nil
    case .readOnly: "Open the store for writing."
    case .reentrant: "Use a write transaction for both the reads and the writes."
    case .schemaTooNew: "Update the program."
    case .unavailable: "Try again when the server can be reached."
    case .wrongThread: "Use the transaction where its closure runs."
    default: nil
    }
  }
}

extension StorageError: CustomNSError {
  public static var errorDomain: String { "Quarry.StorageError" }

  /// The place of the code in ``Code/all``, from 1 on. New codes come at the end.
  public var errorCode: Int { (Code.all.firstIndex(of: code) ?? -1) + 1 }

  /// The code's name, model, property, place and key, where they are known, and the cause as the underlying error.
  public var errorUserInfo: [String: Any] {
    var info: [String: Any] = ["code": code.description]
    info["model"] = model
    info["property"] = property
    info["place"] = place
    info["key"] = key
    info[NSUnderlyingErrorKey] = cause
    info[NSLocalizedDescriptionKey] = errorDescription
    info[NSLocalizedFailureReasonErrorKey] = failureReason
    info[NSLocalizedRecoverySuggestionErrorKey] = recoverySuggestion
    return info
  }
}
