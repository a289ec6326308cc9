// scripts/embed-cases writes this file from ConformanceSuite/Texts/Nested.case.

extension CaseTexts {
  /// The text of Nested.case.
  static let nested = #"""
    # Arrays and nested values: docs/contract.md, NEST.

    case NEST.decimal-beside-double NEST-1 NEST-2 PRED-6
    A literal with a point finds the decimal of that value and the nearest Double, on the right side of both.

    model Rated
    id int64 key
    part nested

    # In a nested value 0.1 is a decimal, and 1e-1 is the nearest Double.
    rows Rated
    id | part
     0 | {'score': 1e-1}
     1 | {'score': 0.1}
     2 | {'score': 9.999999999999999e-2}
     3 | {'score': 1.0000000000000002e-1}
     4 | {'score': 5e-1}
     5 | {'score': 0.5}
     6 | {'score': 0}
     7 | {'score': 1}
     8 | {'score': double 'nan'}
     9 | {'score': '0.1'}

    keys Rated
    where part.score == 0.1             -> 0, 1
    where part.score < 0.1              -> 2, 6
    where part.score <= 0.1             -> 0, 1, 2, 6
    where part.score > 0.1              -> 3, 4, 5, 7
    where part.score >= 0.1             -> 0, 1, 3, 4, 5, 7
    where part.score == 0.5             -> 4, 5
    where part.score < 0.5              -> 0, 1, 2, 3, 6
    where part.score >= 0.5             -> 4, 5, 7
    where part.score IN {0.1, 1}        -> 0, 1, 7
    where part.score BETWEEN {0.1, 0.5} -> 0, 1, 3, 4, 5
    """#
}
