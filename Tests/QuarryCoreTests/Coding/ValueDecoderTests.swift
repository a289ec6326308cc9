import Foundation
import QuarryBackend
import QuarryCore
import QuarryTestSupport
import Testing

@Suite struct ValueDecoderTests {
  @Test func bringsEveryKindBack() throws {
    #expect(try roundTrip(EveryKind()) == EveryKind())
  }

  @Test func bringsEveryKindBackFromBytes() throws {
    let bytes = try NestedCoding.encode(try encoded(EveryKind()))
    let value = try bytes.withUnsafeBytes { (bytes) throws(StorageError) in try NestedCoding.decode(bytes) }
    #expect(try decoded(EveryKind.self, value) == EveryKind())
  }

  @Test(arguments: [Shape.point, .circle(radius: .infinity), .pair(3, Date(timeIntervalSinceReferenceDate: 0.3))])
  func bringsEnumsBack(_ shape: Shape) throws {
    #expect(try roundTrip([shape]) == [shape])
  }

  @Test func bringsClassesBack() throws {
    let dog = try roundTrip(Dog(name: "Rex", age: 3))
    #expect(dog.name == "Rex" && dog.age == 3)
    let cat = try roundTrip(Cat(name: "Tom", lives: 9))
    #expect(cat.name == "Tom" && cat.lives == 9)
  }

  @Test func bringsDictionariesBack() throws {
    #expect(try roundTrip([3: "x", -4: "y"]) == [3: "x", -4: "y"])
    #expect(try roundTrip(["b": [1], "a": []]) == ["b": [1], "a": []])
    #expect(try roundTrip([1.5: Date.distantPast]) == [1.5: Date.distantPast])
  }

  @Test func bringsOptionalsBack() throws {
    #expect(try roundTrip([Int?.none, 1]) == [nil, 1])
    #expect(try roundTrip(Date?.none) == nil)
    #expect(try roundTrip([String: Int?](dictionaryLiteral: ("a", nil))) == ["a": nil])
  }

  @Test func decodesIntegersIntoAnyWidthThatHoldsThem() throws {
    #expect(try decoded(UInt8.self, .int(255)) == 255)
    #expect(try decoded(Int64.self, .int(.min)) == .min)
    #expect(try decoded(UInt64.self, .uint(.max)) == .max)
  }

  @Test func refusesIntegersThatDoNotFit() {
    #expect(code { _ = try decoded(UInt8.self, .int(256)) } == .invalidValue)
    #expect(code { _ = try decoded(UInt64.self, .int(-1)) } == .invalidValue)
    #expect(code { _ = try decoded(Int64.self, .uint(.max)) } == .invalidValue)
    #expect(code { _ = try decoded([Int16].self, .array([.int(40000)])) } == .invalidValue)
  }

  @Test func decodesADoubleFromAnIntegerThatItHoldsExactly() throws {
    #expect(try decoded(Double.self, .int(1 << 53)) == 9_007_199_254_740_992)
    #expect(code { _ = try decoded(Double.self, .int(1 << 53 + 1)) } == .invalidValue)
    #expect(code { _ = try decoded(Float.self, .int(1 << 24 + 1)) } == .invalidValue)
  }

  @Test func decodesAFloatFromADoubleThatItHoldsExactly() throws {
    #expect(try decoded(Float.self, .double(0.5)) == 0.5)
    #expect(try decoded(Float.self, .double(.nan)).isNaN)
    #expect(code { _ = try decoded(Float.self, .double(0.1)) } == .invalidValue)
  }

  @Test func refusesAnIntegerFromADouble() {
    #expect(code { _ = try decoded(Int.self, .double(1)) } == .invalidValue)
  }

  @Test(arguments: [Value.string("2001-01-01T00:00:00Z"), .int(0), .null, .array([])])
  func refusesADateFromAnythingElse(_ value: Value) {
    #expect(code { _ = try decoded(Date.self, value) } == .invalidValue)
  }

  @Test func decodesAMissingMemberAsNil() throws {
    struct Sample: Codable, Equatable {
      var a: Int?
      var b: [String]?
    }
    #expect(try decoded(Sample.self, .object([])) == Sample())
    #expect(try decoded(Sample.self, object(["a": .null, "b": .null])) == Sample())
  }

  @Test func refusesAMissingMember() {
    struct Sample: Codable {
      var a: Int
    }
    do {
      _ = try decoded([Sample].self, .array([.object([])]))
      Issue.record("did not throw")
    } catch {
      #expect(error.code == .invalidValue)
      #expect(error.cause is DecodingError)
      #expect(error.place == "[0].a")
    }
  }

  @Test func refusesOneContainerForAnother() {
    #expect(code { _ = try decoded([Int].self, .object([])) } == .invalidValue)
    #expect(code { _ = try decoded([String: Int].self, .array([])) } == .invalidValue)
    #expect(code { _ = try decoded(Shape.self, .string("point")) } == .invalidValue)
  }

  @Test func findsMembersByBytes() throws {
    struct Both: Decodable {
      var composed: Int
      var decomposed: Int
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        composed = try container.decode(Int.self, forKey: Name("\u{E9}"))
        decomposed = try container.decode(Int.self, forKey: Name("e\u{301}"))
      }
    }
    let both = try decoded(Both.self, .object([.init("e\u{301}", .int(2)), .init("\u{E9}", .int(1))]))
    #expect(both.composed == 1 && both.decomposed == 2)
  }

  @Test func readsNestedContainers() throws {
    struct Nested: Decodable {
      var found: [String] = []
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        var list = try container.nestedUnkeyedContainer(forKey: Name("list"))
        while !list.isAtEnd {
          if try list.decodeNil() {
            found.append("nil")
          } else if let inner = try? list.nestedContainer(keyedBy: Name.self) {
            found += inner.allKeys.map(\.stringValue)
          } else {
            found.append(try list.decode(String.self))
          }
        }
        let past = (try? list.decode(String.self)) == nil
        found.append("\(past) \(list.currentIndex) \(list.count ?? -1)")
      }
    }
    let tree = object(["list": .array([.null, object(["k": .null]), .string("s")])])
    #expect(try decoded(Nested.self, tree).found == ["nil", "k", "s", "true 3 3"])
  }

  @Test func keepsItsPlaceAfterAFailedElement() throws {
    struct Lenient: Decodable {
      var values: [Int] = []
      init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        while !list.isAtEnd {
          if let number = try? list.decode(Int.self) {
            values.append(number)
          } else {
            values.append(try list.decode(String.self).count)
          }
        }
      }
    }
    #expect(try decoded(Lenient.self, .array([.int(7), .string("abc")])).values == [7, 3])
  }

  @Test func refusesATypeThatDecodesItselfWithoutEnd() {
    struct Endless: Decodable {
      init(from decoder: any Decoder) throws {
        self = try decoder.singleValueContainer().decode(Endless.self)
      }
    }
    #expect(code { _ = try decoded(Endless.self, .int(1)) } == .limitExceeded)
  }

  @Test func wrapsWhatTheTypeThrows() {
    struct Mine: Error {}
    struct Failing: Decodable {
      init(from decoder: any Decoder) throws { throw Mine() }
    }
    do {
      _ = try decoded(Failing.self, .int(1))
      Issue.record("did not throw")
    } catch {
      #expect(error.code == .invalidValue)
      #expect(error.cause is Mine)
    }
  }

  @Test func showsPathAndUserInfo() throws {
    struct Asking: Decodable {
      var seen: String
      init(from decoder: any Decoder) throws {
        let path = decoder.codingPath.map(\.stringValue).joined(separator: "/")
        seen = "\(path) \(decoder.userInfo[CodingUserInfoKey(rawValue: "k")!] as? Int ?? 0)"
      }
    }
    let decoder = ValueDecoder(userInfo: [CodingUserInfoKey(rawValue: "k")!: 7])
    let value = try decoder.decode([String: [Asking]].self, from: object(["a": .array([.int(1)])]))
    #expect(value["a"]?[0].seen == "a/Index 0 7")
  }
}
