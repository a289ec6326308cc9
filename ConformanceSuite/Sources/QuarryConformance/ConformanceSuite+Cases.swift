import QuarryConformanceCommits
import QuarryConformanceFiles
@_exported public import QuarryConformanceKit
import QuarryConformanceModels
import QuarryConformanceQueries
import QuarryConformanceTexts

extension ConformanceSuite {
  /// The cases of all modules.
  public static let cases: [ConformanceCase] =
    QueryCaseList.cases + CommitCaseList.cases + ModelCaseList.cases + FileCaseList.cases
    + TextCaseList.cases
}

extension ConformanceRunner {
  /// Creates a runner for the engine of a harness.
  public init(_ harness: some ConformanceHarness, _ selection: ConformanceSelection = ConformanceSelection()) {
    self.init(harness, selection, cases: ConformanceSuite.cases)
  }
}
