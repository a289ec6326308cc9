// scripts/embed-cases writes this file from ConformanceSuite/Texts/Groups.case.

extension CaseTexts {
  /// The text of Groups.case.
  static let groups = #"""
    # Groups and their figures: docs/contract.md, GRP.

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

    case GRP.ascending GRP-1
    Groups come in ascending order of their values, nil first.

    query Figure
    group group
    figures count
    ----
    nil | 1
    'a' | 2
    'b' | 3

    # The same where a figure is computed above the engine.
    query Figure
    group group
    figures distinct(id)
    ----
    nil | 1
    'a' | 2
    'b' | 3

    case GRP.several-columns GRP-1
    Groups of several columns come column by column.

    query Figure
    group group, number
    figures count, distinct(id)
    ----
    nil |   2 | 1 | 1
    'a' |   1 | 2 | 2
    'b' | nil | 1 | 1
    'b' |   3 | 2 | 2

    query Figure
    group number, group
    figures count
    ----
    nil | 'b' | 1
      1 | 'a' | 2
      2 | nil | 1
      3 | 'b' | 2

    case GRP.equal-numbers GRP-1
    Zeros are one group, and so are NaNs.

    model Figure
    id int64 key
    value double optional
    ratio float optional
    index -value

    rows Figure
    id | value         | ratio
     1 | double '-0.0' | 0
     2 | 0             | float '-0.0'
     3 | double 'nan'  | float 'nan'
     4 | double '-nan' | float '-nan'
     5 | double 'inf'  | 1
     6 | -1            | -1

    query Figure
    group value
    figures count
    ----
    -1           | 1
    0            | 2
    double 'inf' | 1
    double 'nan' | 2

    query Figure
    group value
    figures distinct(id)
    ----
    -1           | 1
    0            | 2
    double 'inf' | 1
    double 'nan' | 2

    query Figure
    group ratio
    figures distinct(id)
    ----
    -1          | 1
    0           | 2
    1           | 1
    float 'nan' | 2

    figures Figure
    distinct(value) -> 4

    case GRP.equal-decimals GRP-1
    Decimals of one value are one group.

    model Figure
    id int64 key
    price decimal optional

    rows Figure
    id | price
     1 | '1'
     2 | '1.00'
     3 | '1.01'

    query Figure
    group price
    figures count
    ----
       1 | 2
    1.01 | 1

    query Figure
    group price
    figures distinct(id)
    ----
       1 | 2
    1.01 | 1

    case GRP.no-objects GRP-1
    Without objects there are no groups; figures are of one.

    store

    query Figure
    group group
    figures count
    ----

    query Figure
    group group
    figures median(value)
    ----

    figures Figure
    count, sum(number), median(value), last(group, id) -> 0 | nil | nil | nil

    case GRP.chosen GRP-1
    Groups are those of the chosen objects.

    query Figure
    where number > 1
    group group
    figures count
    ----
    nil | 1
    'b' | 2

    query Figure
    where number > 1
    group group
    figures distinct(number)
    ----
    nil | 1
    'b' | 1

    figures Figure
    count, sum(number); where number > 1 -> 3 | 8

    case GRP.condition-on-groups GRP-5
    A condition on groups may name any figure.

    query Figure
    group group
    figures count
    having count > 1
    ----
    'a' | 2
    'b' | 3

    # A figure that is not in the result.
    query Figure
    group group
    figures count
    having sum(value) > 10.0
    ----
    'b' | 3

    query Figure
    group group
    figures count
    having group == nil
    ----
    nil | 1

    query Figure
    group group
    figures count
    having max(number) == 3 OR median(number) == 2.0
    ----
    nil | 1
    'b' | 3

    query Figure
    group group
    figures count
    having count > 9
    ----

    case GRP.order-of-groups GRP-5
    Groups that tie stay in the order of their values; the limit is last.

    query Figure
    group group
    figures count
    group-order -count
    ----
    'b' | 3
    'a' | 2
    nil | 1

    query Figure
    group group
    figures count
    group-order -count
    group-limit 1
    ----
    'b' | 3

    query Figure
    group group
    figures count
    having count < 3
    group-order -count
    group-limit 1
    ----
    'a' | 2

    query Figure
    group group
    figures count
    group-order -group
    ----
    'b' | 3
    'a' | 2
    nil | 1

    # Ties in a figure that is not in the result.
    query Figure
    group group
    figures count
    group-order distinct(number)
    ----
    nil | 1
    'a' | 2
    'b' | 3

    query Figure
    group group
    figures count
    group-order count
    group-limit 0
    ----

    query Figure
    group group
    figures count
    group-order count
    group-limit 99
    ----
    nil | 1
    'a' | 2
    'b' | 3

    case GRP.names GRP-5
    A figure can have a name, by which conditions and orders know it.

    query Figure
    group group
    figures count as n, sum(price) as `all of it`
    having n > 1
    group-order -`all of it`
    ----
    'b' | 3 | 12
    'a' | 2 |  6
    """#
}
