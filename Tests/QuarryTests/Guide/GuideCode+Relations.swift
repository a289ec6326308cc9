import Foundation
import Quarry
import QuarryEncryption
import QuarryEngines

extension GuideCode {
  /// What relations give, in numbers that a test knows.
  static func relations() throws -> [Int] {
    let store = try Store(for: Artist.self, in: .memory)
    return try store.write { tx in
      let verrocchio = Artist(id: 1, name: "Verrocchio")
      let leonardo = Artist(id: 2, name: "Leonardo", teacher: Ref(verrocchio))
      try tx.insert(contentsOf: [leonardo, verrocchio])
      try tx.insert(Work(id: 1, title: "Ginevra", artist: Ref(2)))

      let teacher = try tx.get(leonardo.teacher)
      let works = try tx.fetch(leonardo.works.sorted(by: \.title))
      let number = try tx.count(verrocchio.pupils)
      let same = try tx.fetch(Work.where { $0.artist == Ref(leonardo) })
      for (artist, teacher, works) in try tx.fetch(Artist.all, with: \.teacher, \.works) {
        print(artist.name, teacher?.name ?? "nobody", works.count)
      }

      let frozen = try tx.frozen(Work.all, with: \.artist)
      let columns = ["title", "artist.name", "artist.teacher.name"]
      let rows = try tx.records.fetch(in: "Work", sortedBy: "title", columns: columns)
      print(frozen.map { "\($0.0.title) by \($0.1.name)" }, rows.compactMap { $0["artist.teacher.name"] })

      let leonardos = try tx.fetch(Work.where { $0.artist.name == "Leonardo" })
      let taught = try tx.count(Work.where("artist.teacher.name == 'Verrocchio'"))
      let busy = try tx.fetch(Artist.where { $0.works.any { $0.title.hasPrefix("G") } && $0.works.count < 3 })
      let byArtist = try tx.fetch(Work.all.sorted(by: \.artist.name))
      print(try tx.explain(Work.where { $0.artist.name != "Leonardo" }), leonardos, taught, busy, byArtist)

      try tx.deferringReferences {
        try tx.insert(Work(id: 2, title: "Ginevra, copied", artist: Ref(3), copyOf: Ref(1)))
        try tx.insert(Artist(id: 3, name: "A pupil"))
      }

      do {
        try tx.delete(Artist.self, 2)
      } catch let error as StorageError where error.code == .referenced {
        print("copied: \(error.message)")
      }
      return [teacher?.id ?? 0, works.count, number, same.count, try tx.count(Work.all), try tx.count(Artist.all)]
    }
  }

  /// What links give, in texts that a test knows.
  static func links() throws -> [String] {
    let store = try Store(for: Show.self, in: .memory)
    return try store.write { tx in
      let show = Show(id: 1, place: "Vinci")
      try tx.insert(show)
      try tx.insert(contentsOf: [Picture(id: "Ginevra", year: 1478), Picture(id: "Ermine", year: 1490)])
      try show.rooms.append(Ref("Ermine"), in: tx)
      try show.rooms.insert(Ref("Ginevra"), at: 0, in: tx)
      try show.rooms.move(from: 0, to: 1, in: tx)
      let hung = try tx.fetch(show.rooms)
      let old = try tx.fetch(show.rooms.where { $0.year < 1480 })
      for (picture, shows) in try tx.fetch(Picture.all, with: \.shows) { print(picture.id, shows.map(\.place)) }
      let early = try tx.fetch(Show.where { $0.rooms.any { $0.year < 1480 } })
      return hung.map(\.id) + old.map(\.id) + early.map(\.place)
    }
  }

  static func encryption(_ path: String) throws {
    let key = try FileKeyStore().key(named: "library", orCreate: true)
    let store = try Store(for: Book.self, in: .sqlite(at: path + ".sealed.db"), encryption: .init(key))
    try store.rekey(to: EncryptionKey.passphrase("correct horse battery staple"))
  }

  static func errors(_ store: Store) throws {
    do {
      try store.insert(Author(id: 12, email: "a@example.org", name: "Twin"))
    } catch let error as StorageError where error.code == .uniqueViolation {
      print("taken: \(error.property ?? "")")
    }
    let readable = try store.fetch(Author.all, onUnreadable: { _, error in print("cannot read: \(error)") })
    print(readable.count)
  }
}
