import Foundation
import Testing

@testable import BenchmarkHarness

@Suite struct EngineServerTests {
  private func answers(_ requests: [WorkRequest], fault: Fault? = nil) throws -> [WorkAnswer] {
    let folder = NSTemporaryDirectory() + "/server-" + UUID().uuidString
    let bench = LocalBench(
      DictionaryStore.engine(fault: fault), Dataset(seed: 7, count: 300), .smoke, folder: folder)
    defer { try? bench.end() }
    return try requests.map { request in
      let line = try EngineServer.answer(JSONEncoder().encode(request), bench)
      // One line: at its end the parent knows that it has all.
      #expect(!line.contains(UInt8(ascii: "\n")))
      return try JSONDecoder().decode(WorkAnswer.self, from: line)
    }
  }

  @Test func aRoundHasItsFigures() throws {
    let answers = try answers([
      WorkRequest(), WorkRequest(workload: "get", round: 1), WorkRequest(workload: "get", recordsLatency: true),
    ])
    #expect(answers.allSatisfy { $0.failure == nil })
    let figures = try #require(answers[1].figures)
    #expect(figures.operations > 0 && figures.seconds > 0)
    #expect(figures.latency == nil)
    #expect(answers[2].figures?.latency != nil)
  }

  @Test func whatGoesWrongIsTold() throws {
    let answers = try answers(
      [WorkRequest(), WorkRequest(workload: "get"), WorkRequest(workload: "no such")], fault: .readsAnotherScore)
    #expect(answers.last?.failure?.contains("no such") == true)
    #expect(answers.contains { $0.failure?.contains("must be") == true })
  }

  @Test func aLineThatIsNoRequestIsAFailure() throws {
    let bench = LocalBench(DictionaryStore.engine(), Dataset(seed: 7, count: 3), .smoke, folder: "/no/such/folder")
    let line = try EngineServer.answer(Data("?".utf8), bench)
    #expect(try JSONDecoder().decode(WorkAnswer.self, from: line).failure != nil)
  }
}
