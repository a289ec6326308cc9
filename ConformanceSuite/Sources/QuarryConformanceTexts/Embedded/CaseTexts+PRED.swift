// scripts/embed-cases writes this file from ConformanceSuite/Texts/PRED.case.

extension CaseTexts {
  static let pred = #"""
    # Conditions: docs/contract.md, PRED.

    case PRED.three-conditions PRED-4
    Each of three conditions counts in AND and in OR.

    model Item
    id int64 key
    rank int64 optional
    name string
    score double
    index rank
    index name -score

    rows Item id, rank, name, score
    0, 0, '', 0
    1, 1, '', 0
    2, 0, 'x', 0
    3, 1, 'x', 0
    4, 0, '', 1
    5, 1, '', 1
    6, 0, 'x', 1
    7, 1, 'x', 1

    query Item
    where rank == 1 AND name == 'x' AND score == 1
    columns id
    ----
    7

    query Item
    where rank == 1 OR name == 'x' OR score == 1
    columns id
    ----
    1
    2
    3
    4
    5
    6
    7

    query Item
    where NOT (rank == 1 OR name == 'x' OR score == 1)
    columns id
    ----
    0
    """#
}
