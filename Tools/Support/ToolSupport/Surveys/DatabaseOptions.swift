package import ArgumentParser
package import SectionedFetch

/// The command-line options of browser and inspector for the entities of a database.
package struct DatabaseOptions: ParsableArguments {
    /// The path of a model, or nil to use the one in the store or to infer one from the tables.
    @Option(
        help: ArgumentHelp(
            "A model in JSON (.json) with the entities of another program's database, or the .momd, .mom or .xcdatamodeld of a Core Data store from before iOS 9. [default: the model in the store, or one inferred from the tables]",
            valueName: "file"))
    package var model: String?

    /// Whether all views are read.
    @Flag(
        help:
            "Read all views of another program's database, whose expressions come from the file. --entity reads the views that it names."
    )
    package var views = false

    /// Called by the argument parser.
    package init() {}

    /// Whether the model maps entities to the tables of any database.
    var mapsEntities: Bool { model?.lowercased().hasSuffix(".json") == true }

    /// Returns the views that may be read: all, or those that `--entity` names.
    package func readableViews(ofEntity name: String?) -> StoreOptions.ReadableViews {
        if views { return .all }
        guard let name else { return .none }
        return .named(Set(name.split(separator: "+").map(String.init)))
    }
}
