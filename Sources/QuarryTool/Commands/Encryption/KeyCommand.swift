import ArgumentParser
import QuarryBackend
import QuarryEncryption

struct KeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key", abstract: "Creates, lists and exports keys of encrypted stores.",
    discussion: """
      Keys are kept by name in files that only their owner can read, in quarry/keys of $XDG_DATA_HOME or of .local/share \
      in the home folder. Without its key, a store cannot be read.
      """,
    subcommands: [New.self, List.self, Export.self])

  struct New: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Creates a key of 32 random bytes, under a name or in a file.")

    @Argument(help: ArgumentHelp("The name of the key.", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("The file to write the key to instead; it must not exist.", valueName: "file"))
    var file: String?

    func validate() throws {
      if (name == nil) == (file == nil) { throw ValidationError("give a name, or --file") }
    }

    func run() throws {
      let key = try EncryptionKey.random()
      if let file {
        try KeyFile.write(key, to: file)
        try StandardOutput.print("created a key in \(file.escapedForDisplay)")
      } else if let name {
        let store = FileKeyStore()
        try store.add(key, named: name)
        try StandardOutput.print("created the key \(name) in \(store.directory.escapedForDisplay)")
      }
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the names of the keys.")

    func run() throws {
      try StandardOutput.print(FileKeyStore().names().map(\.escapedForDisplay))
    }
  }

  struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Writes a key to a file that only its owner can read.")

    @Argument(help: ArgumentHelp("The name of the key.", valueName: "name"))
    var name: String

    @Argument(help: ArgumentHelp("The file to write; it must not exist.", valueName: "file"))
    var file: String

    func run() throws {
      try KeyFile.write(FileKeyStore().key(named: name), to: file)
      try StandardOutput.print("wrote the key \(name) to \(file.escapedForDisplay)")
    }
  }
}
