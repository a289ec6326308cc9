import QuarryTestSupport
import Testing

@testable import QuarryFlatFile

@Suite struct EngineTrialTests {
  @Test(arguments: EngineTrial.allCases)
  func itDoesWhatEveryEngineDoes(_ trial: EngineTrial) throws {
    let folder = try TestFolder()
    let engine = try folder.open()
    defer { try? engine.close() }
    try trial.run(on: engine)
  }
}
