import ArgumentParser

struct EnginesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "engines",
    abstract: "Prints what each engine offers, in Markdown.",
    discussion: "The table is made of the engines' manifests, which the conformance kit compares with live stores.")

  func run() throws {
    let sink = StandardOutput.sink()
    for line in EngineTable.lines { try sink.write(line + "\n") }
    try sink.flush()
  }
}
