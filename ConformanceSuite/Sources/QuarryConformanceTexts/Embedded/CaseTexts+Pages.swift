// scripts/embed-cases writes this file from ConformanceSuite/Texts/Pages.case.

extension CaseTexts {
  /// The text of Pages.case.
  static let pages = #"""
    # Limits and offsets: docs/contract.md, PAGE.

    case PAGE.limit PAGE-1
    A limit takes at most that many; 0 none.

    model Item
    id int64 key
    rank int64 optional
    name string
    index rank
    index name

    rows Item
    id | rank | name
     0 |    0 | ''
     1 |   -1 | ''
     2 |   -2 | ''
     3 |   -3 | ''
     4 |   -4 | ''
     5 |   -5 | ''
     6 |   -6 | ''
     7 |   -7 | ''
     8 |   -8 | ''
     9 |   -9 | ''

    keys Item
    limit 0                                     -> none
    limit 1                                     -> 0
    limit 9                                     -> 0, 1, 2, 3, 4, 5, 6, 7, 8
    limit 10                                    -> 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
    limit 11                                    -> 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
    limit 9223372036854775807                   -> 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
    order -rank; limit 0                        -> none
    order -rank; limit 1                        -> 0
    order -rank; limit 9                        -> 0, 1, 2, 3, 4, 5, 6, 7, 8
    order -rank; limit 10                       -> 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
    order -rank; limit 11                       -> 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
    order -rank; limit 9223372036854775807      -> 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
    where name == ''; limit 0                   -> none
    where name == ''; limit 1                   -> 0
    where name == ''; limit 9                   -> 0, 1, 2, 3, 4, 5, 6, 7, 8
    where name == ''; limit 10                  -> 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
    where name == ''; limit 11                  -> 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
    where name == ''; limit 9223372036854775807 -> 0, 1, 2, 3, 4, 5, 6, 7, 8, 9

    case PAGE.offset PAGE-1
    An offset skips; past the end there is nothing.

    model Item
    id int64 key

    rows Item
    id
     0
     1
     2
     3
     4
     5
     6
     7
     8
     9

    keys Item
    offset 0                                              -> 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
    offset 1                                              -> 1, 2, 3, 4, 5, 6, 7, 8, 9
    offset 9                                              -> 9
    offset 10                                             -> none
    offset 11                                             -> none
    offset 9223372036854775807                            -> none
    offset 1; limit 9223372036854775807                   -> 1, 2, 3, 4, 5, 6, 7, 8, 9
    offset 9; limit 9223372036854775807                   -> 9
    offset 11; limit 9223372036854775807                  -> none
    offset 9223372036854775807; limit 9223372036854775807 -> none
    offset 0; limit 2                                     -> 0, 1
    offset 1; limit 2                                     -> 1, 2
    offset 9; limit 2                                     -> 9
    offset 10; limit 2                                    -> none
    offset 9223372036854775807; limit 2                   -> none
    """#
}
