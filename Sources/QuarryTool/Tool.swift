import ArgumentParser
import Foundation
import QuarryBackend
import QuarryData
import QuarrySystem

/// The command line: parses it, runs the command and turns errors into exit codes.
struct Tool: ParsableCommand {
  /// The version of Quarry, as the changelog counts them.
  static let version = "0.1"

  static let configuration = CommandConfiguration(
    commandName: "quarry",
    abstract: "Imports, queries, changes, migrates, copies, backs up and encrypts stores.",
    discussion: """
      A URL names a store, for example sqlite:library.db. "quarry help urls" lists the kinds and their options.
      An error is one line on standard error, "error: CODE: message", with exit code 1. Wrong usage is exit code 64.
      "quarry help TOPIC" explains a topic: \(HelpTopic.names).
      """,
    version: "quarry \(version), contract \(BackendManifest.currentContract)",
    subcommands: [
      ShellCommand.self, ImportCommand.self, AdoptCommand.self, ModelsCommand.self, SchemaCommand.self,
      DescribeCommand.self, CountCommand.self, QueryCommand.self, SearchCommand.self, GetCommand.self,
      WatchCommand.self, ExplainCommand.self, AggregateCommand.self, HistoryCommand.self, ExportCommand.self,
      UpdateCommand.self, UpsertCommand.self, DeleteCommand.self, UndoCommand.self, MigrateCommand.self,
      StatCommand.self,
      CheckCommand.self, BackupCommand.self, CompactCommand.self, CopyCommand.self, DiffCommand.self,
      DumpCommand.self, RestoreCommand.self, RestoreBackupCommand.self, KeyCommand.self, EncryptCommand.self,
      DecryptCommand.self, RekeyCommand.self, SyncCommand.self, ServeCommand.self,
      EnginesCommand.self, ConformanceCommand.self, BenchmarkCommand.self, NewBackendCommand.self, StudioCommand.self,
    ]
  )

  static func main() {
    // Before anything else is opened: a file would get the number of a standard stream that is closed.
    Descriptor.occupyStandardNumbers()
    // A reader that goes away (`quarry query … | head`) is seen as an error of write instead.
    signal(SIGPIPE, SIG_IGN)
    do {
      let arguments = Array(CommandLine.arguments.dropFirst())
      if let text = HelpTopic.text(for: arguments) { return try StandardOutput.print(text) }
      try checkHelp(arguments)
      if let refusal = CommandWords.refusal(arguments.first) { throw ValidationError(refusal) }
      var command = try parseAsRoot()
      try command.run()
    } catch is BrokenPipe {
      exit(withError: ExitCode.success)
    } catch let error as StorageError {
      fail(error)
    } catch {
      exit(withError: error)
    }
  }

  /// Refuses help about something unknown, for which the parser would print its general help.
  private static func checkHelp(_ arguments: [String]) throws {
    guard arguments.count == 2, arguments[0] == "help", !arguments[1].hasPrefix("-") else { return }
    let commands = configuration.subcommands.map { $0._commandName } + ["help"]
    guard !commands.contains(arguments[1]) else { return }
    throw ValidationError(
      "there is no command and no topic named \(arguments[1].escapedForDisplay); the topics are \(HelpTopic.names)")
  }

  private static func fail(_ error: StorageError) -> Never {
    try? FileHandle.standardError.write(contentsOf: Data((ErrorReport.line(error) + "\n").utf8))
    exit(withError: ExitCode.failure)
  }
}
