import Foundation

/// The check of a keyed archive before `NSKeyedUnarchiver` reads it.
///
/// The unarchiver of Foundation's open source ends the program for some archives that it does not expect: a
/// class that is not allowed, a cycle, a table of keys that is shorter than that of the values. A store's
/// bytes may be damaged or forged, so these archives are refused here.
struct KeyedArchiveCheck {
    /// The deepest nesting of objects that is decoded.
    static let maximumDepth = 50

    private let list: BinaryPropertyList
    private let allowedNames: Set<String>
    /// The numbers, in the property list, of the archive's objects.
    private var objects: [Int] = []
    /// The states of the archive's objects: those on the way to the present one are open.
    private var states: [State] = []
    private enum State { case new, open, checked }

    /// Checks an archive.
    ///
    /// - Parameter allowedNames: The names of the classes that the archive may have objects of.
    /// - Throws: ``TransformationError`` if the archive is damaged, or has an object of another class.
    /// - Complexity: O(*n*) in the number of bytes.
    static func check(_ data: Data, allowedNames: Set<String>) throws(TransformationError) {
        var check = try KeyedArchiveCheck(data, allowedNames: allowedNames)
        try check.run()
    }

    private init(_ data: Data, allowedNames: Set<String>) throws(TransformationError) {
        list = try BinaryPropertyList(data)
        self.allowedNames = allowedNames
    }

    private mutating func run() throws(TransformationError) {
        let top = try dictionary(list.top)
        guard let archiver = top["$archiver"], case .string("NSKeyedArchiver") = try list.node(archiver),
            let version = top["$version"], case .integer(100_000) = try list.node(version),
            let table = top["$objects"], case .array(let objects) = try list.node(table),
            let roots = top["$top"], let first = objects.first, case .string("$null") = try list.node(first)
        else { throw Self.invalid("no archive of NSKeyedArchiver") }
        self.objects = objects
        states = Array(repeating: .new, count: objects.count)
        let entries = try dictionary(roots)
        guard let root = entries["root"], entries.count == 1, case .uid(let number) = try list.node(root)
        else {
            throw Self.invalid("an archive without a root object")
        }
        try checkObject(number, depth: 0)
    }

    /// Checks an object of the archive and those that it leads to.
    private mutating func checkObject(_ number: UInt64, depth: Int) throws(TransformationError) {
        guard number < UInt64(objects.count) else { throw Self.invalid("a reference to a missing object") }
        let position = Int(number)
        switch states[position] {
        case .checked: return
        case .open: throw Self.invalid("objects that contain themselves")
        case .new: break
        }
        guard depth <= Self.maximumDepth else {
            throw Self.invalid("objects nested deeper than \(Self.maximumDepth)")
        }
        states[position] = .open
        defer { states[position] = .checked }
        guard case .dictionary(let pairs) = try list.node(objects[position]) else {
            return try checkPlain(objects[position])
        }
        let fields = try list.entries(pairs)
        let name = try className(fields)
        guard allowedNames.contains(name) else {
            throw TransformationError(
                "an object of the class \(name), which is not allowed: add it to allowedClasses if it is expected"
            )
        }
        try checkFields(fields, ofClass: name)
        for (key, value) in fields where key != "$class" { try checkValue(value, depth: depth, level: 0) }
    }

    /// Checks a value in an object: a plain value, a reference to an object, or an array of either.
    private mutating func checkValue(
        _ number: Int, depth: Int, level: Int
    ) throws(TransformationError) {
        switch try list.node(number) {
        case .uid(let object): try checkObject(object, depth: depth + 1)
        case .array(let elements):
            guard level < 2 else { throw Self.invalid("nested arrays of values") }
            for element in elements { try checkValue(element, depth: depth, level: level + 1) }
        case .dictionary: throw Self.invalid("a dictionary in place of a value")
        default: break
        }
    }

    /// Checks that an object which is not a dictionary is a plain value.
    private func checkPlain(_ number: Int) throws(TransformationError) {
        switch try list.node(number) {
        case .array, .dictionary, .uid, .null: throw Self.invalid("an object of no class")
        default: break
        }
    }

    /// Returns the class of an object.
    private func className(_ fields: [String: Int]) throws(TransformationError) -> String {
        guard let reference = fields["$class"], case .uid(let number) = try list.node(reference),
            number < UInt64(objects.count)
        else { throw Self.invalid("an object without a class") }
        let description = try dictionary(objects[Int(number)])
        guard let name = description["$classname"], case .string(let name) = try list.node(name),
            let names = description["$classes"], case .array(let elements) = try list.node(names),
            let first = elements.first, case .string(name) = try list.node(first)
        else { throw Self.invalid("an invalid class") }
        for element in elements {
            guard case .string = try list.node(element) else { throw Self.invalid("an invalid class") }
        }
        return name
    }

    /// Checks the fields of objects of Foundation's classes, whose initializers trust them.
    private func checkFields(_ fields: [String: Int], ofClass name: String) throws(TransformationError) {
        func count(_ key: String) throws(TransformationError) -> Int? {
            guard let field = fields[key] else { return nil }
            guard case .array(let elements) = try list.node(field) else {
                throw Self.invalid("an invalid \(name)")
            }
            for element in elements {
                guard case .uid(let number) = try list.node(element), number > 0 else {
                    throw Self.invalid("an invalid \(name)")
                }
            }
            return elements.count
        }
        let isValid: Bool
        switch name.replacing("NSMutable", with: "NS") {
        case "NSArray", "NSSet", "NSOrderedSet": isValid = try count("NS.objects") != nil
        case "NSDictionary":
            let (keys, objects) = (try count("NS.keys"), try count("NS.objects"))
            isValid = keys != nil && keys == objects
            if isValid { try checkMembers(of: fields) }
        case "NSString": isValid = try isString(fields["NS.string"])
        case "NSData":
            if let field = fields["NS.data"], case .data = try list.node(field) {
                isValid = true
            } else {
                isValid = false
            }
        case "NSUUID":
            if let field = fields["NS.uuidbytes"], case .data(byteCount: 16) = try list.node(field) {
                isValid = true
            } else {
                isValid = false
            }
        case "NSDate":
            if let field = fields["NS.time"] {
                switch try list.node(field) {
                case .real(let seconds): isValid = seconds.isFinite
                default: isValid = false
                }
            } else {
                isValid = false
            }
        case "NSURL": isValid = try isURL(fields)
        // Numbers are plain values.
        case "NSNumber": isValid = false
        default: isValid = true
        }
        guard isValid else { throw Self.invalid("an invalid \(name)") }
    }

    private func isString(_ number: Int?) throws(TransformationError) -> Bool {
        guard let number, case .string = try list.node(number) else { return false }
        return true
    }

    /// Checks that each key and value of a dictionary is of a class whose objects are never refused.
    ///
    /// `NSDictionary` on Linux reads beyond its keys if one of its values refuses to be decoded.
    private func checkMembers(of fields: [String: Int]) throws(TransformationError) {
        #if !canImport(Darwin)
        for key in ["NS.keys", "NS.objects"] {
            guard let field = fields[key], case .array(let members) = try list.node(field) else { continue }
            for member in members {
                guard case .uid(let number) = try list.node(member), number < UInt64(objects.count),
                    case .dictionary(let pairs) = try list.node(objects[Int(number)])
                else { continue }
                let name = try className(list.entries(pairs))
                guard Self.checkedClasses.contains(name.replacing("NSMutable", with: "NS")) else {
                    throw TransformationError(
                        "an object of the class \(name) in a dictionary, which is supported for Foundation's classes of property lists only: use an array"
                    )
                }
            }
        }
        #endif
    }

    /// The classes whose fields are checked, so that their objects can be decoded.
    private static let checkedClasses: Set<String> = [
        "NSArray", "NSDictionary", "NSSet", "NSString", "NSData", "NSDate", "NSURL", "NSUUID", "NSNull",
    ]

    private func isURL(_ fields: [String: Int]) throws(TransformationError) -> Bool {
        guard let base = fields["NS.base"], case .uid = try list.node(base),
            let relative = fields["NS.relative"],
            case .uid(let number) = try list.node(relative), number > 0, number < UInt64(objects.count)
        else { return false }
        switch try list.node(objects[Int(number)]) {
        case .string(let text): return Self.isURL(text)
        case .dictionary(let pairs):
            guard let text = try list.entries(pairs)["NS.string"],
                case .string(let text) = try list.node(text)
            else { return false }
            return Self.isURL(text)
        default: return false
        }
    }

    /// Whether `NSURL` accepts a text, which `URL` also does if it can encode invalid characters.
    private static func isURL(_ text: String) -> Bool {
        let valid = Set("-._~:/?#[]@!$&'()*+,;=%".utf8)
        return text.utf8.allSatisfy { byte in
            valid.contains(byte) || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                || (0x61...0x7A).contains(byte)
        } && URL(string: text, encodingInvalidCharacters: false) != nil
    }

    private func dictionary(_ number: Int) throws(TransformationError) -> [String: Int] {
        guard case .dictionary(let pairs) = try list.node(number) else {
            throw Self.invalid("no dictionary where one is expected")
        }
        return try list.entries(pairs)
    }

    private static func invalid(_ what: String) -> TransformationError {
        TransformationError("a damaged archive: \(what)")
    }
}
