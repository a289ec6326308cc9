import Foundation
import Testing

@testable import mutants

@Suite struct ProgramTests {
  private static func end(_ script: String, _ limits: Program.Limits) throws -> Program.End {
    try Program(command: ["/bin/sh", "-c", script]).run(output: "/dev/null", within: limits)
  }

  #if os(Linux)
    @Test func whatSpinsIsEndedByItsProcessorTime() throws {
      let limits = Program.Limits(clock: 600, processor: 1)
      #expect(try Self.end("while :; do :; done", limits) == .overdue)
      #expect(try Self.end("(while :; do :; done) & wait", limits) == .overdue, "in a process of its own")
    }

    @Test func whatWaitsForEverIsEndedBecauseItIsIdle() throws {
      #expect(try Self.end("sleep 600", Program.Limits(clock: 600, idle: 2)) == .overdue)
    }

    @Test func whatWaitsLessThanThatIsNotEnded() throws {
      #expect(try Self.end("sleep 2; exit 3", Program.Limits(clock: 600, processor: 10, idle: 30)) == .exit(3))
    }
    @Test func whatIsStoppedIsNotIdle() throws {
      let limits = Program.Limits(clock: 600, idle: 2)
      #expect(try Self.end("(sleep 4; kill -CONT $$) & kill -STOP $$; exit 3", limits) == .exit(3))
    }
  #endif

  @Test func aProgramsNameMayHoldBrackets() throws {
    let line = "41 (a) b (c) S 1 7 7 0 -1 4194560 100 0 0 0 11 5 20 4 20 0 1 0 100 0 0"
    let stat = try #require(ProcessorTime.Stat(line))
    #expect(stat.group == 7)
    #expect(stat.ticks == 40)
    #expect(ProcessorTime.Stat("41 (a) S 1") == nil)
  }
}
