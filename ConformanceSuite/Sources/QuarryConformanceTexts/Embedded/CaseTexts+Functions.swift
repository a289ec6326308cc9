// scripts/embed-cases writes this file from ConformanceSuite/Texts/Functions.case.

extension CaseTexts {
  /// The text of Functions.case.
  static let functions = #"""
    # Functions of conditions: docs/contract.md, PRED-19 and PRED-20.

    case PRED.between PRED-20
    A value is between two others where it is not less than the one and not greater than the other.

    model Track
    id int64 key
    year int64 optional
    length double
    title string
    day date optional
    price decimal
    index year
    index title

    rows Track
    id | year | length           | title    | day                    | price
     1 | 1959 |  5.4             | 'Take'   | '2001-01-01T00:00:00Z' |  1.29
     2 | 1959 |  9.1             | 'So'     | '2001-01-02T00:00:00Z' |  0.99
     3 | 1977 | -0.0             | '\u{DC}' | nil                    | -1
     4 |  nil | double 'nan'     | ''       | nil                    |  0
     5 | 2024 | double 'infinity' | 'take'   | '2030-01-01T00:00:00Z' | 99

    keys Track
    where year BETWEEN {1959, 1977}                                    -> 1, 2, 3
    where year BETWEEN {1977, 1959}                                    -> none
    where NOT year BETWEEN {1959, 1977}                                -> 4, 5
    where NOT year BETWEEN {1977, 1959}                                -> 1, 2, 3, 4, 5
    where year BETWEEN {1959, 1959}                                    -> 1, 2
    where year BETWEEN {1958.5, 1959.5}                                -> 1, 2
    where year BETWEEN {1959.5, 1960}                                  -> none
    where year BETWEEN {nil, 2000}                                     -> none
    where year BETWEEN {1900, nil}                                     -> none
    where NOT year BETWEEN {nil, 2000}                                 -> 1, 2, 3, 4, 5
    where year BETWEEN {id, id * 1000}                                 -> 2, 3, 5
    where 3 BETWEEN {id, 5}                                            -> 1, 2, 3
    where title.@count BETWEEN {1, 3}                                  -> 2, 3
    where year + 1 BETWEEN {1960, 1960}                                -> 1, 2
    where length BETWEEN {0, 9.1}                                      -> 1, 2, 3
    where length BETWEEN {double '-infinity', double 'infinity'}       -> 1, 2, 3, 5
    where length BETWEEN {double 'nan', 100}                           -> none
    where length BETWEEN {0, double 'nan'}                             -> none
    where title BETWEEN {'So', 'Take'}                                 -> 1, 2
    where title BETWEEN {'', 'S'}                                      -> 4
    where price BETWEEN {-1, 0.99}                                     -> 2, 3, 4
    where day BETWEEN {'2001-01-01T00:00:00Z', '2001-01-02T00:00:00Z'} -> 1, 2
    where year BETWEEN {1959, 1977} AND length > 6                     -> 2
    where year BETWEEN {1959, 1977} OR title == ''                     -> 1, 2, 3, 4
    where title BETWEEN {1, 2}                                         -> error invalidQuery title
    where nothing BETWEEN {1, 2}                                       -> error invalidQuery nothing
    where year BETWEEN {1}                                             -> error invalidQuery

    case PRED.between-elements PRED-20 NEST-1
    An element is between two others as a property is, and a whole array has no order.

    model Tagged
    id int64 key
    tags array of string
    marks array of int64

    rows Tagged
    id | tags        | marks
     1 | {'a', 'c'}  | {1, 9}
     2 | {}          | {}
     3 | {'b'}       | {5}
     4 | {'ba', 'd'} | {6}

    keys Tagged
    where ANY tags BETWEEN {'b', 'c'} -> 1, 3, 4
    where ALL tags BETWEEN {'b', 'c'} -> 2, 3
    where ANY marks BETWEEN {2, 5.5}  -> 3
    where ANY marks BETWEEN {5, 2}    -> none
    where tags.@count BETWEEN {1, 1}  -> 3
    where tags BETWEEN {'a', 'b'}     -> error invalidQuery tags

    case PRED.functions-of-nil PRED-19 PRED-4 TEXT-4
    A function is false of nil, and its negation is true.

    model Item
    id int64 key
    name string optional
    tags array of string optional

    rows Item
    id | name | tags
     1 | 'a'  | {'a'}
     2 | nil  | nil
     3 | ''   | {}

    keys Item
    where name CONTAINS ''           -> 1, 3
    where NOT name CONTAINS ''       -> 2
    where name BEGINSWITH ''         -> 1, 3
    where NOT name BEGINSWITH ''     -> 2
    where name ENDSWITH ''           -> 1, 3
    where NOT name ENDSWITH ''       -> 2
    where name LIKE '*'              -> 1, 3
    where NOT name LIKE '*'          -> 2
    where name MATCHES '.*'          -> 1, 3
    where NOT name MATCHES '.*'      -> 2
    where name ==[c] 'A'             -> 1
    where NOT name ==[c] 'A'         -> 2, 3
    where name BETWEEN {'', 'z'}     -> 1, 3
    where NOT name BETWEEN {'', 'z'} -> 2
    where tags CONTAINS 'a'          -> 1
    where NOT tags CONTAINS 'a'      -> 2, 3
    where nil CONTAINS ''            -> none
    where NOT nil MATCHES '.*'       -> 1, 2, 3
    """#
}
