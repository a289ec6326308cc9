// scripts/embed-cases writes this file from ConformanceSuite/Texts/AGG-integers.case.

extension CaseTexts {
  static let aggIntegers = #"""
    # Sums and averages of integers: docs/contract.md, AGG.

    case AGG.integer-sum AGG-2
    Integers are added exactly at both ends of the range.

    model Figure
    id int64 key
    number int64 optional
    index number

    rows Figure id, number
    0, 9223372036854775807

    query Figure
    columns sum number
    ----
    9223372036854775807

    store

    rows Figure id, number
    0, -9223372036854775808

    query Figure
    columns sum number
    ----
    -9223372036854775808

    store

    rows Figure id, number
    0, 9223372036854775807
    1, -9223372036854775808

    query Figure
    columns sum number
    ----
    -1

    store

    rows Figure id, number
    0, 9223372036854775807
    1, 1
    2, -1

    query Figure
    columns sum number
    ----
    9223372036854775807

    store

    rows Figure id, number
    0, 9223372036854775807
    1, 9223372036854775807
    2, -9223372036854775808
    3, -9223372036854775808

    query Figure
    columns sum number
    ----
    -2

    store

    rows Figure id, number
    0, -9223372036854775808
    1, -1
    2, 1

    query Figure
    columns sum number
    ----
    -9223372036854775808

    store

    rows Figure id, number
    0, 9007199254740992
    1, 1

    query Figure
    columns sum number
    ----
    9007199254740993

    store

    rows Figure id, number
    0, nil
    1, 5
    2, nil

    query Figure
    columns sum number
    ----
    5

    store

    query Figure
    columns sum number
    ----
    nil

    store

    rows Figure id, number
    0, nil

    query Figure
    columns sum number
    ----
    nil

    case AGG.integer-overflow AGG-2
    A total that does not fit is invalidValue.

    model Figure
    id int64 key
    number int64 optional
    index number

    rows Figure id, number
    0, 9223372036854775807
    1, 1

    query Figure
    columns sum number
    error invalidValue

    query Figure
    columns count
    ----
    2

    store

    rows Figure id, number
    0, -9223372036854775808
    1, -1

    query Figure
    columns sum number
    error invalidValue

    query Figure
    columns count
    ----
    2

    store

    rows Figure id, number
    0, -9223372036854775808
    1, -9223372036854775808
    2, 9223372036854775807

    query Figure
    columns sum number
    error invalidValue

    query Figure
    columns count
    ----
    3

    store

    rows Figure id, number
    0, 9223372036854775807
    1, 9223372036854775807

    query Figure
    columns sum number
    error invalidValue

    query Figure
    columns count
    ----
    2

    case AGG.unsigned-sum AGG-2
    Unsigned numbers are added to the end of their range.

    model Figure
    id int64 key
    unsigned uint64 optional
    index unsigned

    rows Figure id, unsigned
    0, 18446744073709551615

    query Figure
    columns sum unsigned
    ----
    18446744073709551615

    store

    rows Figure id, unsigned
    0, 9223372036854775808
    1, 1

    query Figure
    columns sum unsigned
    ----
    9223372036854775809

    store

    rows Figure id, unsigned
    0, 18446744073709551614
    1, 1

    query Figure
    columns sum unsigned
    ----
    18446744073709551615

    store

    rows Figure id, unsigned
    0, 18446744073709551615
    1, 1

    query Figure
    columns sum unsigned
    error invalidValue

    query Figure
    columns count
    ----
    2

    case AGG.integer-average AGG-3 AGG-1
    The average of integers is a Double.

    model Figure
    id int64 key
    number int64 optional
    index number

    rows Figure id, number
    0, 1
    1, 2

    query Figure
    columns average number
    ----
    1.5

    store

    rows Figure id, number
    0, nil
    1, -3
    2, nil

    query Figure
    columns average number
    ----
    -3

    store

    rows Figure id, number
    0, nil

    query Figure
    columns average number
    ----
    nil

    store

    rows Figure id, number
    0, 9223372036854775807
    1, 9223372036854775807

    query Figure
    columns average number
    ----
    9223372036854775808

    store

    rows Figure id, number
    0, -9223372036854775808
    1, -9223372036854775808

    query Figure
    columns average number
    ----
    -9223372036854775808

    store

    rows Figure id, number
    0, 9223372036854775807
    1, -9223372036854775808

    query Figure
    columns average number
    ----
    -0.5

    store

    rows Figure id, number
    0, 1
    1, 1
    2, 2
    3, 2
    4, 4

    query Figure
    columns average number
    ----
    2
    """#
}
