import Foundation
import Testing

@testable import BenchmarkHarness

#if os(Linux)
  @Suite struct LineProcessTests {
    private func process(_ script: String) throws -> LineProcess {
      try LineProcess(.init(executable: URL(fileURLWithPath: "/bin/sh"), ["-c", script]))
    }

    @Test func linesComeOneByOne() throws {
      let process = try process("read line; echo \"got $line\"; echo; printf 'a long '; sleep 0.3; echo one; cat")
      defer { process.end() }
      try process.send(Data("this".utf8))
      #expect(try process.line() == Data("got this".utf8))
      #expect(try process.line().isEmpty)
      #expect(try process.line() == Data("a long one".utf8))
      try process.send(Data("more".utf8))
      #expect(try process.line() == Data("more".utf8))
    }

    @Test func whoHasEndedHasNoLine() throws {
      let process = try process("printf 'half a line'")
      #expect(throws: LineProcess.Silence.ended) { try process.line() }
      #expect(throws: LineProcess.Silence.ended) { while true { try process.send(Data("?".utf8)) } }
      process.end()
    }

    @Test func silenceEndsWaiting() throws {
      let process = try process("exec sleep 600")
      #expect(throws: LineProcess.Silence.tooLong(0.2)) { try process.line(patience: 0.2) }
      process.endAtOnce()
    }

    @Test func whoWaitsCanStop() throws {
      let process = try process("exec sleep 600")
      #expect(throws: CancellationError.self) { try process.line { throw CancellationError() } }
      // It does not read its input, and is killed.
      process.end(patience: 0.2)
    }

    @Test func whatDoesNotStartIsAnError() {
      #expect(throws: (any Error).self) {
        try LineProcess(.init(executable: URL(fileURLWithPath: "/no/such/program"), []))
      }
    }
  }
#endif
