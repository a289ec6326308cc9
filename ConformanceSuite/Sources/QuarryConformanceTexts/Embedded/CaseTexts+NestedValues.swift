// scripts/embed-cases writes this file from ConformanceSuite/Texts/NestedValues.case.

extension CaseTexts {
  /// The text of NestedValues.case.
  static let nestedValues = #"""
    # Tests of arrays and nested values: docs/contract.md, NEST.

    model Lists
    id int64 key
    tags array of string optional
    counts array of int64 optional
    scores array of double optional

    model Parts
    id int64 key
    part nested optional
    parts array of nested optional

    rows Lists
    id | tags                         | counts                                      | scores
     0 | nil                          | nil                                         | nil
     1 | {}                           | {}                                          | {}
     2 | {''}                         | {0}                                         | {double '-0.0'}
     3 | {'a', 'b'}                   | {-9223372036854775808, 9223372036854775807} | {double 'nan'}
     4 | {'a', 'a'}                   | {1, 2, 3}                                   | {0.5, double 'inf'}
     5 | {'\u{E9}', 'e\u{301}', '\0'} | nil                                         | {1, 2}
     6 | {'b', 'a'}                   | {3}                                         | nil

    # In a nested value 1 is an integer, 1e0 a Double and 1.0 a decimal.
    rows Parts
    id | part                                                          | parts
     0 | nil                                                           | nil
     1 | {'city': 'Oslo', 'floor': 1}                                  | {}
     2 | {'city': 'Oslo'}                                              | {{'city': 'Oslo', 'floor': 1}}
     3 | {'city': 'oslo', 'floor': 1e0}                                | {{'city': 'Oslo'}, {'city': 'oslo', 'floor': 1e0}}
     4 | {'city': '', 'floor': -1, 'in': {'deep': {'x': 1, 'y': {1}}}} | {{'city': '', 'floor': -1, 'in': {'deep': {'x': 1, 'y': {1}}}}, {'city': 'Oslo', 'floor': 1}}
     5 | {'city': 'Oslo', 'floor': '1'}                                | {{'city': 'Oslo', 'floor': '1'}}
     6 | 7                                                             | {}
     7 | 'Oslo'                                                        | {{'city': '', 'floor': -1, 'in': {'deep': {'x': 1, 'y': {1}}}}}
     8 | {1, 'a'}                                                      | nil
     9 | {:}                                                           | {{'city': 'oslo', 'floor': 1e0}}
    10 | TRUE                                                          | {{'city': 'Oslo', 'floor': 1}, {'city': 'Oslo', 'floor': '1'}}
    11 | {'city': 'Rom', 'floor': 1.0}                                 | {{'city': 'Oslo'}}
    12 | {'city': 'x', 'floor': 18446744073709551615}                  | nil

    case NEST.nil NEST-1 PRED-1
    Arrays and nested values are nil, or are not.

    keys Lists
    where tags == nil   -> 0
    where tags != nil   -> 1, 2, 3, 4, 5, 6
    where counts == nil -> 0, 5
    where counts != nil -> 1, 2, 3, 4, 6
    where scores == nil -> 0, 6
    where scores != nil -> 1, 2, 3, 4, 5

    keys Parts
    where part == nil  -> 0
    where part != nil  -> 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
    where parts == nil -> 0, 8, 12
    where parts != nil -> 1, 2, 3, 4, 5, 6, 7, 9, 10, 11

    case NEST.equal NEST-1 NEST-2
    Arrays and nested values are equal to constants or are not.

    keys Lists
    where tags == {}                                            -> 1
    where tags != {}                                            -> 0, 2, 3, 4, 5, 6
    where tags == {''}                                          -> 2
    where tags != {''}                                          -> 0, 1, 3, 4, 5, 6
    where tags == {'a', 'b'}                                    -> 3
    where tags != {'a', 'b'}                                    -> 0, 1, 2, 4, 5, 6
    where tags == {'a', 'a'}                                    -> 4
    where tags != {'a', 'a'}                                    -> 0, 1, 2, 3, 5, 6
    where tags == {'\u{E9}', 'e\u{301}', '\0'}                  -> 5
    where tags != {'\u{E9}', 'e\u{301}', '\0'}                  -> 0, 1, 2, 3, 4, 6
    where tags == {'b', 'a'}                                    -> 6
    where tags != {'b', 'a'}                                    -> 0, 1, 2, 3, 4, 5
    where counts == {}                                          -> 1
    where counts != {}                                          -> 0, 2, 3, 4, 5, 6
    where counts == {0}                                         -> 2
    where counts != {0}                                         -> 0, 1, 3, 4, 5, 6
    where counts == {-9223372036854775808, 9223372036854775807} -> 3
    where counts != {-9223372036854775808, 9223372036854775807} -> 0, 1, 2, 4, 5, 6
    where counts == {1, 2, 3}                                   -> 4
    where counts != {1, 2, 3}                                   -> 0, 1, 2, 3, 5, 6
    where counts == {3}                                         -> 6
    where counts != {3}                                         -> 0, 1, 2, 3, 4, 5
    where scores == {}                                          -> 1
    where scores != {}                                          -> 0, 2, 3, 4, 5, 6
    where scores == {double '-0.0'}                             -> 2
    where scores != {double '-0.0'}                             -> 0, 1, 3, 4, 5, 6
    where scores == {double 'nan'}                              -> none
    where scores != {double 'nan'}                              -> 0, 1, 2, 3, 4, 5, 6
    where scores == {0.5, double 'inf'}                         -> 4
    where scores != {0.5, double 'inf'}                         -> 0, 1, 2, 3, 5, 6
    where scores == {1, 2}                                      -> 5
    where scores != {1, 2}                                      -> 0, 1, 2, 3, 4, 6
    # Numbers are equal by their values.
    where counts == {1e0, 2e0, 3e0}                             -> 4
    where scores == {0}                                         -> 2

    keys Parts
    where part == {'city': 'Oslo', 'floor': 1}                       -> 1
    where part != {'city': 'Oslo', 'floor': 1}                       -> 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
    where part == {'city': 'Oslo'}                                   -> 2
    where part != {'city': 'Oslo'}                                   -> 0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
    where part == {'city': 'oslo', 'floor': 1e0}                     -> 3
    where part != {'city': 'oslo', 'floor': 1e0}                     -> 0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12
    where part == {'city': '', 'floor': -1, 'in': {'deep': {'x': 1, 'y': {1}}}} -> 4
    where part != {'city': '', 'floor': -1, 'in': {'deep': {'x': 1, 'y': {1}}}} -> 0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12
    where part == {'city': 'Oslo', 'floor': '1'}                     -> 5
    where part != {'city': 'Oslo', 'floor': '1'}                     -> 0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12
    where part == 7                                                  -> 6
    where part != 7                                                  -> 0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12
    where part == 'Oslo'                                             -> 7
    where part != 'Oslo'                                             -> 0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12
    where part == {1, 'a'}                                           -> 8
    where part != {1, 'a'}                                           -> 0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12
    where part == {:}                                                -> 9
    where part != {:}                                                -> 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12
    where part == TRUE                                               -> 10
    where part != TRUE                                               -> 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12
    where part == {'city': 'Rom', 'floor': 1.0}                      -> 11
    where part != {'city': 'Rom', 'floor': 1.0}                      -> 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12
    where part == {'city': 'x', 'floor': 18446744073709551615}       -> 12
    where part != {'city': 'x', 'floor': 18446744073709551615}       -> 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    where parts == {}                                                -> 1, 6
    where parts == {{'city': 'Oslo', 'floor': 1}}                    -> 2
    where parts == {{'city': 'Oslo'}, {'city': 'oslo', 'floor': 1e0}} -> 3
    where parts == {{'city': '', 'floor': -1, 'in': {'deep': {'x': 1, 'y': {1}}}}, {'city': 'Oslo', 'floor': 1}} -> 4
    where parts == {{'city': 'Oslo', 'floor': '1'}}                  -> 5
    where parts == {{'city': '', 'floor': -1, 'in': {'deep': {'x': 1, 'y': {1}}}}} -> 7
    where parts == {{'city': 'oslo', 'floor': 1e0}}                  -> 9
    where parts == {{'city': 'Oslo', 'floor': 1}, {'city': 'Oslo', 'floor': '1'}} -> 10
    where parts == {{'city': 'Oslo'}}                                -> 11
    where part == {'city': 'Oslo', 'floor': 1e0}                     -> 1
    where part == 7e0                                                -> 6
    where part IN {7, nil, {'city': 'Oslo', 'floor': 1}}             -> 0, 1, 6

    case NEST.count NEST-1 NEST-3
    The number of elements is compared; that of nil is nil.

    keys Lists
    where tags.@count == -1           -> none
    where tags.@count == 0            -> 1
    where tags.@count == 1            -> 2
    where tags.@count == 1.5          -> none
    where tags.@count == 2            -> 3, 4, 6
    where tags.@count != -1           -> 0, 1, 2, 3, 4, 5, 6
    where tags.@count != 0            -> 0, 2, 3, 4, 5, 6
    where tags.@count != 1            -> 0, 1, 3, 4, 5, 6
    where tags.@count != 1.5          -> 0, 1, 2, 3, 4, 5, 6
    where tags.@count != 2            -> 0, 1, 2, 5
    where tags.@count < -1            -> none
    where tags.@count < 0             -> none
    where tags.@count < 1             -> 1
    where tags.@count < 1.5           -> 1, 2
    where tags.@count < 2             -> 1, 2
    where tags.@count <= -1           -> none
    where tags.@count <= 0            -> 1
    where tags.@count <= 1            -> 1, 2
    where tags.@count <= 1.5          -> 1, 2
    where tags.@count <= 2            -> 1, 2, 3, 4, 6
    where tags.@count > -1            -> 1, 2, 3, 4, 5, 6
    where tags.@count > 0             -> 2, 3, 4, 5, 6
    where tags.@count > 1             -> 3, 4, 5, 6
    where tags.@count > 1.5           -> 3, 4, 5, 6
    where tags.@count > 2             -> 5
    where tags.@count >= -1           -> 1, 2, 3, 4, 5, 6
    where tags.@count >= 0            -> 1, 2, 3, 4, 5, 6
    where tags.@count >= 1            -> 2, 3, 4, 5, 6
    where tags.@count >= 1.5          -> 3, 4, 5, 6
    where tags.@count >= 2            -> 3, 4, 5, 6
    where tags.@count == nil          -> 0
    where tags.@count != nil          -> 1, 2, 3, 4, 5, 6
    where tags.@count == double 'nan' -> none
    where tags.@count != double 'nan' -> 0, 1, 2, 3, 4, 5, 6
    where tags.@count IN {0, 2}       -> 1, 3, 4, 6
    where tags.@count IN {}           -> none
    where counts.@count == 3          -> 4
    where counts.@count < 3           -> 1, 2, 3, 6
    where counts.@count == nil        -> 0, 5

    keys Parts
    where parts.@count == 0   -> 1, 6
    where parts.@count == 2   -> 3, 4, 10
    where parts.@count != 1   -> 0, 1, 3, 4, 6, 8, 10, 12
    where parts.@count >= 1.5 -> 3, 4, 10
    where parts.@count == nil -> 0, 8, 12

    case NEST.contains NEST-1 NEST-2 TEXT-1
    An array contains an element or does not.

    keys Lists
    where '' IN tags                     -> 2
    where 'a' IN tags                    -> 3, 4, 6
    where 'b' IN tags                    -> 3, 6
    where '\u{E9}' IN tags               -> 5
    where 'e\u{301}' IN tags             -> 5
    where '\0' IN tags                   -> 5
    where 'c' IN tags                    -> none
    where 0 IN counts                    -> 2
    where 1 IN counts                    -> 4
    where 9223372036854775807 IN counts  -> 3
    where 2e0 IN counts                  -> 4
    where 0.5 IN counts                  -> none
    where 18446744073709551615 IN counts -> none
    where double 'nan' IN counts         -> none
    where 0 IN scores                    -> 2
    where 1 IN scores                    -> 5
    where 9223372036854775807 IN scores  -> none
    where 2e0 IN scores                  -> 5
    where 0.5 IN scores                  -> 4
    where 18446744073709551615 IN scores -> none
    where double 'nan' IN scores         -> none

    keys Parts
    where {'city': 'Oslo', 'floor': 1} IN parts   -> 2, 4, 10
    where {'city': 'Oslo'} IN parts               -> 3, 11
    where {'deep': {'x': 1, 'y': {1}}} IN parts   -> none
    where {'city': 'Oslo', 'floor': 1e0} IN parts -> 2, 4, 10

    case NEST.any-all NEST-3
    Any of nothing is false and all of it true, of nil too.

    keys Lists
    where ANY tags (TRUEPREDICATE)                 -> 2, 3, 4, 5, 6
    where ALL tags (TRUEPREDICATE)                 -> 0, 1, 2, 3, 4, 5, 6
    where ANY tags (FALSEPREDICATE)                -> none
    where ALL tags (FALSEPREDICATE)                -> 0, 1
    where ANY tags (SELF == 'a')                   -> 3, 4, 6
    where ALL tags (SELF == 'a')                   -> 0, 1, 4
    where ANY tags (SELF >= 'a')                   -> 3, 4, 5, 6
    where ALL tags (SELF >= 'a')                   -> 0, 1, 3, 4, 6
    where ANY tags (SELF BEGINSWITH '')            -> 2, 3, 4, 5, 6
    where ALL tags (SELF BEGINSWITH '')            -> 0, 1, 2, 3, 4, 5, 6
    where ANY tags (SELF IN {'b', ''})             -> 2, 3, 6
    where ALL tags (SELF IN {'b', ''})             -> 0, 1, 2
    where ANY tags (NOT SELF == 'a')               -> 2, 3, 5, 6
    where ALL tags (NOT SELF == 'a')               -> 0, 1, 2, 5
    where ANY tags (SELF == 'b' OR SELF ==[c] 'A') -> 3, 4, 6
    where ALL tags (SELF == 'b' OR SELF ==[c] 'A') -> 0, 1, 3, 4, 6

    case NEST.deep NEST-1 NEST-3
    Paths go as deep as the value, and conditions into each other.

    keys Parts
    where part.in.deep.x == 1                                  -> 4
    where part.in.deep.y.@count == 1                           -> 4
    where 1 IN part.in.deep.y                                  -> 4
    where part.in == {'deep': {'x': 1, 'y': {1}}}              -> 4
    where ANY parts (SELF.city == 'Oslo')                      -> 2, 3, 4, 5, 10, 11
    where ALL parts (SELF.floor != nil)                        -> 0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 12
    where ANY parts (ANY SELF.in.deep.y (SELF > 0))            -> 4, 7
    where ANY parts (SELF.city == 'Oslo' AND SELF.floor > 0.5) -> 2, 4, 10
    """#
}
