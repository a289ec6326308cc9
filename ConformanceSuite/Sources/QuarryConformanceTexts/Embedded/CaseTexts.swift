// scripts/embed-cases writes this file from the names in ConformanceSuite/Texts.

/// The texts of ConformanceSuite/Texts with their names.
enum CaseTexts {
  static let all: [(name: String, text: String)] = [
    ("Calculations.case", calculations),
    ("DecimalFigures.case", decimalFigures),
    ("FigureGroups.case", figureGroups),
    ("FloatFigures.case", floatFigures),
    ("Functions.case", functions),
    ("GroupErrors.case", groupErrors),
    ("GroupFigures.case", groupFigures),
    ("GroupSpans.case", groupSpans),
    ("Groups.case", groups),
    ("IntegerFigures.case", integerFigures),
    ("Matches.case", matches),
    ("Nested.case", nested),
    ("NestedValues.case", nestedValues),
    ("Order.case", order),
    ("Pages.case", pages),
    ("Percentiles.case", percentiles),
    ("Predicates.case", predicates),
    ("Text.case", text),
    ("Values.case", values),
  ]
}
