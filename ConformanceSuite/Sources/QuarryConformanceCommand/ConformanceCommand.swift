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
/// The same program is the second process of cases in which processes meet, when the harness names it as its
/// ``ConformanceHarness/secondProcess``.
///
/// It takes the options of ``ConformanceArguments`` and exits with 0 when all that is due was awarded, 1 when a case
/// failed, 2 when the run was not complete, 3 when the harness is wrong, and 64 for wrong usage.
public enum ConformanceCommand {
  /// Runs the kit by the arguments of the process, and ends the process with the exit code.
  public static func main(_ harness: some ConformanceHarness) -> Never {
    // With the default action a limit on the size of files would end the process; cases expect the error `full`.
    signal(SIGXFSZ, SIG_IGN)
    // Started by the kit itself, as the second process of a case.
    if CommandLine.arguments.dropFirst().first == ConformanceChild.argument {
      exit(ConformanceChild.run(Array(CommandLine.arguments.dropFirst(2)), on: harness))
    }
    let program = URL(fileURLWithPath: CommandLine.arguments[0]).lastPathComponent
    do {
      let arguments = try ConformanceArguments.parse()
      let session = ConformanceSession(arguments, command: program)
      if arguments.plan {
        session.printPlan(harness)
        exit(0)
      }
      let report = try session.run(harness)
      exit(report.status.rawValue)
    } catch {
      ConformanceArguments.exit(withError: error)
    }
  }
}
