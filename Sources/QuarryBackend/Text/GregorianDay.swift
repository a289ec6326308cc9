/// The Gregorian calendar, also before it was introduced: days counted from 2001-01-01, with which `Date` begins.
package enum GregorianDay {
  /// The days from the first of March of the year 0, with which the cycles of 400 years begin, to 2001-01-01.
  private static let beginning = 730_791

  /// The number of days of a month.
  static func count(ofMonth month: Int, _ year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// The number of a day of a year from 0 to 9999.
  package static func number(_ year: Int, _ month: Int, _ day: Int) -> Int {
    // Years begin in March here, so that the leap day is the last day of a year.
    let shifted = month > 2 ? year : year - 1
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let leapDays = quotient(shifted, 4).quotient - quotient(shifted, 100).quotient + quotient(shifted, 400).quotient
    return shifted * 365 + leapDays + dayOfYear - beginning
  }

  /// The day with that number; nil where the year has not four digits.
  package static func date(_ number: Int) -> (year: Int, month: Int, day: Int)? {
    let (cycle, dayOfCycle) = quotient(number + beginning, 146_097)
    let year = (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    let civilYear = year + cycle * 400 + (month >= 10 ? 1 : 0)
    guard (0...9_999).contains(civilYear) else { return nil }
    return (civilYear, month >= 10 ? month - 9 : month + 3, dayOfYear - (153 * month + 2) / 5 + 1)
  }

  /// Quotient and remainder with a remainder that is not negative.
  package static func quotient(_ number: Int, _ divisor: Int) -> (quotient: Int, remainder: Int) {
    let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
