import Foundation

/// The check of a keyed archive before `NSKeyedUnarchiver` reads it.
///
/// The unarchiver of Foundation's open source ends the program for some archives that it does not expect: a
/// class that is not allowed, a cycle, a table of keys that is shorter than that of the values. A store's
/// bytes may be damaged or forged, so these archives are refused here.
struct KeyedArchiveCheck {
    /// The deepest nesting of objects that is decoded.
    static let maximumDepth = 50
    /// The largest number of bytes of the name of a field. Names are shared by all objects of a class.
    private static let maximumKeyLength = 1_000

    private let list: BinaryPropertyList
    private let allowedNames: Set<String>
    /// The positions of the archive's objects in the property list.
    private var objects: [Int] = []
    /// The states of the archive's objects. The current object and those that contain it are open.
    private var states: [State] = []
    private enum State {
        case new, open
        /// The number of levels of objects below the checked one.
        case checked(height: Int)
    }
    /// The names of the classes of objects, by the objects' numbers.
    private var classNames: [Int: String] = [:]
    /// The names of classes by the numbers of their descriptions, which all objects of a class share.
    private var describedNames: [Int: String] = [:]
    /// The number of elements of containers that may still be visited. Containers of an intact archive are
    /// not shared, so that each element takes at least one byte.
    private var elementBudget: Int
    /// The number of UTF-16 units of texts and bytes of data in objects that may still be visited. These can
    /// be shared. A unit takes at least one byte of the archive.
    private var contentBudget: Int

    /// Checks an archive.
    ///
    /// - Parameter allowedNames: The names of the classes whose objects the archive may contain.
    /// - Throws: ``TransformationError`` if the archive is damaged, has an object of another class, or has
    ///   shared parts that would take more memory than an archive may have.
    /// - Complexity: O(*n*) in the number of bytes.
    static func check(_ data: Data, allowedNames: Set<String>) throws(TransformationError) {
        var check = try KeyedArchiveCheck(data, allowedNames: allowedNames)
        try check.run()
    }

    private init(_ data: Data, allowedNames: Set<String>) throws(TransformationError) {
        do throws(BinaryPropertyList.Damage) {
            list = try BinaryPropertyList(data)
        } catch {
            throw TransformationError("no intact binary property list: \(error.reason)")
        }
        self.allowedNames = allowedNames
        elementBudget = data.count
        contentBudget = max(data.count, TransformationError.maximumByteCount)
    }

    private mutating func run() throws(TransformationError) {
        let top = try dictionary(list.top)
        guard let archive = list.archive, let roots = top["$top"],
            let version = top["$version"], case .integer(100_000) = list.objects[version],
            let first = archive.objects.first, case .text("$null") = list.objects[first]
        else { throw Self.invalid("no archive of NSKeyedArchiver with a root object") }
        objects = archive.objects
        states = Array(repeating: .new, count: objects.count)
        guard try dictionary(roots).count == 1 else {
            throw Self.invalid("an archive with several root objects")
        }
        _ = try checkObject(archive.root, depth: 0)
    }

    /// Checks an object of the archive and those that it leads to.
    ///
    /// - Parameter depth: The number of levels of objects above it.
    /// - Returns: The number of levels below it.
    private mutating func checkObject(_ number: Int, depth: Int) throws(TransformationError) -> Int {
        guard objects.indices.contains(number) else { throw Self.invalid("a reference to a missing object") }
        // The unarchiver recognizes the mark of a missing object by its text alone. It would lose such a
        // text, and a dictionary that contains one would read beyond its keys.
        guard number == 0 || list.objects[objects[number]] != .text("$null") else {
            throw TransformationError(
                "the text “$null”, by which archives mark a missing object: store it in an attribute of type string"
            )
        }
        var height = 0
        switch states[number] {
        case .checked(let known): height = known
        case .open: throw Self.invalid("objects that contain themselves")
        case .new: break
        }
        // A checked object may be reached again at a greater depth, with all levels below it.
        guard depth + height <= Self.maximumDepth else {
            throw Self.invalid("objects nested deeper than \(Self.maximumDepth)")
        }
        if case .checked = states[number] { return height }
        states[number] = .open
        if case .dictionary = list.objects[objects[number]] {
            let fields = try checkedFields(ofObject: number)
            for (key, value) in fields where key != "$class" {
                height = max(height, try checkValue(value, depth: depth, level: 0))
            }
        } else {
            try checkPlain(objects[number])
        }
        states[number] = .checked(height: height)
        return height
    }

    /// Returns the fields of an object, after a check of its class and of the fields that the class needs.
    private mutating func checkedFields(ofObject number: Int) throws(TransformationError) -> [String: Int] {
        let fields = try dictionary(objects[number])
        // The fields are counted before any other use.
        for value in fields.values {
            if case .array(let elements) = list.objects[value] { try visit(elements.count) }
        }
        let name = try className(ofObject: number)
        guard allowedNames.contains(name) else {
            throw TransformationError(
                "an object of the class \(name), which is not allowed: add it to allowedClasses if it is expected"
            )
        }
        try checkFields(fields, ofClass: name)
        return fields
    }

    /// Checks a value in an object: a plain value, a reference to an object, or an array of either.
    ///
    /// - Returns: The number of levels of objects below the one that has the value.
    private mutating func checkValue(
        _ number: Int, depth: Int, level: Int
    ) throws(TransformationError) -> Int {
        switch list.objects[number] {
        case .identifier(let object): return try checkObject(object, depth: depth + 1) + 1
        case .array(let elements):
            guard level < 2 else { throw Self.invalid("nested arrays of values") }
            if level > 0 { try visit(elements.count) }
            var height = 0
            for element in elements {
                height = max(height, try checkValue(element, depth: depth, level: level + 1))
            }
            return height
        case .dictionary, .set: throw Self.invalid("a dictionary in place of a value")
        case .text(let text): try visitContent(text.utf16.count)
        case .data(let bytes): try visitContent(bytes.count)
        default: break
        }
        return 0
    }

    /// Counts visited elements of containers.
    private mutating func visit(_ count: Int) throws(TransformationError) {
        elementBudget -= count
        guard elementBudget >= 0 else { throw Self.invalid("containers that are shared by several objects") }
    }

    /// Counts visited units of texts and bytes of data.
    private mutating func visitContent(_ count: Int) throws(TransformationError) {
        contentBudget -= count
        guard contentBudget >= 0 else {
            throw TransformationError(
                "an archive with shared texts or data that exceed \(TransformationError.maximumByteCount) bytes in its objects together"
            )
        }
    }

    /// Checks that an object which is not a dictionary is a plain value.
    private func checkPlain(_ number: Int) throws(TransformationError) {
        switch list.objects[number] {
        case .array, .set, .dictionary, .identifier, .null: throw Self.invalid("an object of no class")
        default: break
        }
    }

    /// Returns the class of an object that is a dictionary.
    private mutating func className(ofObject number: Int) throws(TransformationError) -> String {
        if let name = classNames[number] { return name }
        guard let reference = list.position(of: "$class", in: objects[number]),
            case .identifier(let description) = list.objects[reference], objects.indices.contains(description)
        else { throw Self.invalid("an object without a class") }
        let name = try className(ofDescription: description)
        classNames[number] = name
        return name
    }

    /// Returns the name in the description of a class.
    private mutating func className(ofDescription number: Int) throws(TransformationError) -> String {
        if let name = describedNames[number] { return name }
        let description = try dictionary(objects[number])
        guard let position = description["$classname"], case .text(let name) = list.objects[position],
            let names = description["$classes"], case .array(let elements) = list.objects[names],
            let first = elements.first, list.objects[first] == .text(name)
        else { throw Self.invalid("an invalid class") }
        try visit(elements.count)
        for element in elements {
            guard case .text = list.objects[element] else { throw Self.invalid("an invalid class") }
        }
        describedNames[number] = name
        return name
    }

    /// Checks the fields of objects of Foundation's classes, whose initializers trust them.
    private mutating func checkFields(_ fields: [String: Int], ofClass name: String)
        throws(TransformationError)
    {
        func count(_ key: String) throws(TransformationError) -> Int? {
            guard let field = fields[key] else { return nil }
            guard case .array(let elements) = list.objects[field] else {
                throw Self.invalid("an invalid \(name)")
            }
            for element in elements {
                guard case .identifier(let number) = list.objects[element], number > 0 else {
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
        case "NSString": isValid = isString(fields["NS.string"])
        case "NSData":
            if let field = fields["NS.data"], case .data = list.objects[field] {
                isValid = true
            } else {
                isValid = false
            }
        case "NSUUID":
            if let field = fields["NS.uuidbytes"], case .data(let bytes) = list.objects[field] {
                isValid = bytes.count == 16
            } else {
                isValid = false
            }
        case "NSDate":
            if let field = fields["NS.time"] {
                switch list.objects[field] {
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

    private func isString(_ number: Int?) -> Bool {
        guard let number, case .text = list.objects[number] else { return false }
        return true
    }

    /// Checks that each key and value of a dictionary is of a class whose objects are never refused.
    ///
    /// `NSDictionary` on Linux reads beyond its keys if one of its values refuses to be decoded.
    private mutating func checkMembers(of fields: [String: Int]) throws(TransformationError) {
        #if !canImport(Darwin)
        for key in ["NS.keys", "NS.objects"] {
            guard let field = fields[key], case .array(let members) = list.objects[field] else { continue }
            for member in members {
                guard case .identifier(let number) = list.objects[member],
                    objects.indices.contains(number), case .dictionary = list.objects[objects[number]]
                else { continue }
                let name = try className(ofObject: number)
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

    private mutating func isURL(_ fields: [String: Int]) throws(TransformationError) -> Bool {
        guard let base = fields["NS.base"], case .identifier = list.objects[base],
            let relative = fields["NS.relative"],
            case .identifier(let number) = list.objects[relative], number > 0,
            objects.indices.contains(number)
        else { return false }
        let text: String
        switch list.objects[objects[number]] {
        case .text(let plain): text = plain
        case .dictionary(let keys, _):
            // The text can be shared by several objects.
            try visitContent(keys.count)
            guard let position = list.position(of: "NS.string", in: objects[number]),
                case .text(let inner) = list.objects[position]
            else { return false }
            text = inner
        default: return false
        }
        // Each object parses its text, even one that it shares with others.
        try visitContent(text.utf16.count)
        return Self.isURL(text)
    }

    /// Returns whether `NSURL` accepts a text. `URL` alone would also accept a text whose invalid characters
    /// it can encode.
    private static func isURL(_ text: String) -> Bool {
        let valid = Set("-._~:/?#[]@!$&'()*+,;=%".utf8)
        return text.utf8.allSatisfy { byte in
            valid.contains(byte) || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                || (0x61...0x7A).contains(byte)
        } && URL(string: text, encodingInvalidCharacters: false) != nil
    }

    /// Returns the entries of a dictionary of the property list.
    private mutating func dictionary(_ number: Int) throws(TransformationError) -> [String: Int] {
        guard case .dictionary(let keys, let values) = list.objects[number] else {
            throw Self.invalid("a value of another kind in place of a dictionary")
        }
        try visit(2 * keys.count)
        var entries: [String: Int] = [:]
        for (key, value) in zip(keys, values) {
            guard case .text(let key) = list.objects[key], key.utf8.count <= Self.maximumKeyLength,
                entries.updateValue(value, forKey: key) == nil
            else { throw Self.invalid("an invalid dictionary") }
        }
        return entries
    }

    private static func invalid(_ what: String) -> TransformationError {
        TransformationError("a damaged archive: \(what)")
    }
}
