import Foundation
import ObjectStorage

/// The value of a transformable attribute of the model `Tour`, and its transformer.
struct Place: Equatable {
    var latitude: Int
    var longitude: Int
}

enum PlaceTransformer: AttributeTransformer {
    static let name = "PlaceTransformer"

    static func data(from value: Place) throws -> Data { Data("\(value.latitude) \(value.longitude)".utf8) }

    static func value(from data: Data) throws -> Place {
        let numbers = String(decoding: data, as: UTF8.self).split(separator: " ").compactMap { Int($0) }
        return Place(latitude: numbers[0], longitude: numbers[1])
    }
}
