package import QuarryConformanceKit

/// The cases that are written as text.
package enum TextCaseList {
  /// The cases of all texts in ConformanceSuite/Texts.
  package static let cases: [ConformanceCase] = CaseTexts.all.flatMap { name, text in
    do throws(TextCaseError) {
      return try cases(in: text, file: "Texts/\(name)")
    } catch {
      // A text of this package that cannot be read must not pass for a text without cases.
      return [ConformanceCase("CAP.\(name)", ["CAP-1"], "The cases of \(name) can be read.") { _ in throw error }]
    }
  }

  /// The cases of a text.
  ///
  /// - Parameter file: The name of the text, for failures.
  package static func cases(in text: String, file: String) throws(TextCaseError) -> [ConformanceCase] {
    try TextCaseReader.cases(in: text, file: file).map(\.conformanceCase)
  }
}
