/// The programs of this package: `scripts/mutants`, and with the first argument `semantic-faults` `scripts/semantic-faults`.
@main
enum Programs {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == "semantic-faults" {
      SemanticFaultsCommand.main(Array(arguments.dropFirst()))
    } else {
      MutantsCommand.main()
    }
  }
}
