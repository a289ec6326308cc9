import Foundation
import QuarryBackend
import QuarryCore
import Testing

@testable import QuarryStudio

@Suite struct EditTests {
  /// The fields of a form as its page has them.
  private func fields(of page: String) -> [(String, String)] {
    var fields: [(String, String)] = []
    for tag in page.components(separatedBy: "<input ").dropFirst() {
      let tag = tag.prefix { $0 != ">" }
      func attribute(_ name: String) -> String? {
        tag.range(of: " \(name)=\"").map { range in
          String(tag[range.upperBound...].prefix { $0 != "\"" })
            .replacingOccurrences(of: "&lt;", with: "<").replacingOccurrences(of: "&amp;", with: "&")
        }
      }
      let all = " " + tag
      guard let name = all.range(of: " name=\"").map({ String(all[$0.upperBound...].prefix { $0 != "\"" }) }) else {
        continue
      }
      if tag.contains("type=\"checkbox\"") && !tag.contains(" checked") { continue }
      fields.append((name, attribute("value") ?? ""))
    }
    return fields
  }

  private func changed(_ fields: [(String, String)], _ changes: [String: String?]) -> [(String, String)] {
    var fields = fields.filter { changes[$0.0] == nil }
    for case (let name, let value?) in changes { fields.append((name, value)) }
    return fields
  }

  private func editForm(_ browser: Browser, _ key: Int = 1) async throws -> [(String, String)] {
    fields(of: try await browser.get("/edit?model=Order&key=\(key)").body)
  }

  @Test func anEditIsSaved() async throws {
    let store = try Shop.store()
    let browser = try await Browser.entered(store, writes: true)
    let form = try await editForm(browser)
    let answer = try await browser.post("/save", changed(form, ["f2": "77", "f3": "a note", "n3": nil as String?]))
    #expect(answer.status == 303)
    #expect(answer.header("Location") == "/object?model=Order&key=1&done=saved")
    #expect(try Shop.value("amount", of: 1, in: "Order", store) == 77)
    #expect(try Shop.value("note", of: 1, in: "Order", store) == "a note")
  }

  @Test func nilAndEmptyAreDifferent() async throws {
    let store = try Shop.store()
    let browser = try await Browser.entered(store, writes: true)
    let form = try await editForm(browser)
    #expect(form.contains { $0.0 == "n3" && $0.1 == "1" })
    _ = try await browser.post("/save", changed(form, ["n3": nil as String?]))
    #expect(try Shop.value("note", of: 1, in: "Order", store) == "")
    let again = try await editForm(browser)
    #expect(!again.contains { $0.0 == "n3" })
    _ = try await browser.post("/save", changed(again, ["n3": "1"]))
    #expect(try Shop.value("note", of: 1, in: "Order", store) == .null)
  }

  @Test func whatCannotBeReadStaysInTheForm() async throws {
    let store = try Shop.store()
    let browser = try await Browser.entered(store, writes: true)
    let form = try await editForm(browser)
    let answer = try await browser.post("/save", changed(form, ["f2": "<many>", "f3": "typed", "n3": nil as String?]))
    #expect(answer.status == 422)
    #expect(answer.body.contains("value=\"&lt;many&gt;\""))
    #expect(answer.body.contains("value=\"typed\""))
    #expect(answer.body.contains("class=\"error\" id=\"e2\""))
    #expect(try Shop.value("note", of: 1, in: "Order", store) == .null)
    let missing = try await browser.post("/save", changed(form, ["f1": "99"]))
    #expect(missing.status == 409)
    #expect(missing.body.contains("value=\"99\""))
  }

  @Test func aConflictShowsAllThreeAndIsResolved() async throws {
    let store = try Shop.store()
    let browser = try await Browser.entered(store, writes: true)
    let form = try await editForm(browser)
    try Shop.write(store) { tx in
      try tx.records.upsert(
        into: "Order", [Record(["id": 1, "amount": 500, "customer": 1])], updating: ["amount", "customer"])
    }
    let answer = try await browser.post("/save", changed(form, ["f2": "77"]))
    #expect(answer.status == 409)
    for text in ["<bdi>10</bdi>", "<bdi>77</bdi>", "<bdi>500</bdi>"] { #expect(answer.body.contains(text), "\(text)") }
    #expect(try Shop.value("amount", of: 1, in: "Order", store) == 500)
    // Saved again, it is over theirs, and the other change of theirs stays.
    let second = try await browser.post("/save", fields(of: answer.body))
    #expect(second.status == 303)
    #expect(try Shop.value("amount", of: 1, in: "Order", store) == 77)
    #expect(try Shop.value("customer", of: 1, in: "Order", store) == 1)
  }

  @Test func aMistakeDoesNotHideAConflict() async throws {
    let store = try Shop.store()
    let browser = try await Browser.entered(store, writes: true)
    let form = try await editForm(browser)
    try Shop.write(store) { tx in
      try tx.records.upsert(into: "Order", [Record(["id": 1, "amount": 500])], updating: ["amount"])
    }
    let wrong = try await browser.post("/save", changed(form, ["f2": "many"]))
    #expect(wrong.status == 422)
    let right = try await browser.post("/save", changed(fields(of: wrong.body), ["f2": "78"]))
    #expect(right.status == 409)
    #expect(try Shop.value("amount", of: 1, in: "Order", store) == 500)
  }

  @Test func anObjectThatIsGoneIsSaid() async throws {
    let store = try Shop.store()
    let browser = try await Browser.entered(store, writes: true)
    let form = try await editForm(browser)
    try Shop.write(store) { tx in try tx.records.delete(in: "Order", keys: [1]) }
    #expect(try await browser.post("/save", changed(form, ["f2": "77"])).status == 404)
  }

  @Test func anObjectIsAdded() async throws {
    let store = try Shop.store()
    let browser = try await Browser.entered(store, writes: true)
    let form = fields(of: try await browser.get("/new?model=Order").body)
    let right = changed(form, ["f0": "900", "f1": "1", "n1": nil as String?, "f2": "5"])
    #expect(try await browser.post("/insert", right).header("Location") == "/object?model=Order&key=900&done=added")
    #expect(try Shop.value("amount", of: 900, in: "Order", store) == 5)
    let again = try await browser.post("/insert", right)
    #expect(again.status == 409)
    #expect(again.body.contains("value=\"900\""))
    #expect(try await browser.post("/insert", changed(right, ["f0": "x"])).status == 422)
  }

  @Test func aDeletionIsShownBeforeItIsDone() async throws {
    let store = try Shop.store()
    let browser = try await Browser.entered(store, writes: true)
    let page = try await browser.get("/delete?model=Customer&key=1").body
    #expect(page.contains("61 objects"))
    #expect(page.contains("removed too"))
    let form = fields(of: page)
    try Shop.insert("Customer", Record(["id": 9, "name": "other"]), store)
    #expect(try await browser.post("/delete", form).status == 303)
    #expect(try Shop.value("name", of: 1, in: "Customer", store) == nil)
    #expect(try Shop.value("amount", of: 2, in: "Order", store) == nil)
    #expect(try Shop.value("amount", of: 1, in: "Order", store) == 10)
  }

  @Test func aDeletionOfWhatWasChangedIsNotDone() async throws {
    let store = try Shop.store()
    let browser = try await Browser.entered(store, writes: true)
    let form = fields(of: try await browser.get("/delete?model=Order&key=1").body)
    try Shop.write(store) { tx in
      try tx.records.upsert(into: "Order", [Record(["id": 1, "amount": 500])], updating: ["amount"])
    }
    let answer = try await browser.post("/delete", form)
    #expect(answer.status == 409)
    #expect(try Shop.value("amount", of: 1, in: "Order", store) == 500)
    #expect(try await browser.post("/delete", fields(of: answer.body)).status == 303)
  }
}
