/// The model of results that observes a controller, in the controller's isolation.
struct ResultsObserver {
    /// Called once for each change of the results, when they are the new ones, and for a reset of the
    /// context.
    let resultsChanged: () -> Void
    /// Called when the controller's ``FetchedResultsController/trackingError`` may be another, although the
    /// results are the same.
    let trackingErrorChanged: () -> Void
}
