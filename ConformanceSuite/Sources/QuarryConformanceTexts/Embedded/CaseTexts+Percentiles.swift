// scripts/embed-cases writes this file from ConformanceSuite/Texts/Percentiles.case.

extension CaseTexts {
  /// The text of Percentiles.case.
  static let percentiles = #"""
    # Percentiles: docs/contract.md, GRP-3.

    model Figure
    id int64 key
    number int64 optional
    value double optional
    index -value

    case GRP.percentile-0.0 GRP-3
    A percentile is a value of the column, the least that is great enough.

    lists Figure number -> percentile(number, 0.0)
    10, 9, 8, 7, 6, 5, 4, 3, 2, 1, nil -> 1

    lists Figure value -> p0.0(value)
    10, 9, 8, 7, 6, 5, 4, 3, 2, 1, nil -> 1

    case GRP.percentile-0.1 GRP-3
    A percentile is a value of the column, the least that is great enough.

    lists Figure number -> percentile(number, 0.1)
    10, 9, 8, 7, 6, 5, 4, 3, 2, 1, nil -> 1

    lists Figure value -> p0.1(value)
    10, 9, 8, 7, 6, 5, 4, 3, 2, 1, nil -> 1

    case GRP.percentile-10.0 GRP-3
    A percentile is a value of the column, the least that is great enough.

    lists Figure number -> percentile(number, 10.0)
    10, 9, 8, 7, 6, 5, 4, 3, 2, 1, nil -> 1

    lists Figure value -> p10.0(value)
    10, 9, 8, 7, 6, 5, 4, 3, 2, 1, nil -> 1

    case GRP.percentile-10.1 GRP-3
    A percentile is a value of the column, the least that is great enough.

    lists Figure number -> percentile(number, 10.1)
    10, 9, 8, 7, 6, 5, 4, 3, 2, 1, nil -> 2

    lists Figure value -> p10.1(value)
    10, 9, 8, 7, 6, 5, 4, 3, 2, 1, nil -> 2

    case GRP.percentile-50.0 GRP-3
    A percentile is a value of the column, the least that is great enough.

    lists Figure number -> percentile(number, 50.0)
    10, 9, 8, 7, 6, 5, 4, 3, 2, 1, nil -> 5

    lists Figure value -> p50.0(value)
    10, 9, 8, 7, 6, 5, 4, 3, 2, 1, nil -> 5

    case GRP.percentile-50.5 GRP-3
    A percentile is a value of the column, the least that is great enough.

    lists Figure number -> percentile(number, 50.5)
    10, 9, 8, 7, 6, 5, 4, 3, 2, 1, nil -> 6

    lists Figure value -> p50.5(value)
    10, 9, 8, 7, 6, 5, 4, 3, 2, 1, nil -> 6

    case GRP.percentile-90.0 GRP-3
    A percentile is a value of the column, the least that is great enough.

    lists Figure number -> percentile(number, 90.0)
    10, 9, 8, 7, 6, 5, 4, 3, 2, 1, nil -> 9

    lists Figure value -> p90.0(value)
    10, 9, 8, 7, 6, 5, 4, 3, 2, 1, nil -> 9

    case GRP.percentile-99.9 GRP-3
    A percentile is a value of the column, the least that is great enough.

    lists Figure number -> percentile(number, 99.9)
    10, 9, 8, 7, 6, 5, 4, 3, 2, 1, nil -> 10

    lists Figure value -> p99.9(value)
    10, 9, 8, 7, 6, 5, 4, 3, 2, 1, nil -> 10

    case GRP.percentile-100.0 GRP-3
    A percentile is a value of the column, the least that is great enough.

    lists Figure number -> percentile(number, 100.0)
    10, 9, 8, 7, 6, 5, 4, 3, 2, 1, nil -> 10

    lists Figure value -> p100.0(value)
    10, 9, 8, 7, 6, 5, 4, 3, 2, 1, nil -> 10
    """#
}
