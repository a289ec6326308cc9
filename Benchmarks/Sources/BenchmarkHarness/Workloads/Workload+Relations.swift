extension Workload {
  /// Work on objects that refer to each other, each beside the same work without a relation. Every round has a store of
  /// its own, which is filled before and not timed.
  static let relations: [Workload] = [
    relation(
      "insert-plain", "Insert without a reference",
      "Adds letters with the key of their writer as an ordinary indexed column, in one transaction."
    ) { mail in
      RelatedWork(
        fill: { try $0.insert(mail.writers) }, work: { try $0.insert(notes: mail.letters) },
        check: { try WrongAnswer.require($0.notes(), mail.digest, "what was inserted") })
    },
    relation(
      "insert-reference", "Insert with a checked reference",
      "Adds letters that refer to their writer, in one transaction: that it is there is looked at."
    ) { mail in
      RelatedWork(
        fill: { try $0.insert(mail.writers) }, work: { try $0.insert(mail.letters) },
        check: { try WrongAnswer.require($0.letters(), mail.digest, "what was inserted") })
    },
    relation("fetch-plain", "Fetch letters", "Reads all letters into structs.") { mail in
      let found = Found()
      return RelatedWork(
        fill: { try mail.fill($0) }, work: { found.digest = try $0.letters() },
        check: { _ in try WrongAnswer.require(found.digest, mail.digest, "what was read") })
    },
    relation("fetch-with", "Fetch letters with their writers", "Reads all letters, each with its writer.") { mail in
      let found = Found()
      return RelatedWork(
        fill: { try mail.fill($0) }, work: { found.digest = try $0.lettersWithWriters() },
        check: { _ in try WrongAnswer.require(found.digest, mail.digestWithWriters, "what was read") })
    },
    relation(
      "filter-through", "Filter through a reference",
      "Reads the letters of the writers whose names begin alike, a ninth of all: nine times, each with another beginning."
    ) { mail in
      let found = Found()
      return RelatedWork(
        fill: { try mail.fill($0) },
        work: { store in
          for digit in 1...9 { found.digest.add(try store.letters(ofWritersNamed: "writer \(digit)")) }
        }, check: { _ in try WrongAnswer.require(found.digest, mail.digest(where: { $0.writer > 0 }), "what was read") }
      )
    },
    relation(
      "delete-notes", "Delete where, as many as a cascade", "Deletes all notes, which have one writer, by that column."
    ) { mail in
      let notes = mail.ofOneWriter
      return RelatedWork(
        fill: { store in
          try store.insert(mail.writers)
          try store.insert(notes: notes)
        }, work: { try $0.deleteNotes(of: mail.writers[0].id) },
        check: { try WrongAnswer.require($0.notes(), LetterDigest(), "what is left") })
    },
    relation(
      "delete-cascade", "Delete with a cascade",
      "Deletes the writer of all letters, and by the delete rule the letters."
    ) { mail in
      let letters = mail.ofOneWriter
      return RelatedWork(
        fill: { store in
          try store.insert(mail.writers)
          try store.insert(letters)
        }, work: { try $0.delete(writer: mail.writers[0].id) },
        check: { try WrongAnswer.require($0.letters(), LetterDigest(), "what is left") })
    },
  ]

  private static func relation(
    _ id: String, _ title: String, _ explanation: String, _ makeWork: @escaping @Sendable (Mail) -> RelatedWork
  ) -> Workload {
    Workload(id, title, unit: "objects", explanation, hasLatency: false, subject: .relations) { context in
      let mail = Mail(letters: min(context.count, Mail.most))
      let work = makeWork(mail)
      return Plan { slot, _ in
        let store = try slot.openRelated()
        defer { try? store.close() }
        try work.fill(store)
        let start = Stopwatch.now()
        try work.work(store)
        let seconds = Stopwatch.seconds(since: start)
        try work.check(store)
        return (seconds, mail.letters.count)
      }
    }
  }
}

/// What is done in a store of its own.
private struct RelatedWork {
  let fill: (any RelatedStore) throws -> Void
  let work: (any RelatedStore) throws -> Void
  let check: (any RelatedStore) throws -> Void
}

private final class Found {
  var digest = LetterDigest()
}

/// Letters and their writers, ten letters each.
struct Mail: Sendable {
  static let most = 100_000

  let writers: [Writer]
  let letters: [Letter]

  init(letters count: Int) {
    let writerCount = max(1, count / 10)
    writers = (0..<writerCount).map { Writer(id: Int64($0), name: "writer \($0)") }
    // In the order of their keys, of writers in no order.
    letters = (0..<count).map {
      Letter(id: Int64($0), text: "letter number \($0)", writer: Int64($0 &* 7919 % writerCount))
    }
  }

  var ofOneWriter: [Letter] { letters.map { Letter(id: $0.id, text: $0.text, writer: 0) } }

  func fill(_ store: any RelatedStore) throws {
    try store.insert(writers)
    try store.insert(letters)
  }

  var digest: LetterDigest { digest(where: { _ in true }) }

  func digest(where isMeant: (Letter) -> Bool) -> LetterDigest {
    var digest = LetterDigest()
    for letter in letters where isMeant(letter) {
      digest.add(id: letter.id, text: letter.text.utf8.count, writer: letter.writer)
    }
    return digest
  }

  var digestWithWriters: LetterDigest {
    var digest = LetterDigest()
    for letter in letters {
      digest.add(
        id: letter.id, text: letter.text.utf8.count, writer: letter.writer,
        name: writers[Int(letter.writer)].name.utf8.count)
    }
    return digest
  }
}
