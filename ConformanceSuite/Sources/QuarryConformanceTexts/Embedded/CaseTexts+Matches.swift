// scripts/embed-cases writes this file from ConformanceSuite/Texts/Matches.case.

extension CaseTexts {
  /// The text of Matches.case.
  static let matches = #"""
    # Patterns: docs/contract.md, TEXT-7 and TEXT-8.

    case TEXT.matches-parts TEXT-7
    A pattern is compared with the whole string, and each of its parts with scalars.

    model Item
    id int64 key
    name string optional
    index name

    rows Item
    id | name
     0 | nil
     1 | ''
     2 | 'a'
     3 | 'abc'
     4 | 'ABC'
     5 | 'aab'
     6 | 'abab'
     7 | 'a\nc'
     8 | 'a\u{1F600}c'
     9 | 'e\u{301}'
    10 | '\u{E9}'
    11 | '12-3'
    12 | '\u{663}'
    13 | 'a b_1'
    14 | '.*[\\$'
    15 | 'a\u{2028}c'
    16 | 'a\0c'
    17 | 'bb'

    keys Item
    where name MATCHES ''                    -> 1
    where name MATCHES 'abc'                 -> 3
    where name MATCHES 'ab'                  -> none
    where name MATCHES 'a.c'                 -> 3, 8, 16
    where name MATCHES 'a\nc'                -> 7
    where name MATCHES 'a\\nc'               -> 7
    where name MATCHES 'a\\sc'               -> 7, 15
    where name MATCHES '.*'                  -> 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 16, 17
    where name MATCHES '[\\s\\S]*'           -> 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
    where name MATCHES '.'                   -> 2, 10, 12
    where name MATCHES '..'                  -> 9, 17
    where name MATCHES 'a|bb|'               -> 1, 2, 17
    where name MATCHES '(ab)*'               -> 1, 6
    where name MATCHES '(?:ab)+'             -> 6
    where name MATCHES 'a+b'                 -> 5
    where name MATCHES 'a{2}b'               -> 5
    where name MATCHES 'a{3,}b'              -> none
    where name MATCHES '(ab){1,2}'           -> 6
    where name MATCHES 'b{,2}'               -> 1, 17
    where name MATCHES 'a?'                  -> 1, 2
    where name MATCHES 'a+?b'                -> 5
    where name MATCHES '[a-c]+'              -> 2, 3, 5, 6, 17
    where name MATCHES '[^a-c]+'             -> 4, 9, 10, 11, 12, 14
    where name MATCHES '[\\d\\-]+'           -> 11, 12
    where name MATCHES '\\d+\\D\\d'          -> 11
    where name MATCHES '\\w+'                -> 2, 3, 4, 5, 6, 9, 10, 12, 17
    where name MATCHES '\\W+'                -> 14
    where name MATCHES '\\S+\\s\\w+'         -> 7, 13, 15
    where name MATCHES '^abc$'               -> 3
    where name MATCHES '\\Aabc\\z'           -> 3
    where name MATCHES 'a$b'                 -> none
    where name MATCHES '(^a|b)+'             -> 2, 17
    where name MATCHES '\\.\\*\\[\\\\\\$'    -> 14
    where name MATCHES '\\x41\\u0042\\u{43}' -> 4
    where name MATCHES 'a\\u{1F600}\\x{63}'  -> 8
    where name MATCHES '\u{E9}'              -> 10
    where name MATCHES 'e\u{301}'            -> 9
    where name MATCHES 'a\\x00c'             -> 16
    where NOT name MATCHES '[\\s\\S]+'       -> 0, 1
    where name MATCHES 'a.*' AND name < 'ab' -> 2, 5, 13, 16

    case TEXT.matches-refused TEXT-7
    A pattern in other syntax is invalidQuery with the place and the reason, without an object, too.

    model Item
    id int64 key
    name string

    keys Item
    where name MATCHES 'ab(c'             -> error invalidQuery scalar 3
    where name MATCHES 'ab)c'             -> error invalidQuery scalar 3
    where name MATCHES '*a'               -> error invalidQuery scalar 1
    where name MATCHES 'a**'              -> error invalidQuery scalar 3
    where name MATCHES 'a++'              -> error invalidQuery scalar 3
    where name MATCHES 'a{3,2}'           -> error invalidQuery scalar 2
    where name MATCHES 'a{,}'             -> error invalidQuery scalar 2
    where name MATCHES 'a{x}'             -> error invalidQuery scalar 3
    where name MATCHES '^*'               -> error invalidQuery scalar 2
    where name MATCHES '[ab'              -> error invalidQuery scalar 1
    where name MATCHES '[]'               -> error invalidQuery scalar 2
    where name MATCHES '[b-a]'            -> error invalidQuery scalar 2
    where name MATCHES '[[a]]'            -> error invalidQuery scalar 2
    where name MATCHES '[a&&b]'           -> error invalidQuery scalar 3
    where name MATCHES 'a\\'              -> error invalidQuery scalar 2
    where name MATCHES '(a)\\1'           -> error invalidQuery scalar 4
    where name MATCHES '\\b'              -> error invalidQuery scalar 1
    where name MATCHES '\\p{L}'           -> error invalidQuery scalar 1
    where name MATCHES '\\x4'             -> error invalidQuery scalar 1
    where name MATCHES '\\u{D800}'        -> error invalidQuery scalar 1
    where name MATCHES '(?=a)'            -> error invalidQuery scalar 1
    where name MATCHES '(?<n>a)'          -> error invalidQuery scalar 1
    where name MATCHES '(?i)a'            -> error invalidQuery scalar 1
    where name MATCHES '\u{1F600}\u{E9}(' -> error invalidQuery scalar 3
    where name MATCHES 'a{1001}'          -> error limitExceeded 1000
    where name MATCHES '(a{1000}){5}'     -> error limitExceeded 5000

    case TEXT.matches-operands TEXT-7 PRED-8 PRED-19 NEST-1
    Strings, URLs and elements are compared with patterns, and nothing else.

    model Item
    id int64 key
    year int64
    link url optional
    tags array of string
    name string

    rows Item
    id | year | link               | tags          | name
     1 | 1959 | nil                | {'jazz', '5'} | 'Take'
     2 | 1960 | 'https://a.test/2' | {}            | 'So'
     3 | 1977 | 'http://b.test'    | {'a5'}        | ''

    keys Item
    where link MATCHES 'https?://[^/]+(/\\d)?' -> 2, 3
    where link MATCHES 'http:.*'               -> 3
    where ANY tags MATCHES '\\d+'              -> 1
    where ALL tags MATCHES '.*\\d'             -> 2, 3
    where NONE tags MATCHES '.*5'              -> 2
    where 'abc' MATCHES 'a.c' AND id < 2       -> 1
    where 'abc' MATCHES 'a.'                   -> none
    where year MATCHES '1'                     -> error invalidQuery
    where tags MATCHES '1'                     -> error invalidQuery
    where name.@count MATCHES '1'              -> error invalidQuery
    where name MATCHES 1                       -> error invalidQuery

    case TEXT.matches-folded TEXT-8 TEXT-5
    Text, plain parts and single members of sets are folded; a range has its scalars, and with [c] their small letters.
    needs queryTextFolding

    model Item
    id int64 key
    name string

    rows Item
    id | name
     1 | 'STRASSE'
     2 | 'strasse'
     3 | '\u{C9}T\u{C9}'
     4 | 'e\u{301}te'
     5 | 'abc'
     6 | 'ABC'
     7 | '\u{E4}'
     8 | 'E'
     9 | '1'
    10 | '\u{DC}ber'

    keys Item
    where name MATCHES[c] 'Strasse'         -> 1, 2
    where name MATCHES 'Strasse'            -> none
    where name MATCHES[cd] '\u{E9}t\u{E9}'  -> 3, 4
    where name MATCHES[c] '\u{E9}t\u{E9}'   -> 3
    where name MATCHES[d] '\u{E9}te'        -> 4
    where name MATCHES[c] '[A-Z]{3}'        -> 5, 6
    where name MATCHES '[A-Z]{3}'           -> 6
    where name MATCHES[c] '[\u{C0}-\u{D6}]' -> 7
    where name MATCHES[cd] '[\u{E9}]'       -> 8
    where name MATCHES[c] '[^A-Z]'          -> 7, 9
    where name MATCHES[c] '\\D'             -> 7, 8
    where name MATCHES[d] 'U.*'             -> 10
    where name MATCHES[cd] 'u.*R'           -> 10
    """#
}
