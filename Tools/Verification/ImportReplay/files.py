# Random files, which depend on the seed alone.

words = ["Ann", "Bob", "Élodie", "Zoë", "李", "été", "naïve", "a b", "O'Neil", "x-y", "100 %", "Straße", "=1+1", "-", "NA"]
hostile = ['"', '""', ',', ';', "\t", "|", "\n", "\r\n", " ", "'", "\\", "#", "é", "😀", "e\u0301", "\u2028", "a", "b", "{", "["]
names = ["id", "title", "artist", "year", "price", "day", "flag", "note", "code", "size", "kind", "place"]


def some_text(rng, pieces, most):
    return "".join(rng.choice(pieces) for _ in range(rng.randrange(most + 1)))


def some_number(rng):
    return rng.choice([
        lambda: str(rng.randrange(-100, 1000)), lambda: str(rng.randrange(-2**63, 2**63)),
        lambda: str(rng.choice([2**53, 2**53 + 1, 2**63 - 1, 2**63, -2**63, -2**63 - 1, 0, 10**20])),
        lambda: repr(rng.randrange(-1000, 1000) / 4), lambda: repr(rng.random() * 10**rng.randrange(-8, 22)),
        lambda: "%.2f" % (rng.random() * 100), lambda: "%d.0" % rng.randrange(1000),
    ])()


def some_date(rng):
    return "%04d-%02d-%02d" % (rng.choice([1, 1582, 1900, 2000, 2001, 2024, 9999]), rng.randrange(1, 13), rng.randrange(1, 29))


def some_time(rng):
    return "%02d:%02d:%02d" % (rng.randrange(24), rng.randrange(60), rng.randrange(60))


def some_uuid(rng):
    return str(uuid.UUID(int=rng.getrandbits(128)))


column_makers = [
    lambda rng: str(rng.randrange(1000)), lambda rng: str(rng.randrange(-5, 5)), some_number,
    lambda rng: repr(rng.randrange(400) / 8), lambda rng: "%.2f" % (rng.random() * 10),
    lambda rng: "%05d" % rng.randrange(20000), lambda rng: "0.%019d1" % rng.randrange(10**19),
    lambda rng: rng.choice(["true", "false"]), lambda rng: rng.choice(["True", "False"]),
    lambda rng: rng.choice(["yes", "no", "0", "1"]), some_date,
    lambda rng: some_date(rng) + "T" + some_time(rng) + "Z", lambda rng: some_date(rng) + " " + some_time(rng),
    lambda rng: some_date(rng) + "T" + some_time(rng) + ".%03d" % rng.randrange(1000),
    lambda rng: some_date(rng) + "T" + some_time(rng) + "+02:00", some_uuid, lambda rng: some_uuid(rng).upper(),
    lambda rng: rng.choice(words), lambda rng: some_text(rng, hostile, 6), lambda rng: "",
    lambda rng: rng.choice(["1e2", ".5", "5.", "+5", "-0", "-0.0", "1_000", "0x10", "inf", "nan", "1e400", "1E5", "٣"]),
]


def column(rng, count):
    """The texts of a column: of one kind, or of another kind from some row on, with gaps."""
    maker = rng.choice(column_makers)
    other = rng.choice(column_makers)
    change = rng.randrange(count + 1) if rng.random() < 0.25 else count
    gaps = rng.choice([0, 0, 0.2])
    return ["" if rng.random() < gaps else (maker if row < change else other)(rng) for row in range(count)]


def row_count(rng):
    return rng.choice([1, 2, 3, rng.randrange(1, 12), rng.randrange(5, 40), 1005 if rng.random() < 0.01 else 4])


def written(rng, text, delimiter, style):
    """A field of CSV."""
    must = any(mark in text for mark in (delimiter, "\n", "\r")) or text[:1] == '"'
    if must or style == "all" or style == "some" and rng.random() < 0.4:
        return '"' + text.replace('"', '""') + '"'
    return text


def random_csv(rng):
    reading, arguments = {"form": "csv"}, []
    delimiter = rng.choice([",", ",", ";", "\t", "|"])
    width = rng.randrange(1, 7)
    isNamed = width == 1 or delimiter == "|" or rng.random() < 0.5
    reading["delimiter"] = delimiter
    if isNamed:
        arguments += ["--delimiter", {",": "comma", ";": "semicolon", "\t": "tab", "|": "|"}[delimiter]]
    count = row_count(rng)
    columns = [column(rng, count) for _ in range(width)]
    header = rng.sample(names, width)
    if isNamed and rng.random() < 0.3:
        header = [name + some_text(rng, ["é", " ", '"', delimiter, "\n", ".", "-", "_"], 3) for name in header]
    end = rng.choice(["\n", "\n", "\r\n", "\r", None])
    style = rng.choice(["some", "all", "few"])

    def line(fields):
        return delimiter.join(written(rng, text, delimiter, style) for text in fields) + (
            end or rng.choice(["\n", "\r\n", "\r"]))

    isHeadless = isNamed and rng.random() < 0.1
    lines = [] if isHeadless else [line(header)]
    if isHeadless:
        reading["headless"] = True
        arguments += ["--no-header"]
    if isNamed and rng.random() < 0.1:
        reading["columns"] = ["c%d" % i for i in range(width)]
        arguments += ["--columns", ",".join(reading["columns"])]
    damage = rng.random() < 0.2
    hasBytes = False
    for row in range(count):
        fields = [texts[row] for texts in columns]
        if damage and row > 2 and rng.random() < 0.1 and not any(mark in text for text in fields for mark in "\n\r"):
            kind = rng.randrange(5)
            if kind == 0:
                lines.append(line(fields + ["more"]))
            elif kind == 1:
                lines.append(line(fields[:-1] or ["a", "b"]))
            elif kind == 2:
                lines.append(line(["x"] * (width - 1)) .rstrip("\r\n") + (delimiter if width > 1 else "") + '"a"b' + (end or "\n"))
            elif kind == 3:
                lines.append(line(["a\0b"] + fields[1:]))
            else:
                hasBytes = True
                lines.append(line(["a\udcffb"] + fields[1:]))
        else:
            lines.append(line(fields))
        if rng.random() < 0.02 and width > 1:
            lines.append(end or "\n")
    if isNamed and rng.random() < 0.1:
        reading["comment"] = "#"
        arguments += ["--comment", "#"]
        for _ in range(rng.randrange(4)):
            lines.insert(rng.randrange(len(lines) + 1), "# a " + rng.choice(['"', "comment", delimiter]) + (end or "\n"))
    if isNamed and rng.random() < 0.1:
        skipped = rng.randrange(1, 4)
        reading["skipped"] = skipped
        arguments += ["--skip-lines", str(skipped)]
        lines = ["about " + str(i) + (end or "\n") for i in range(skipped)] + lines
    if rng.random() < 0.2:
        lines[-1] = lines[-1].rstrip("\r\n")
    text = "".join(lines)
    if isNamed and rng.random() < 0.05 and end is not None and text.endswith(end):
        footer = rng.randrange(1, 3)
        reading["footer"] = footer
        arguments += ["--skip-footer", str(footer)]
        text += "".join("total " + str(i) + end for i in range(footer))
    return text, reading, arguments, hasBytes


def json_text(rng, text):
    """A string of JSON, with some characters escaped."""
    shown = '"'
    for character in text:
        if character in '"\\':
            shown += "\\" + character
        elif ord(character) < 0x20 or rng.random() < 0.1:
            units = character.encode("utf-16-be")
            for unit in range(0, len(units), 2):
                shown += ("\\u%04x" if rng.random() < 0.5 else "\\u%04X") % int.from_bytes(units[unit:unit + 2], "big")
        elif character == "/" and rng.random() < 0.5:
            shown += "\\/"
        else:
            shown += character
    return shown + '"'


def json_number(rng):
    return rng.choice([some_number, lambda rng: rng.choice([
        "-0", "0", "1.0", "1.10", "1e5", "1E-7", "-0.0", "1e400", "123456789012345678901234567890", "0.1e1", "2.5e-3"])])(rng)


def json_value(rng, depth, space):
    kind = rng.randrange(6 if depth > 2 else 9)
    if kind == 0:
        return json_text(rng, some_text(rng, hostile + words, 4))
    if kind == 1:
        return json_number(rng)
    if kind == 2:
        return rng.choice(["true", "false", "null"])
    if kind == 3:
        return json_text(rng, rng.choice(column_makers)(rng))
    if kind == 4:
        return json_text(rng, rng.choice(words))
    if kind == 5:
        return str(rng.randrange(100))
    if kind == 6:
        return "[" + space() + ("," + space()).join(
            json_value(rng, depth + 1, space) for _ in range(rng.randrange(4))) + space() + "]"
    return json_object(rng, depth + 1, space, {})


def json_object(rng, depth, space, makers):
    """The text of an object. The makers make the values of some members."""
    pool = ["id", "a", "b", "a.b", "é", "name", "x y", "tags", "c", "d.e", ""]
    members = rng.sample(pool, rng.randrange(5))
    pairs = [(name, json_value(rng, depth, space)) for name in members if name not in makers]
    pairs += [(name, maker(rng)) for name, maker in makers.items() if rng.random() < 0.9]
    return "{" + space() + ("," + space()).join(
        json_text(rng, name) + space() + ":" + space() + value for name, value in pairs) + space() + "}"


json_makers = [
    json_number, lambda rng: str(rng.randrange(1000)), lambda rng: rng.choice(["true", "false", "null"]),
    lambda rng: json_text(rng, some_date(rng)), lambda rng: json_text(rng, some_uuid(rng)),
    lambda rng: repr(rng.randrange(400) / 8), lambda rng: json_text(rng, rng.choice(words)),
    lambda rng: "%.2f" % (rng.random() * 10), lambda rng: "[1, 2]",
]

# Bad records whose ends are certain.
bad_records = [
    "null", "[]", "5", '"text"', "true", '{"a": NaN}', '{"a": -Infinity}', '{"a": 1, "a": 2}', '{"a": "\\ud800"}',
    '{"a": "\\udc00\\ud800"}', '{"a": "\\u0000"}', '{"x": {"y": 1}, "x.y": 2}', "[1, 2]", '{"a": {"b": 1, "b": 1}}',
    '{"a": [{"b": 1, "b": 1}]}', '{"a": ["\\ud83d"]}',
]
# Bad records that Python's decoder refuses, and whose ends are those of their lines.
bad_lines = ["{'a': 1}", '{"a": 1,}', '{"a": True}', '{"a" 1}', '{a: 1}', '{"a": "\\x"}', '{"a": 01}', '{"a": .5}', '{"a": +1}']


def random_json(rng):
    form = rng.choice(["lines", "lines", "json", "objects"])
    reading, arguments = {"form": form}, []
    spaces = ["", "", " "] if form == "lines" else ["", " ", "\n", "\t", "\r\n"]

    def space():
        return rng.choice(spaces)

    makers = {name: rng.choice(json_makers) for name in rng.sample(["id", "p", "q", "r"], rng.randrange(4))}
    if rng.random() < 0.2:
        reading["elements"] = True
        arguments += ["--number-elements"]
    # One object that wraps arrays is refused.
    count = row_count(rng) + (1 if form == "objects" else 0)
    records = [json_object(rng, 0, space, makers) for _ in range(count)]
    if rng.random() < 0.3:
        for _ in range(rng.randrange(1, 3)):
            kinds = bad_records + (bad_lines if form == "lines" else [])
            record = rng.choice(kinds if form != "objects" else [text for text in bad_records if text[0] == "{"])
            records.insert(rng.randrange(1, len(records) + 1), record)
    # The end of a record that is not JSON is certain only before a line that begins an object.
    for number in range(len(records) - 1):
        if records[number] in bad_lines and records[number + 1][0] != "{":
            records[number] = "null"
    if form == "json":
        text = space() + "[" + ("%s,%s" % (space(), space())).join(records) + space() + "]" + space()
        if rng.random() < 0.02:
            text = text[:rng.randrange(len(text) // 2, len(text))].rstrip()
            if text.endswith("]"):
                text = text[:-1]
    elif form == "objects":
        # An object alone on its first line shows that records span lines.
        records[0] = "{\n" + records[0][1:]
        text = "".join(record + "\n" + space() for record in records)
    else:
        end = rng.choice(["\n", "\n", "\r\n"])
        text = "".join(record + end + rng.choice(["", "", "", end]) for record in records)
        if rng.random() < 0.2:
            text = text.rstrip("\r\n")
    return text, reading, arguments


def random_case(rng):
    """A file with the way to read it."""
    hasBytes = False
    if rng.random() < 0.6:
        text, reading, arguments, hasBytes = random_csv(rng)
        file = "book.tsv" if reading["delimiter"] == "\t" else "book.csv"
    else:
        text, reading, arguments = random_json(rng)
        file = "book.jsonl" if reading["form"] == "lines" else "book.json"
    chance = rng.random()
    if hasBytes:
        arguments += ["--encoding", "UTF-8"]
        data = text.encode("utf-8", "surrogateescape")
    elif chance < 0.06:
        reading["encoding"] = "utf-16"
        data = text.encode("utf-16")
    elif chance < 0.1:
        reading["encoding"] = rng.choice(["utf-16-le", "utf-16-be"])
        arguments += ["--encoding", reading["encoding"].upper().replace("-LE", "LE").replace("-BE", "BE")]
        data = text.encode(reading["encoding"])
    elif chance < 0.14 and "\0" not in text:
        text = text.encode("cp1252", "ignore").decode("cp1252")
        reading["encoding"] = "cp1252"
        arguments += ["--encoding", "WINDOWS-1252"]
        data = text.encode("cp1252")
    elif chance < 0.2:
        data = b"\xef\xbb\xbf" + text.encode("utf-8")
    else:
        data = text.encode("utf-8")
    if rng.random() < 0.04:
        reading["gzip"] = True
        data = gzip.compress(data, 1, mtime=0)
        file += ".gz"
    return {"file": file, "data": data, "reading": reading, "arguments": arguments}
