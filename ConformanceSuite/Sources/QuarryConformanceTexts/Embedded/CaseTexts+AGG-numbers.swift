// scripts/embed-cases writes this file from ConformanceSuite/Texts/AGG-numbers.case.

extension CaseTexts {
  static let aggNumbers = #"""
    # Figures of other numbers, and of groups: docs/contract.md, AGG.

    case AGG.float-sum AGG-3
    A sum of Floats is rounded once, to a Float.

    model Figure
    id int64 key
    ratio float optional
    index ratio

    rows Figure id, ratio
    0, 16777216
    1, 1
    2, 1

    query Figure
    columns sum ratio
    ----
    16777218

    store

    rows Figure id, ratio
    0, 1
    1, float '5.9604645e-08'
    2, float '8.67361738e-19'

    query Figure
    columns sum ratio
    ----
    float '1.0000001'

    store

    rows Figure id, ratio
    0, float '1e38'
    1, float '3e38'
    2, float '-3e38'

    query Figure
    columns sum ratio
    ----
    float '1e38'

    store

    rows Figure id, ratio
    0, float '0x7f7fffff'
    1, float '0x7f7fffff'

    query Figure
    columns sum ratio
    ----
    float 'inf'

    case AGG.double-average AGG-3
    The average of Doubles does not overflow on its way.

    model Figure
    id int64 key
    value double optional
    index -value

    rows Figure id, value
    0, 1
    1, 2
    2, 6

    query Figure
    columns average value
    ----
    3

    store

    rows Figure id, value
    0, nil
    1, 2.5

    query Figure
    columns average value
    ----
    2.5

    store

    rows Figure id, value
    0, 1e100
    1, 3
    2, -1e100

    query Figure
    columns average value
    ----
    1

    store

    rows Figure id, value
    0, double '-0.0'

    query Figure
    columns average value
    ----
    0

    case AGG.nan-extremes SORT-3 AGG-1
    NaN is greater than infinity, and the least of NaN alone.

    model Figure
    id int64 key
    value double optional
    index -value

    rows Figure id, value
    0, double 'nan'
    1, double '-inf'
    2, double 'inf'
    3, nil

    query Figure
    columns min value, max value
    ----
    double '-inf', double 'nan'

    query Figure
    where id == 0
    columns min value
    ----
    double 'nan'

    case AGG.decimal-sum AGG-2
    Decimals are added exactly.

    model Figure
    id int64 key
    price decimal optional

    rows Figure id, price
    0, decimal '0.1'
    1, decimal '0.2'

    query Figure
    columns sum price
    ----
    decimal '0.3'

    store

    rows Figure id, price
    0, decimal '12345678901234567890.5'
    1, decimal '0.00000000000000005'

    query Figure
    columns sum price
    ----
    decimal '12345678901234567890.50000000000000005'

    store

    rows Figure id, price
    0, decimal '99999999999999999999999999999999999999'
    1, decimal '-99999999999999999999999999999999999998'
    2, decimal '0.5'

    query Figure
    columns sum price
    ----
    decimal '1.5'

    store

    rows Figure id, price
    0, decimal '1e127'
    1, decimal '1e-10'
    2, decimal '-1e127'

    query Figure
    columns sum price
    ----
    decimal '1e-10'

    store

    rows Figure id, price
    0, decimal '-5'
    1, decimal '5'

    query Figure
    columns sum price
    ----
    decimal '0'

    case AGG.decimal-inexact AGG-2
    A sum that no Decimal is exactly is invalidValue.

    model Figure
    id int64 key
    price decimal optional

    rows Figure id, price
    0, decimal '1e127'
    1, decimal '1e-10'

    query Figure
    columns sum price
    error invalidValue

    store

    rows Figure id, price
    0, decimal '99999999999999999999999999999999999999'
    1, decimal '0.0000000001'

    query Figure
    columns sum price
    error invalidValue

    store

    rows Figure id, price
    0, decimal '340282366920938463463374607431768211455e127'
    1, decimal '340282366920938463463374607431768211455e127'

    query Figure
    columns sum price
    error invalidValue

    case AGG.decimal-average AGG-1
    The average of decimals is a Decimal.

    model Figure
    id int64 key
    price decimal optional

    rows Figure id, price
    0, decimal '0.1'
    1, decimal '0.2'
    2, decimal '0.6'

    query Figure
    columns average price
    ----
    decimal '0.3'

    case AGG.group-of-nil AGG-1 AGG-4
    A group whose values are all nil has no sum.

    model Figure
    id int64 key
    group string optional
    number int64 optional
    index group number

    rows Figure id, group, number
    1, 'a', nil
    2, 'b', 1
    3, 'a', nil

    query Figure
    group group
    columns sum number
    ----
    'a', nil
    'b', 1

    case AGG.count-by AGG-4
    Objects are counted for each value.

    model Figure
    id int64 key
    group string optional
    number int64 optional
    index group number

    rows Figure id, group, number
    0, 'b', 0
    1, nil, 1
    2, 'a', 2
    3, 'b', 3
    4, 'e\u{301}', 4
    5, '\u{E9}', 5
    6, nil, 6

    query Figure
    group group
    columns count, min number, max number, average number
    ----
    nil, 2, 1, 6, 3.5
    'a', 1, 2, 2, 2
    'b', 2, 0, 3, 1.5
    'e\u{301}', 1, 4, 4, 4
    '\u{E9}', 1, 5, 5, 5

    query Figure
    where number != 3
    group group
    columns sum number
    ----
    nil, 7
    'a', 2
    'b', 0
    'e\u{301}', 4
    '\u{E9}', 5
    """#
}
