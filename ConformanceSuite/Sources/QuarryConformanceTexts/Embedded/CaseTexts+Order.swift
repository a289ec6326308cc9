// scripts/embed-cases writes this file from ConformanceSuite/Texts/Order.case.

extension CaseTexts {
  /// The text of Order.case.
  static let order = #"""
    # The order of results: docs/contract.md, SORT.

    case SORT.default SORT-2
    Without an order objects come in the order of their keys.

    model Item
    id int64 key
    name string
    index name

    rows Item
                      id | name
                       5 | '1'
                      -3 | '-1'
                     900 | '0'
                       0 | '0'
     9223372036854775807 | '1'
    -9223372036854775808 | '0'
                       7 | '1'

    keys Item
    all               -> -9223372036854775808, -3, 0, 5, 7, 900, 9223372036854775807
    where name == '0' -> -9223372036854775808, 0, 900

    case SORT.ties-ascending SORT-2
    Ties of an ascending key are in the order of keys.

    model Item
    id int64 key
    rank int64 optional
    index rank

    rows Item
    id | rank
     0 |    0
     1 |    1
     2 |    2
     3 |    0
     4 |    1
     5 |    2
     6 |    0
     7 |    1
     8 |    2
     9 |    0
    10 |    1
    11 |    2
    12 |    0
    13 |    1
    14 |    2
    15 |    0
    16 |    1
    17 |    2
    18 |    0
    19 |    1

    keys Item
    order rank -> 0, 3, 6, 9, 12, 15, 18, 1, 4, 7, 10, 13, 16, 19, 2, 5, 8, 11, 14, 17

    case SORT.ties-descending SORT-2
    Ties of a descending key are in the order of keys turned round.

    model Item
    id int64 key
    rank int64 optional
    index rank

    rows Item
    id | rank
     0 |    0
     1 |    1
     2 |    2
     3 |    0
     4 |    1
     5 |    2
     6 |    0
     7 |    1
     8 |    2
     9 |    0
    10 |    1
    11 |    2
    12 |    0
    13 |    1
    14 |    2
    15 |    0
    16 |    1
    17 |    2
    18 |    0
    19 |    1

    keys Item
    order -rank -> 17, 14, 11, 8, 5, 2, 19, 16, 13, 10, 7, 4, 1, 18, 15, 12, 9, 6, 3, 0

    case SORT.ties-mixed SORT-2
    The direction of the last key alone decides about ties.

    model Item
    id int64 key
    rank int64 optional
    name string
    index rank
    index name

    rows Item
    id | rank | name
     0 |    0 | '0'
     1 |    1 | '1'
     2 |    2 | '0'
     3 |    0 | '1'
     4 |    1 | '0'
     5 |    2 | '1'
     6 |    0 | '0'
     7 |    1 | '1'
     8 |    2 | '0'
     9 |    0 | '1'
    10 |    1 | '0'
    11 |    2 | '1'
    12 |    0 | '0'
    13 |    1 | '1'
    14 |    2 | '0'
    15 |    0 | '1'
    16 |    1 | '0'
    17 |    2 | '1'
    18 |    0 | '0'
    19 |    1 | '1'

    keys Item
    order -rank, name -> 2, 8, 14, 5, 11, 17, 4, 10, 16, 1, 7, 13, 19, 0, 6, 12, 18, 3, 9, 15
    order rank, -name -> 15, 9, 3, 18, 12, 6, 0, 19, 13, 7, 1, 16, 10, 4, 17, 11, 5, 14, 8, 2

    case SORT.by-key-first SORT-2
    What follows the primary key in an order decides nothing.

    model Item
    id int64 key
    rank int64 optional
    index rank

    rows Item
    id | rank
     0 |   10
     1 |    9
     2 |    8
     3 |    7
     4 |    6
     5 |    5
     6 |    4
     7 |    3
     8 |    2
     9 |    1

    keys Item
    order -id, rank -> 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
    order id, -rank -> 0, 1, 2, 3, 4, 5, 6, 7, 8, 9

    case SORT.repeated SORT-2
    A property that is named again in an order decides nothing.

    model Item
    id int64 key
    rank int64 optional
    name string
    index rank

    rows Item
    id | rank | name
     0 |    0 | '0'
     1 |    1 | '1'
     2 |    0 | '2'
     3 |    1 | '0'
     4 |    0 | '1'
     5 |    1 | '2'
     6 |    0 | '0'
     7 |    1 | '1'
     8 |    0 | '2'
     9 |    1 | '0'

    keys Item
    order rank, -rank, name -> 0, 6, 4, 2, 8, 3, 9, 1, 7, 5

    case SORT.signs SORT-1 SORT-2
    An order by text has one sign before a name, or none.

    model Item
    id int64 key
    rank int64 optional
    index rank

    rows Item
    id | rank
     0 |    0
     1 |    3
     2 |    2
     3 |    1

    keys Item
    order rank          -> 0, 3, 2, 1
    order +rank         -> 0, 3, 2, 1
    order -rank         -> 1, 2, 3, 0
    order + rank , - id -> 0, 3, 2, 1
    order - rank,+id    -> 1, 2, 3, 0
    order -+rank        -> error invalidQuery
    order +-rank        -> error invalidQuery
    order --rank        -> error invalidQuery
    order ++rank        -> error invalidQuery
    order -             -> error invalidQuery
    order +             -> error invalidQuery
    order rank,         -> error invalidQuery
    order ,rank         -> error invalidQuery
    order rank -id      -> error invalidQuery
    order -1            -> error invalidQuery

    case SORT.unordered SORT-5 NEST-4
    Sorting by an array is unsupported.

    model Item
    id int64 key
    tags array of string

    rows Item
    id | tags
     1 | {}

    keys Item
    order tags -> error unsupported querySort tags
    """#
}
