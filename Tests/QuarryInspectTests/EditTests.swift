import Foundation
import QuarryBackend
import QuarryCore
import QuarryInspect
import Testing

@Suite struct EditTests {
  private func edit(_ object: InspectedObject, _ changes: Record) -> ObjectEdit {
    ObjectEdit(
      model: object.model.name, key: object.key, base: object.record, digest: object.digest, changes: changes)
  }

  @Test func anEditChangesWhatItNames() throws {
    let inspector = try Library.inspector(books: 1)
    let book = try #require(try inspector.object(in: "Book", key: 0))
    guard case .saved = try inspector.save(edit(book, Record(["title": "Emma"]))) else {
      Issue.record("not saved")
      return
    }
    let after = try #require(try inspector.object(in: "Book", key: 0))
    #expect(after.record["title"] == "Emma")
    #expect(after.record["author"] == 1)
    guard case .unchanged = try inspector.save(edit(after, Record(["title": "Emma"]))) else {
      Issue.record("changed")
      return
    }
  }

  @Test func aChangeOfAnotherIsAConflict() throws {
    let inspector = try Library.inspector(books: 1)
    let book = try #require(try inspector.object(in: "Book", key: 0))
    _ = try inspector.save(edit(book, Record(["title": "Theirs"])))
    guard case .conflict(let conflict) = try inspector.save(edit(book, Record(["title": "Mine"]))) else {
      Issue.record("no conflict")
      return
    }
    #expect(conflict.fields.map(\.property) == ["title"])
    #expect(conflict.fields[0].base == "Book 0")
    #expect(conflict.fields[0].mine == "Mine")
    #expect(conflict.fields[0].theirs == "Theirs")
    #expect(try inspector.object(in: "Book", key: 0)?.record["title"] == "Theirs")
  }

  @Test func aChangeOfAnotherPropertyIsAConflictToo() throws {
    let inspector = try Library.inspector(books: 1)
    let book = try #require(try inspector.object(in: "Book", key: 0))
    _ = try inspector.save(edit(book, Record(["pages": 7])))
    // The base is not known, as of what a form does not show: the digest is.
    let partial = ObjectEdit(
      model: "Book", key: 0, base: Record(["title": "Book 0"]), digest: book.digest, changes: Record(["title": "Mine"]))
    guard case .conflict = try inspector.save(partial) else {
      Issue.record("no conflict")
      return
    }
  }

  @Test func anObjectThatIsGoneIsAConflict() throws {
    let inspector = try Library.inspector(books: 1)
    let book = try #require(try inspector.object(in: "Book", key: 0))
    _ = try inspector.delete(in: "Book", key: 0)
    guard case .conflict(let conflict) = try inspector.save(edit(book, Record(["title": "Mine"]))) else {
      Issue.record("no conflict")
      return
    }
    #expect(conflict.isRemoved)
  }

  @Test func whatCannotBeStoredIsRefused() throws {
    let inspector = try Library.inspector(books: 1)
    let book = try #require(try inspector.object(in: "Book", key: 0))
    let wrong: [(Record, StorageError.Code)] = [
      (Record(["id": 5]), .invalidQuery), (Record(["nothing": 5]), .invalidQuery),
      (Record(["title": .null]), .missingValue),
      (Record(["pages": "many"]), .invalidValue), (Record(["author": 99]), .missingReference),
    ]
    for (changes, code) in wrong {
      let error = #expect(throws: StorageError.self) { try inspector.save(edit(book, changes)) }
      #expect(error?.code == code, "\(changes)")
    }
    #expect(try inspector.object(in: "Book", key: 0)?.digest == book.digest)
  }

  @Test func aDeletionOfAChangedObjectIsAConflict() throws {
    let inspector = try Library.inspector(books: 1)
    let book = try #require(try inspector.object(in: "Book", key: 0))
    _ = try inspector.save(edit(book, Record(["title": "Theirs"])))
    guard case .conflict = try inspector.delete(in: "Book", key: 0, digest: book.digest) else {
      Issue.record("deleted")
      return
    }
  }
}

@Suite struct FieldTextTests {
  private static let samples: [(PropertyType, Value)] = [
    (.bool, true), (.int8, -128), (.uint64, .uint(.max)), (.double, 0.1), (.double, .double(-.infinity)),
    (.float, .float(1.5)), (.string, "a\nb"), (.string, "a\r\nb"), (.string, " "), (.string, "مرحبا"),
    (.decimal, .decimal(Decimal(string: "0.10")!)), (.date, .date(Date(timeIntervalSinceReferenceDate: 0.25))),
    (.uuid, .uuid(UUID())), (.data, .data(Data((0..<200).map { UInt8($0) }))), (.url, .url(URL(string: "a://b?c=d")!)),
    (.nested, .object([.init("a", [1, "x", .null])])),
  ]

  @Test(arguments: samples.indices) func aTextGivesTheValueAgain(sample: Int) throws {
    let (type, value) = Self.samples[sample]
    let property = PropertySchema(name: "p", type: type, isOptional: true)
    let text = try #require(FieldText.text(value, of: property))
    #expect(try FieldText.value(text, of: property, old: value) == value)
    // As a browser sends it.
    let sent = text.replacingOccurrences(of: "\n", with: "\r\n")
    #expect(try FieldText.value(sent, of: property, old: value) == value)
  }

  @Test func whatAFormWouldChangeIsNoText() {
    let string = PropertySchema(name: "p", type: .string)
    #expect(FieldText.text("a\rb", of: string) == nil)
    #expect(FieldText.text("a\r\nb\nc", of: string) == nil)
    #expect(FieldText.text("\0", of: string) == nil)
    #expect(FieldText.text(.string(String(repeating: "x", count: 100_000)), of: string) == nil)
    // Dates inside of nested values would become strings.
    let nested = PropertySchema(name: "p", type: .nested)
    #expect(FieldText.text(.object([.init("d", .date(Date(timeIntervalSinceReferenceDate: 0)))]), of: nested) == nil)
  }

  @Test(arguments: [(PropertyType.int8, "128"), (.int8, ""), (.bool, "yes"), (.data, "0"), (.data, "zz"), (.uuid, "x")])
  func aTextOfAnotherTypeIsRefused(type: PropertyType, text: String) {
    #expect(throws: StorageError.self) { try FieldText.value(text, of: PropertySchema(name: "p", type: type)) }
  }
}
