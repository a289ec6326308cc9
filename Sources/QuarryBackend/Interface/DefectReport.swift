/// The findings of a check of a store: the first hundred defects in words, and the number of further ones.
public struct DefectReport: Sendable {
  /// The number of defects that are described in words.
  public static let most = 100

  private var told: [String] = []
  private var count = 0

  /// Creates a report without defects.
  public init() {}

  /// Whether nothing was found.
  public var isEmpty: Bool { count == 0 }

  /// Adds a defect.
  ///
  /// The text is computed only if it is kept.
  ///
  /// - Parameter text: The defect in words.
  public mutating func add(_ text: @autoclosure () -> String) {
    count += 1
    if told.count < Self.most { told.append(text()) }
  }

  /// Runs a part of a check.
  ///
  /// Damage that stops the part is added as a defect, and the check continues with the next part.
  ///
  /// - Parameters:
  ///   - what: The name of the part, before the message in the defect.
  ///   - body: The check of the part, which adds its defects to the report that it receives.
  /// - Throws: The errors of the body that are not damage, such as `closed` and `io`. Its `corrupt` and `schemaTooNew` become
  ///   defects.
  public mutating func examine(
    _ what: @autoclosure () -> String, _ body: (inout DefectReport) throws(StorageError) -> Void
  ) throws(StorageError) {
    do throws(StorageError) {
      try body(&self)
    } catch {
      guard error.code == .corrupt || error.code == .schemaTooNew else { throw error }
      add("\(what()): \(error.message)")
    }
  }

  /// The defects in words; nothing for a sound store.
  public var lines: [String] {
    count > told.count ? told + ["and \(count - told.count) more"] : told
  }
}
