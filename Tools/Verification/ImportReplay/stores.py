# The comparison of a store with the table in the file that was imported.

reserved = {"objectid", "rowid", "oid", "_rowid_"}


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def contents(store):
    """The attributes of the entity in a store, its rows in the order of insertion, and the record of the import."""
    connection = sqlite3.connect("file:%s?mode=ro" % store, uri=True)
    try:
        model = json.loads(connection.execute("SELECT model FROM sc_store").fetchone()[0])
        attributes = model[0]["attributes"]
        names = ", ".join(quoted(attribute["name"]) for attribute in attributes)
        rows = connection.execute(
            "SELECT %s FROM %s ORDER BY objectID" % (names, quoted(model[0]["name"]))).fetchall()
        record = connection.execute("SELECT inserted, skipped FROM sc_import").fetchall()
    finally:
        connection.close()
    return model[0]["name"], attributes, rows, record


def difference(case, store, rejects, status, errors):
    """The first difference between a store and the file, or None."""
    words = case.get("refused")
    if words is not None:
        if status != 2:
            return "status %d instead of 2" % status
        if os.path.exists(store):
            return "a refused file made a store"
        missing = [word for word in words if word not in errors]
        return "the message lacks %r" % missing if missing else None
    try:
        table = read(case["data"], case["reading"])
    except Refused as reason:
        if status != 2:
            return "status %d, but the file is to be refused: %s" % (status, reason)
        return "a refused file made a store" if os.path.exists(store) else None
    if status != (1 if table.bad else 0):
        return "status %d with %d bad records at lines %s" % (status, len(table.bad), table.bad[:10])
    entity, attributes, rows, record = contents(store)
    if case.get("entity", entity) != entity:
        return "the entity is %r instead of %r" % (entity, case["entity"])
    problem = difference_of_bad(table, rejects)
    if problem:
        return problem
    if record != [(len(table.rows), len(table.bad))]:
        return "the history counts %r instead of %d and %d" % (record, len(table.rows), len(table.bad))
    if len(attributes) != len(table.columns):
        return "%d columns instead of %r" % (len(attributes), table.columns)
    if len(rows) != len(table.rows):
        return "%d rows instead of %d" % (len(rows), len(table.rows))
    lowered = [name.lower() for name in table.columns]
    for position, (column, attribute) in enumerate(zip(table.columns, attributes)):
        isPlain = re.fullmatch("[A-Za-z][A-Za-z0-9_]*( [A-Za-z0-9_]+)*", column) and len(column) <= 120
        if isPlain and lowered.count(column.lower()) == 1 and column.lower() not in reserved:
            if attribute["name"] != column:
                return "the column %r is called %r" % (column, attribute["name"])
        values = [row[position] for row in table.rows]
        kind = attribute["type"]
        allowed = case.get("types", {}).get(column) or types_of_column(values)
        if kind not in allowed:
            return "the type of %r is %s instead of %s" % (column, kind, " or ".join(allowed))
        if attribute.get("isUnique") and len(set(map(str, values))) < len(values):
            return "%r is a key with repeated values" % column
        for number, value in enumerate(values):
            if not matches(kind, value, rows[number][position]):
                return "row %d, %r: the store has %r for %r of type %s" % (
                    number + 1, column, rows[number][position], value, kind)
    return None


def difference_of_bad(table, rejects):
    """Compares the lines of the bad records with those in the file of reasons."""
    path = rejects + ".reasons.csv"
    found = []
    if os.path.exists(path):
        with open(path, newline="", encoding="utf-8") as file:
            found = [int(row["line"]) for row in csv.DictReader(file)]
    if found != table.bad:
        return "bad records at lines %r instead of %r" % (found[:20], table.bad[:20])
    return None
