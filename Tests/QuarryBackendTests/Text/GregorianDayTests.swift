import Testing

@testable import QuarryBackend

@Suite struct GregorianDayTests {
  @Test func everyDayOfTheCalendarHasItsNumber() throws {
    var number = GregorianDay.number(0, 1, 1)
    for year in 0...9_999 {
      // The days within a month follow one another; the ends of months are what can go wrong.
      for month in 1...12 {
        let count = GregorianDay.count(ofMonth: month, year)
        #expect(GregorianDay.number(year, month, 1) == number)
        let last = try #require(GregorianDay.date(number + count - 1))
        #expect(last.year == year && last.month == month && last.day == count)
        number += count
      }
    }
    #expect(GregorianDay.date(number) == nil)
    #expect(GregorianDay.number(2_001, 1, 1) == 0)
  }
}
