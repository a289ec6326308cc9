import ArgumentParser
import Foundation
public import QuarryConformance

/// The command line of a backend's author: one line in a program of their own.
///
/// ```swift
/// import QuarryConformanceCommand
/// ConformanceCommand.main(MyHarness())
/// ```
///
/// It takes the options of ``ConformanceArguments`` and exits with 0 when all that is due was awarded, 1 when a case
/// failed, 2 when the run was not complete, 3 when the harness is wrong, and 64 for wrong usage.
public enum ConformanceCommand {
  public static func main(_ harness: some ConformanceHarness) -> Never {
    let program = URL(fileURLWithPath: CommandLine.arguments[0]).lastPathComponent
    do {
      let arguments = try ConformanceArguments.parse()
      let report = try ConformanceSession(arguments, command: program).run(harness)
      exit(report.status.rawValue)
    } catch {
      ConformanceArguments.exit(withError: error)
    }
  }
}
