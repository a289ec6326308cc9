public import Foundation

/// A number that the engine can calculate with; optionals of one too, for which nil stays nil.
public protocol NumericStorable: Storable {
  /// The number itself, without an optional.
  associatedtype Number: Storable & Numeric
  /// The type of a sum: 64 bits wide for integers.
  associatedtype Total: Storable
  /// The type of an average.
  associatedtype Average: Storable
}

extension Int: NumericStorable {
  public typealias Number = Int
  public typealias Total = Int
  public typealias Average = Double
}

extension Int8: NumericStorable {
  public typealias Number = Int8
  public typealias Total = Int
  public typealias Average = Double
}

extension Int16: NumericStorable {
  public typealias Number = Int16
  public typealias Total = Int
  public typealias Average = Double
}

extension Int32: NumericStorable {
  public typealias Number = Int32
  public typealias Total = Int
  public typealias Average = Double
}

extension Int64: NumericStorable {
  public typealias Number = Int64
  public typealias Total = Int
  public typealias Average = Double
}

extension UInt: NumericStorable {
  public typealias Number = UInt
  public typealias Total = UInt
  public typealias Average = Double
}

extension UInt8: NumericStorable {
  public typealias Number = UInt8
  public typealias Total = UInt
  public typealias Average = Double
}

extension UInt16: NumericStorable {
  public typealias Number = UInt16
  public typealias Total = UInt
  public typealias Average = Double
}

extension UInt32: NumericStorable {
  public typealias Number = UInt32
  public typealias Total = UInt
  public typealias Average = Double
}

extension UInt64: NumericStorable {
  public typealias Number = UInt64
  public typealias Total = UInt
  public typealias Average = Double
}

extension Float: NumericStorable {
  public typealias Number = Float
  public typealias Total = Float
  public typealias Average = Double
}

extension Double: NumericStorable {
  public typealias Number = Double
  public typealias Total = Double
  public typealias Average = Double
}

extension Decimal: NumericStorable {
  public typealias Number = Decimal
  public typealias Total = Decimal
  public typealias Average = Decimal
}

extension Optional: NumericStorable where Wrapped: NumericStorable {
  public typealias Number = Wrapped.Number
  public typealias Total = Wrapped.Total
  public typealias Average = Wrapped.Average
}
