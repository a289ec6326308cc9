import Foundation
import QuarryBackend
import Testing

@Suite struct StorageErrorTests {
  @Test(arguments: StorageError.Code.all)
  func localizedDescriptionSaysWhatTheDescriptionSays(_ code: StorageError.Code) {
    let error = StorageError(code, "it went wrong", model: "Book", property: "place", key: "7").at("lines[2]")
    #expect(error.description == "\(code): it went wrong (model Book, property place, at lines[2], key 7)")
    #expect((error as any Error).localizedDescription == error.description)
    #expect(error.failureReason == "it went wrong")
    #expect(error.recoverySuggestion?.isEmpty != true)
  }

  @Test func anErrorIsAnNSErrorWithWhatItIsAbout() throws {
    struct Cause: Error {}
    let error = StorageError(.duplicateKey, "taken", model: "Book", property: "id", key: "7", cause: Cause())
    let bridged = error as NSError
    #expect(bridged.domain == "Quarry.StorageError")
    #expect(bridged.code == 8)
    #expect(bridged.localizedDescription == error.description)
    #expect(error.errorUserInfo["model"] as? String == "Book")
    #expect(error.errorUserInfo["key"] as? String == "7")
    #expect(error.errorUserInfo[NSUnderlyingErrorKey] is Cause)
    #expect(Set(StorageError.Code.all.map { StorageError($0, "").errorCode }).count == StorageError.Code.all.count)
  }

  @Test func placesAreReadFromTheOutside() {
    let inner = StorageError(.invalidValue, "wrong").at("city")
    #expect(inner.place == "city")
    #expect(inner.at("[2]").place == "[2].city")
    #expect(inner.at("[2]").at("lines").place == "lines[2].city")
    #expect(inner.with(model: "Book", property: "address", key: "1").place == "city")
  }

  @Test func exactTextsReadBackAsTheSameDate() throws {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<5_000 {
      let seconds = Double.random(in: -63_145_526_400..<252_423_993_600, using: &random)
      for value in [seconds, seconds.rounded(), (seconds * 1_000).rounded() / 1_000, seconds / 1e9] {
        let text = ISO8601Text.exactText(Date(timeIntervalSinceReferenceDate: value))
        let date = try #require(ISO8601Text.date(text), "\(text)")
        #expect(
          abs(date.timeIntervalSinceReferenceDate - value) <= max(value.magnitude.ulp, 1e-18), "\(value): \(text)")
      }
    }
  }
}
