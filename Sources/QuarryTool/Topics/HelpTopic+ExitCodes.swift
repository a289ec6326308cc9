extension HelpTopic {
  static let exitCodes = HelpTopic(
    name: "exit-codes",
    abstract: "How a command reports success and failure.",
    text: """
      EXIT CODES

        0   The command did what it was asked to do. This includes a query that found nothing.
        1   An error. Standard error has one line: error: CODE: message.
            Also: check found a defect, diff found a difference, or a rehearsal of migrate would fail.
       64   The command line is wrong: an unknown option, a missing argument, or a value that is refused.

      conformance has codes of its own:

        0   Every due level was awarded.
        1   A case failed.
        2   Only a part was run, or something deviates as declared.
        3   The suite could not judge.

      Scripts can rely on CODE, which is one of the codes of the contract, such as notFound, inUse, busy,
      uniqueViolation, schemaMismatch or corrupt. Messages may change.

      Standard output has results alone. Notes, progress and errors go to standard error; progress is
      shown only on a terminal. A reader that closes the pipe early, such as head, is not an error.
      """)
}
