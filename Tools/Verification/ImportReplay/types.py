# The types of columns by the rule of the article “Importing”: the narrowest type from whose values every
# text can be computed.


def is_integer(text):
    return re.fullmatch(r"0|-?[1-9][0-9]*", text) is not None and -(2**63) <= int(text) < 2**63


def shown(number):
    """The shortest decimal text of a double, with an exponent beyond 2^53."""
    if number == int(number) if abs(number) <= 2**53 else False:
        return ("-" if str(number)[0] == "-" else "") + "%d.0" % abs(number)
    text = repr(number)
    if abs(number) <= 2**53 or "e" in text or not text.endswith(".0"):
        return text
    # Python has an exponent from 10^16 on.
    whole = text[:-2].lstrip("-")
    digits = whole.rstrip("0")
    point = "." if len(digits) > 1 else ""
    return ("-" if number < 0 else "") + digits[0] + point + digits[1:] + "e+%d" % (len(whole) - 1)


def is_number(text):
    return re.fullmatch(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?", text) is not None


def style_of_double(text):
    if is_integer(text):
        return "whole" if int(float(text)) == int(text) else None
    if not is_number(text):
        return None
    number = float(text)
    # SQLite stores a negative zero as zero.
    if number in (float("inf"), float("-inf")) or shown(number) != text or text == "-0.0":
        return None
    return "fractional" if number == round(number) else "any"


def style_of_decimal(text):
    return "any" if canonical_decimal(text) == text else None


def canonical_decimal(text):
    """The canonical text of a decimal number of at most 38 digits; None for another text."""
    if not is_number(text):
        return None
    number = decimal.Decimal(text)
    if number == 0:
        return "0"
    digits = number.normalize().as_tuple()
    if len(digits.digits) > 38:
        return None
    # The exponent of Foundation's Decimal is from -128 to 127.
    if digits.exponent > 127 or digits.exponent < -128:
        return None
    return format(number.normalize(), "f")


def style_of_boolean(text):
    return {"true": "t", "false": "t", "True": "T", "False": "T", "TRUE": "TT", "FALSE": "TT"}.get(text)


date_form = re.compile(r"(\d{4}-\d\d-\d\d)(?:([T ])(\d\d:\d\d)(:\d\d)?(\.\d+)?(Z)?|(Z)?)")


def seconds_of_date(text):
    """The seconds since 2001 of a date; None for a text that is not a date."""
    match = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?(?:Z)?)?", text)
    if not match or not text.isascii():
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    # The module has no year 0, whose calendar is that of the year 400.
    shift = 400 if year == 0 else 0
    try:
        moment = datetime.datetime(year + shift, month, day, hour, minute, second)
    except ValueError:
        return None
    whole = (moment - datetime.datetime(2001, 1, 1)).total_seconds() - shift / 400 * 146097 * 86400
    return whole + float(match.group(7) or 0)


def style_of_date(text):
    if seconds_of_date(text) is None:
        return None
    fraction = text.split(".")[1].rstrip("Z") if "." in text else ""
    if len(fraction) > 3:
        return "unclear"
    return "%d%s%s" % (len(text), text[10:11], text[-1:] == "Z")


def style_of_uuid(text):
    if not re.fullmatch(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", text):
        return None
    upper, lower = text != text.lower(), text != text.upper()
    return None if upper and lower else "upper" if upper else "lower" if lower else "any"


styles = [
    ("integer64", lambda text: "any" if is_integer(text) else None), ("double", style_of_double),
    ("decimal", style_of_decimal), ("boolean", style_of_boolean), ("date", style_of_date),
    ("uuid", style_of_uuid),
]


def holds(kind, values):
    """Whether a type holds values of JSON."""
    for value_kind, text in values:
        if value_kind == "array":
            return False
        if value_kind == "text" and kind in ("date", "uuid"):
            continue
        if value_kind == "boolean" and kind == "boolean":
            continue
        if value_kind != "number":
            return False
        if kind == "integer64" and is_integer(text):
            continue
        if kind == "double":
            number = float(text)
            # An integer must be exact; another number is the shortest text of its double.
            shortest = int(number) == int(text) if is_integer(text) else (
                abs(number) < float("inf") and decimal.Decimal(repr(number)) == decimal.Decimal(text))
            if shortest:
                continue
        if kind == "decimal" and canonical_decimal(text) is not None:
            continue
        return False
    return True


def types_of_column(values):
    """The types that a column may get: one, or several where the rule depends on digits that are not checked."""
    values = [(kind, text) for kind, text in (v for v in values if v is not None) if kind == "array" or text]
    if not values:
        return ["string"]
    for kind, style in styles:
        if not holds(kind, values) if values[0][0] != "untyped" else False:
            continue
        if all(value_kind in ("untyped", "text") for value_kind, _ in values):
            found = set(style(text) for _, text in values)
            if None in found:
                continue
            if "unclear" in found:
                return [kind, "string"]
            found.discard("any")
            if len(found) > 1:
                continue
        return [kind]
    return ["string"]


def matches(kind, value, stored):
    """Whether the store has a value."""
    if value is None:
        return stored is None
    value_kind, text = value
    if kind == "string":
        if value_kind == "array":
            return isinstance(stored, str) and same_array(text, stored)
        return stored == text and isinstance(stored, str)
    if not text:
        return stored is None
    if kind == "integer64":
        return type(stored) is int and stored == int(text)
    if kind == "double":
        return type(stored) is float and struct.pack("<d", stored) == struct.pack("<d", float(text)) \
            or stored == 0 == float(text) and value_kind == "number"
    if kind == "decimal":
        return isinstance(stored, str) and stored == canonical_decimal(text)
    if kind == "boolean":
        return stored == (text.lower() == "true") and type(stored) is int
    if kind == "date":
        return type(stored) is float and abs(stored - seconds_of_date(text)) < 1e-4
    if kind == "uuid":
        if isinstance(stored, bytes):
            return stored == uuid.UUID(text).bytes
        return stored is not None and uuid.UUID(stored) == uuid.UUID(text)
    return False


def same_array(value, stored):
    """Whether a text is the JSON of an array, without white space between its values."""
    outside = re.sub(r'"(?:[^"\\]|\\.)*"', '""', stored)
    if re.search(r"[ \t\r\n]", outside):
        return False
    return decoder.decode(stored) == value
