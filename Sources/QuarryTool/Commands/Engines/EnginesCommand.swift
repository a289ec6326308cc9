import ArgumentParser
import QuarryEngines

struct EnginesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "engines",
    abstract: "Prints what each engine offers, in Markdown.",
    discussion: "The table is made of the engines' manifests, which the conformance kit compares with live stores.")

  @Flag(help: "Prints everything that is known of each engine, for scripts: an array with one engine on each line.")
  var json = false

  func run() throws {
    let sink = StandardOutput.sink()
    if json {
      try sink.write(EngineDescription.json())
    } else {
      for line in EngineTable.lines { try sink.write(line + "\n") }
    }
    try sink.flush()
  }
}
