// scripts/embed-cases writes this file from ConformanceSuite/Texts/GroupFigures.case.

extension CaseTexts {
  /// The text of GroupFigures.case.
  static let groupFigures = #"""
    # Medians, first and last objects, and other figures of groups: docs/contract.md, GRP.

    model Figure
    id int64 key
    group string optional
    number int64 optional
    value double optional
    price decimal optional
    index group number
    index -value

    rows Figure
    id | group | number | value | price
     1 | 'b'   |      3 |   1.5 |     1
     2 | 'a'   |      1 |     2 |     2
     3 | nil   |      2 |   nil |   nil
     4 | 'b'   |    nil |     4 |     3
     5 | 'a'   |      1 |     8 |     4
     6 | 'b'   |      3 |    16 |     8

    case GRP.nil-is-left-out GRP-3
    Every figure leaves out nil.

    store

    rows Figure
    id | group | number
     1 | 'a'   |    nil
     2 | 'a'   |      4
     3 | 'b'   |    nil
     4 | 'b'   |    nil

    query Figure
    group group
    figures count, count(number), distinct(number), sum(number), average(number), min(number)
    ----
    'a' | 2 | 1 | 1 |   4 |   4 |   4
    'b' | 2 | 0 | 0 | nil | nil | nil

    query Figure
    group group
    figures median(number), percentile(number, 90), deviation(number)
    ----
    'a' |   4 |   4 | nil
    'b' | nil | nil | nil

    case GRP.median-of-integers GRP-3
    The median of an even number of integers is their exact mean, rounded once.

    lists Figure number -> median(number)
    9223372036854775807, 9223372036854775806, 0, 9223372036854775807 -> 9223372036854775808
    9223372036854775806, 0, 9223372036854775807                      -> 9223372036854775808
    0, 9223372036854775807                                           -> 4611686018427387904

    case GRP.median-of-decimals GRP-3
    The median of decimals is exact.

    lists Figure price -> median(price)
    0.1, 0.2, 0.30, 7 -> 0.25
    0.2, 0.30, 7      -> 0.3

    case GRP.overflow GRP-7
    A sum that does not fit its type is an error, and no other figure is.

    store

    rows Figure
    id |              number
     1 | 9223372036854775807
     2 |                   1

    figures Figure
    sum(number)                 -> error invalidValue
    sum(number), median(number) -> error invalidValue
    median(number)              -> 4611686018427387904

    case GRP.first-and-last GRP-4
    The first and the last object are found by another column.

    query Figure
    group group
    figures first(id, value), last(id, value), first(id, -value), last(id, -value)
    ----
    nil | nil | nil | nil | nil
    'a' |   2 |   5 |   5 |   2
    'b' |   1 |   6 |   6 |   1

    case GRP.ties-of-ends GRP-4
    The primary key breaks ties of the first and the last.

    query Figure
    group group
    figures first(id, number), last(id, number)
    ----
    nil | 3 | 3
    'a' | 2 | 5
    'b' | 1 | 6
    """#
}
