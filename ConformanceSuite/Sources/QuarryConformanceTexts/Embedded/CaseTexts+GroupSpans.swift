// scripts/embed-cases writes this file from ConformanceSuite/Texts/GroupSpans.case.

extension CaseTexts {
  /// The text of GroupSpans.case.
  static let groupSpans = #"""
    # Groups of dates by spans of time: docs/contract.md, GRP-8.

    model Measurement
    id int64 key
    taken date
    checked date optional
    value double optional
    index taken

    rows Measurement
    id | taken                  | checked                | value
     0 | '2024-02-29T23:59:59Z' | '2024-02-29T23:59:59Z' |     0
     1 | '2024-03-01T00:00:00Z' | nil                    |     1
     2 | '2024-03-31T12:00:00Z' | '2024-03-31T12:00:00Z' |     2
     3 | '2023-12-31T23:59:59Z' | nil                    |     3
     4 | '2024-01-01T00:00:00Z' | '2024-01-01T00:00:00Z' |     4

    case GRP.spans GRP-8
    The value of a group is the first instant of its year, quarter, month, week or day.

    query Measurement
    group year(taken)
    figures count
    ----
    '2023-01-01T00:00:00Z' | 1
    '2024-01-01T00:00:00Z' | 4

    query Measurement
    group quarter(taken)
    figures count
    ----
    '2023-10-01T00:00:00Z' | 1
    '2024-01-01T00:00:00Z' | 4

    query Measurement
    group month(taken)
    figures count, sum(value)
    ----
    '2023-12-01T00:00:00Z' | 1 | 3
    '2024-01-01T00:00:00Z' | 1 | 4
    '2024-02-01T00:00:00Z' | 1 | 0
    '2024-03-01T00:00:00Z' | 2 | 3

    query Measurement
    group day(taken)
    figures count
    ----
    '2023-12-31T00:00:00Z' | 1
    '2024-01-01T00:00:00Z' | 1
    '2024-02-29T00:00:00Z' | 1
    '2024-03-01T00:00:00Z' | 1
    '2024-03-31T00:00:00Z' | 1

    case GRP.weeks GRP-8
    Weeks begin on Monday.

    query Measurement
    group week(taken)
    figures count
    ----
    '2023-12-25T00:00:00Z' | 1
    '2024-01-01T00:00:00Z' | 1
    '2024-02-26T00:00:00Z' | 2
    '2024-03-25T00:00:00Z' | 1

    case GRP.hours GRP-8
    Hours and minutes begin with their first instant, before 2001 and before 1970 too.

    store

    rows Measurement
    id | taken
     0 | '2001-01-01T00:00:00Z'
     1 | '2000-12-31T23:59:59.999Z'
     2 | '1969-12-31T23:30:30Z'
     3 | '1969-12-31T23:30:59Z'

    query Measurement
    group hour(taken)
    figures count
    ----
    '1969-12-31T23:00:00Z' | 2
    '2000-12-31T23:00:00Z' | 1
    '2001-01-01T00:00:00Z' | 1

    query Measurement
    group minute(taken)
    figures count
    ----
    '1969-12-31T23:30:00Z' | 2
    '2000-12-31T23:59:00Z' | 1
    '2001-01-01T00:00:00Z' | 1

    case GRP.early-dates GRP-8
    The calendar is the Gregorian one, also before 1582.

    store

    rows Measurement
    id | taken
     0 | '1500-02-28T12:00:00Z'
     1 | '1500-03-01T12:00:00Z'
     2 | '0000-02-29T00:00:00Z'
     3 | '9999-12-31T23:59:59Z'

    query Measurement
    group month(taken)
    figures count
    ----
    '0000-02-01T00:00:00Z' | 1
    '1500-02-01T00:00:00Z' | 1
    '1500-03-01T00:00:00Z' | 1
    '9999-12-01T00:00:00Z' | 1

    case GRP.spans-in-figures GRP-8
    Figures may use spans, and so may conditions and orders of groups.

    figures Measurement
    distinct(day(taken)), distinct(year(taken)), max(quarter(taken)) -> 5 | 2 | '2024-01-01T00:00:00Z'

    query Measurement
    group month(taken)
    figures count, distinct(day(taken)) as days
    having month(taken) > '2024-01-01T00:00:00Z'
    group-order -month(taken)
    ----
    '2024-03-01T00:00:00Z' | 2 | 2
    '2024-02-01T00:00:00Z' | 1 | 1

    case GRP.no-spans GRP-8
    A span of what is no date, and of a date outside the calendar, is refused.

    figures Measurement
    count; group month(value)   -> error invalidQuery
    count; group month(nothing) -> error invalidQuery
    count; group decade(taken)  -> error invalidQuery
    count; group month()        -> error invalidQuery
    count; group month(taken    -> error invalidQuery

    # Seconds since 2001, and no year of the calendar.
    rows Measurement
    id | taken
    99 | date '1e15'

    figures Measurement
    count; group month(taken) -> error invalidValue Measurement
    distinct(taken)           -> 6
    """#
}
