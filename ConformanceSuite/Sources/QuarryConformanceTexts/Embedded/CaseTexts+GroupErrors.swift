// scripts/embed-cases writes this file from ConformanceSuite/Texts/GroupErrors.case.

extension CaseTexts {
  /// The text of GroupErrors.case.
  static let groupErrors = #"""
    # Groups and figures that are refused: docs/contract.md, GRP-7.

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

    case GRP.wrong-names GRP-7
    Unknown names, and columns of one name twice, are no query.

    figures Figure
    sum(nothing)                -> error invalidQuery
    nothing(value)              -> error invalidQuery
    count, count                -> error invalidQuery
    sum(value) as a, count as a -> error invalidQuery

    query Figure
    figures
    error invalidQuery

    figures Figure
    sum                        -> error invalidQuery
    sum(value                  -> error invalidQuery
    count; group nothing       -> error invalidQuery
    count; having nothing > 1  -> error invalidQuery
    count; group-order nothing -> error invalidQuery
    count; group-limit -1      -> error invalidQuery

    query Nothing
    figures count
    error invalidQuery

    case GRP.wrong-types GRP-7
    A function that a type does not have is no query.

    model Item
    id int64 key
    code string
    name string
    note string optional
    tags array of string
    unique code

    rows Item
    id | code | name | note | tags
     1 | 'c1' | ''   |  nil | {'x'}

    figures Item
    sum(name)         -> error invalidQuery
    average(note)     -> error invalidQuery
    deviation(code)   -> error invalidQuery
    min(tags)         -> error invalidQuery
    distinct(tags)    -> error invalidQuery
    median(tags)      -> error invalidQuery
    count; group tags -> error invalidQuery

    case GRP.empty-store GRP-7
    What is wrong is wrong without objects too.

    store

    figures Figure
    sum(group)             -> error invalidQuery
    percentile(value, 101) -> error invalidQuery
    """#
}
