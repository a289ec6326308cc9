import QuarryConformanceKit

/// The kit's model, and not the figure of a group in QuarryCore.
typealias Figure = QuarryConformanceKit.Figure
