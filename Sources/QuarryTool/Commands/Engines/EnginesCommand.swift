import ArgumentParser
import QuarryEngines

struct EnginesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "engines",
    abstract: "Prints the capabilities of each engine as a Markdown table.",
    discussion: "The table comes from the engines' manifests, which the conformance kit compares with live stores.")

  @Flag(help: "Prints all data about each engine as JSON, for scripts: an array with one engine on each line.")
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
