// scripts/embed-cases writes this file from the names in ConformanceSuite/Texts.

/// The texts of ConformanceSuite/Texts with their names.
enum CaseTexts {
  static let all: [(name: String, text: String)] = [
    ("DecimalFigures.case", decimalFigures),
    ("FigureGroups.case", figureGroups),
    ("FloatFigures.case", floatFigures),
    ("IntegerFigures.case", integerFigures),
    ("Nested.case", nested),
    ("NestedValues.case", nestedValues),
    ("Order.case", order),
    ("Pages.case", pages),
    ("Predicates.case", predicates),
    ("Text.case", text),
    ("Values.case", values),
  ]
}
