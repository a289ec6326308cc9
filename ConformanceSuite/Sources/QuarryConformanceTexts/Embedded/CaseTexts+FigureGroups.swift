// scripts/embed-cases writes this file from ConformanceSuite/Texts/FigureGroups.case.

extension CaseTexts {
  /// The text of FigureGroups.case.
  static let figureGroups = #"""
    # Figures of groups, and of a part of the objects: docs/contract.md, AGG.

    model Figure
    id int64 key
    group string optional
    number int64 optional
    value double optional
    index group number
    index -value

    case AGG.assigned-sum AGG-5 PAGE-1
    Limit and offset choose what is added up.

    rows Figure
    id | number
     0 |      0
     1 |      1
     2 |      2
     3 |      3
     4 |      4
     5 |      5
     6 |      6
     7 |      7
     8 |      8
     9 |      9

    figures Figure
    sum(number); order -number; offset 1; limit 3     -> 21
    min(number); order -number; offset 1; limit 3     -> 6
    max(number); order -number; offset 1; limit 3     -> 8
    average(number); order -number; offset 1; limit 3 -> 7
    sum(number); order -number; offset 1; limit 0     -> nil

    query Figure
    order -number
    offset 1
    limit 3
    group number
    figures count
    ----
    6 | 1
    7 | 1
    8 | 1

    case AGG.distinct AGG-4
    Distinct values come in ascending order, nil first.

    rows Figure
    id | group | value
     0 | '0'   | 2
     1 | '1'   | nil
     2 | '0'   | double 'nan'
     3 | '1'   | double '-0.0'
     4 | '0'   | 0
     5 | '1'   | -1
     6 | '0'   | 2
     7 | '1'   | double '-nan'
     8 | '0'   | nil

    query Figure
    group value
    figures count
    ----
    nil          | 2
    -1           | 1
    0            | 2
    2            | 2
    double 'nan' | 2

    query Figure
    group group
    figures count
    ----
    '0' | 5
    '1' | 4

    query Figure
    where id < 0
    group group
    figures count
    ----

    case AGG.count-by AGG-4
    Objects are counted for each value.

    rows Figure
    id | group      | number
     0 | 'b'        |      0
     1 | nil        |      1
     2 | 'a'        |      2
     3 | 'b'        |      3
     4 | 'e\u{301}' |      4
     5 | '\u{E9}'   |      5
     6 | nil        |      6

    query Figure
    group group
    figures count, max(number), min(number), average(number)
    ----
    nil        | 2 | 6 | 1 | 3.5
    'a'        | 1 | 2 | 2 |   2
    'b'        | 2 | 3 | 0 | 1.5
    'e\u{301}' | 1 | 4 | 4 |   4
    '\u{E9}'   | 1 | 5 | 5 |   5

    query Figure
    where number != 3
    group group
    figures sum(number)
    ----
    nil        | 7
    'a'        | 2
    'b'        | 0
    'e\u{301}' | 4
    '\u{E9}'   | 5

    case AGG.group-of-nil AGG-1 AGG-4
    A group whose values are all nil has no sum.

    rows Figure
    id | group | number
     1 | 'a'   |    nil
     2 | 'b'   |      1
     3 | 'a'   |    nil

    query Figure
    group group
    figures sum(number)
    ----
    'a' | nil
    'b' |   1

    case AGG.two-groups AGG-4
    Groups of two properties are in the order of both.

    rows Figure
    id | group | number
     0 | nil   |     -1
     1 | 'a'   |      0
     2 | nil   |      1
     3 | 'a'   |     -1
     4 | nil   |      0
     5 | 'a'   |      1
     6 | nil   |     -1
     7 | 'a'   |      0
     8 | nil   |      1
     9 | 'a'   |     -1
    10 | nil   |      0
    11 | 'a'   |      1

    query Figure
    group group, number
    figures count, sum(number)
    ----
    nil | -1 | 2 | -2
    nil |  0 | 2 |  0
    nil |  1 | 2 |  2
    'a' | -1 | 2 | -2
    'a' |  0 | 2 |  0
    'a' |  1 | 2 |  2
    """#
}
