import ArgumentParser
import Foundation
import QuarryBackend
import QuarryData
import QuarrySystem

/// The command line: parses it, runs the command and turns errors into exit codes.
struct Tool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quarry",
    abstract: "Puts data into stores, asks them questions and gets the data out again.",
    discussion: """
      A store is named by a URL: memory: for one that is gone when the command ends, file:PATH for one file of Quarry's \
      own, sqlite:PATH for an SQLite database.
      Errors are one line on standard error, "error: CODE: message", with exit code 1; wrong usage is exit code 64.
      """,
    subcommands: [
      ImportCommand.self, ModelsCommand.self, SchemaCommand.self, CountCommand.self, QueryCommand.self, GetCommand.self,
      WatchCommand.self,
      ExplainCommand.self, AggregateCommand.self, ExportCommand.self, UpdateCommand.self, DeleteCommand.self,
      MigrateCommand.self, StatCommand.self, CheckCommand.self, BackupCommand.self, CompactCommand.self,
      CopyCommand.self, DiffCommand.self, DumpCommand.self, RestoreCommand.self,
      RestoreBackupCommand.self,
      KeyCommand.self, EncryptCommand.self, DecryptCommand.self, RekeyCommand.self,
      EnginesCommand.self, ConformanceCommand.self, NewBackendCommand.self, StudioCommand.self,
    ]
  )

  static func main() {
    // Before anything else is opened: a file would get the number of a standard stream that is closed.
    Descriptor.occupyStandardNumbers()
    // A reader that goes away (`quarry query … | head`) is seen as an error of write instead.
    signal(SIGPIPE, SIG_IGN)
    do {
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

  private static func fail(_ error: StorageError) -> Never {
    try? FileHandle.standardError.write(contentsOf: Data((ErrorReport.line(error) + "\n").utf8))
    exit(withError: ExitCode.failure)
  }
}
