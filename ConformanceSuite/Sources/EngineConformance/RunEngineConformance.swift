import Foundation
import QuarryConformance

/// Runs the command line of this process.
public func runEngineConformance() {
  // A reader that goes away is seen as an error of write instead.
  signal(SIGPIPE, SIG_IGN)
  let arguments = Array(CommandLine.arguments.dropFirst())
  if arguments.first == ConformanceChild.argument {
    ConformanceChildCommand.main(Array(arguments.dropFirst()))
  } else if arguments.first == CrashLabCommand.configuration.commandName {
    CrashLabCommand.main(Array(arguments.dropFirst()))
  } else if arguments.first == FlipBitsCommand.configuration.commandName {
    FlipBitsCommand.main(Array(arguments.dropFirst()))
  } else {
    EngineConformanceCommand.main(arguments)
  }
}
