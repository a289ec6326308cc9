import Foundation
import QuarryBackend
import QuarryConformanceKit
import QuarryCore

/// Processes whose wall clock is set while they use a store.
///
/// Their wall clock is wrong by a number of seconds, and that of the system is right: a wait that ends at a time of the wall
/// clock lasts an hour too long, or no time.
enum ClockCases {
  static let all: [ConformanceCase] = [
    clock("waits", "A writer waits as long as its timeout says, whatever becomes of the wall clock.") { kit in
      for seconds in [3_600, -3_600] {
        let child = try kit.observedProcess(at: try kit.makePlace())
        try child.expect("clock \(seconds)", "set")
        try child.expect("wait-for-writer 0.3", "waited")
        try child.finish()
      }
    },
    clock("observes", "Observers are notified of commits, whatever becomes of the wall clock.") { kit in
      for seconds in [3_600, -3_600] {
        let child = try kit.observedProcess(at: try kit.makePlace())
        try child.expect("clock \(seconds)", "set")
        try child.expect("observe-once", "observed")
        try child.finish()
      }
    },
    clock("jumps", "No time that a wall clock can have ends a call or a process.") { kit in
      for seconds in [40_000_000_000, -40_000_000_000, 1 << 40] {
        let child = try kit.observedProcess(at: try kit.makePlace())
        try child.expect("clock \(seconds)", "set")
        try child.expect("use-all", "used")
        try child.finish()
      }
    },
  ]

  private static func clock(
    _ name: String, _ summary: String, _ body: @escaping @Sendable (ConformanceContext) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      "ERR.clock-\(name)", ["ERR-10"], summary, requiresCrashLab: true, without: ConformanceVariant.allButFresh,
      within: .seconds(60)
    ) { kit in try body(kit) }
  }
}
