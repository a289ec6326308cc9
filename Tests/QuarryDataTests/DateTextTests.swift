import Foundation
import QuarryBackend
import QuarryTestSupport
import Testing

@Suite struct DateTextTests {
  @Test(
    arguments: [
      (0, "2001-01-01T00:00:00Z"), (0.1, "2001-01-01T00:00:00.1Z"), (-0.25, "2000-12-31T23:59:59.75Z"),
      (5e-05, "2001-01-01T00:00:00.00005Z"), (-1, "2000-12-31T23:59:59Z"), (-978_307_200, "1970-01-01T00:00:00Z"),
      (-978_307_200.5, "1969-12-31T23:59:59.5Z"), (-63_145_526_400, "0000-01-01T00:00:00Z"),
      (-63_113_990_400, "0000-12-31T00:00:00Z"), (-63_145_526_401, "@-63145526401.0"),
      (252_423_993_599, "9999-12-31T23:59:59Z"), (252_423_993_600, "@252423993600.0"), (1e300, "@1e+300"),
      (-.infinity, "@-inf"),
      (.leastNonzeroMagnitude, "2001-01-01T00:00:00." + String(repeating: "0", count: 323) + "5Z"),
    ] as [(Double, String)])
  func texts(_ seconds: Double, _ text: String) {
    #expect(ISO8601Text.exactText(Date(timeIntervalSinceReferenceDate: seconds)) == text)
  }

  @Test func everyDateComesBack() throws {
    var seed = SeededGenerator(seed: 20_260_905)
    for _ in 0..<20_000 {
      let seconds = Double.random(in: -63_145_526_400..<252_423_993_600, using: &seed)
      for value in [seconds, seconds / 1e6, (seconds * 1000).rounded() / 1000, seconds.rounded(), seconds / 1e9] {
        let text = ISO8601Text.exactText(Date(timeIntervalSinceReferenceDate: value))
        let back = try #require(ISO8601Text.exactDate(text.utf8))
        #expect(back.timeIntervalSinceReferenceDate.bitPattern == value.bitPattern, "\(text)")
      }
    }
  }

  @Test func daysAreThoseOfFoundation() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    // After 1582 both calendars are the same.
    for day in stride(from: -150_000, to: 2_900_000, by: 97) {
      let date = Date(timeIntervalSinceReferenceDate: Double(day) * 86_400)
      let parts = calendar.dateComponents([.year, .month, .day], from: date)
      let expected = try [#require(parts.year), #require(parts.month), #require(parts.day)]
      let text = ISO8601Text.exactText(date).prefix(10).split(separator: "-").map { Int($0) ?? 0 }
      #expect(text == expected)
    }
  }

  @Test func offsetsAreTakenOff() {
    let date = ISO8601Text.exactDate("2026-01-01T01:30:00.5+01:30".utf8)
    #expect(date.map(ISO8601Text.exactText) == "2026-01-01T00:00:00.5Z")
    #expect(
      ISO8601Text.exactDate("2025-12-31T22:00:00-02:00".utf8).map(ISO8601Text.exactText) == "2026-01-01T00:00:00Z")
  }

  @Test(arguments: [
    "", "2026-01-01", "2026-01-01T00:00:00", "2026-01-01 00:00:00Z", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z",
    "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z", "2026-01-01T00:00:00.Z",
    "2026-01-01T00:00:00+0100", "2026-01-01T00:00:00ZZ", "@", "@x",
  ])
  func wrongTexts(_ text: String) {
    #expect(ISO8601Text.exactDate(text.utf8) == nil)
  }
}
