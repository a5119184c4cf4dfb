import Testing
import Foundation

/// The schemas of well-known programs, written from their public documentation, with a few invented rows.
struct DatabaseLayout: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let sql: String

    /// Makes a database of the layout.
    func make(at path: String) throws { try ForeignWriter.run(sql, on: path) }
}

extension DatabaseLayout {
    /// A library of Calibre: no foreign keys, link tables with primary keys, custom columns, dates with
    /// zones, and views and triggers that call functions of the program.
    static let calibre = DatabaseLayout(
        testDescription: "Calibre",
        sql: """
            CREATE TABLE books (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL DEFAULT 'Unknown' COLLATE NOCASE,
                sort TEXT COLLATE NOCASE, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP, pubdate TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
                series_index REAL NOT NULL DEFAULT 1.0, author_sort TEXT COLLATE NOCASE, path TEXT NOT NULL DEFAULT '',
                has_cover BOOL DEFAULT 0, uuid TEXT);
            CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, sort TEXT COLLATE NOCASE, UNIQUE(name));
            CREATE TABLE series (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, UNIQUE(name));
            CREATE TABLE tags (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, UNIQUE(name));
            CREATE TABLE books_authors_link (id INTEGER PRIMARY KEY, book INTEGER NOT NULL, author INTEGER NOT NULL, UNIQUE(book, author));
            CREATE TABLE books_series_link (id INTEGER PRIMARY KEY, book INTEGER NOT NULL, series INTEGER NOT NULL, UNIQUE(book));
            CREATE TABLE books_tags_link (id INTEGER PRIMARY KEY, book INTEGER NOT NULL, tag INTEGER NOT NULL, UNIQUE(book, tag));
            CREATE TABLE comments (id INTEGER PRIMARY KEY, book INTEGER NOT NULL, text TEXT NOT NULL COLLATE NOCASE, UNIQUE(book));
            CREATE TABLE custom_columns (id INTEGER PRIMARY KEY AUTOINCREMENT, label TEXT NOT NULL, name TEXT NOT NULL,
                datatype TEXT NOT NULL, is_multiple BOOL DEFAULT 0 NOT NULL, UNIQUE(label));
            CREATE TABLE custom_column_1 (id INTEGER PRIMARY KEY AUTOINCREMENT, book INTEGER, value INTEGER NOT NULL, UNIQUE(book));
            CREATE INDEX authors_idx ON books (author_sort COLLATE NOCASE);
            CREATE VIEW meta AS SELECT id, title, sortconcat(id, title) AS all_titles FROM books;
            INSERT INTO authors VALUES (1, 'Le Guin', 'Le Guin'), (2, 'Lem', 'Lem'), (3, 'Gaiman', NULL), (4, 'Pratchett', NULL);
            INSERT INTO series VALUES (1, 'Earthsea'), (2, 'Hainish');
            INSERT INTO tags VALUES (1, 'fantasy'), (2, 'science fiction'), (3, 'classic');
            INSERT INTO books (id, title, timestamp, pubdate, series_index, has_cover, uuid) VALUES
                (1, 'A Wizard of Earthsea', '2011-02-03 04:05:06.789000+00:00', '1968-11-01 00:00:00+00:00', 1, 1, 'a'),
                (2, 'The Tombs of Atuan', '2011-02-04 04:05:06+00:00', '1971-01-01 00:00:00+00:00', 2, 0, 'b'),
                (3, 'Solaris', '2012-06-01 10:00:00+00:00', '1961-06-20 00:00:00+00:00', 1, 1, NULL),
                (4, 'Good Omens', '2013-01-01 00:00:00+00:00', '1990-05-10 00:00:00+00:00', 1, 0, NULL);
            INSERT INTO books_authors_link (book, author) VALUES (1, 1), (2, 1), (3, 2), (4, 3), (4, 4);
            INSERT INTO books_series_link (book, series) VALUES (1, 1), (2, 1);
            INSERT INTO books_tags_link (book, tag) VALUES (1, 1), (1, 3), (2, 1), (3, 2), (3, 3);
            INSERT INTO comments (book, text) VALUES (1, 'dragons');
            INSERT INTO custom_columns (label, name, datatype) VALUES ('pages', 'Pages', 'int');
            INSERT INTO custom_column_1 (book, value) VALUES (1, 205), (3, 204);
            CREATE TRIGGER books_insert_trg AFTER INSERT ON books BEGIN UPDATE books SET sort = title_sort(NEW.title) WHERE id = NEW.id; END;
            """)

    /// Firefox's history and bookmarks: dates in microseconds since 1970.
    static let firefox = DatabaseLayout(
        testDescription: "Firefox",
        sql: """
            CREATE TABLE moz_origins (id INTEGER PRIMARY KEY, prefix TEXT NOT NULL, host TEXT NOT NULL, frecency INTEGER NOT NULL, UNIQUE (prefix, host));
            CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url LONGVARCHAR, title LONGVARCHAR, rev_host LONGVARCHAR,
                visit_count INTEGER DEFAULT 0, hidden INTEGER DEFAULT 0 NOT NULL, frecency INTEGER DEFAULT -1 NOT NULL,
                last_visit_date INTEGER, guid TEXT, url_hash INTEGER DEFAULT 0 NOT NULL, origin_id INTEGER REFERENCES moz_origins(id));
            CREATE TABLE moz_historyvisits (id INTEGER PRIMARY KEY, from_visit INTEGER, place_id INTEGER, visit_date INTEGER, visit_type INTEGER, session INTEGER);
            CREATE TABLE moz_bookmarks (id INTEGER PRIMARY KEY, type INTEGER, fk INTEGER DEFAULT NULL, parent INTEGER, position INTEGER,
                title LONGVARCHAR, dateAdded INTEGER, lastModified INTEGER, guid TEXT);
            CREATE TABLE moz_keywords (id INTEGER PRIMARY KEY AUTOINCREMENT, keyword TEXT UNIQUE, place_id INTEGER, post_data TEXT);
            CREATE TABLE moz_meta (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
            INSERT INTO moz_origins VALUES (1, 'https://', 'example.org', 100), (2, 'https://', 'example.com', 5);
            INSERT INTO moz_places (id, url, title, visit_count, last_visit_date, url_hash, origin_id) VALUES
                (1, 'https://example.org/', 'Example', 2, 1700000000123456, 47357000000001, 1),
                (2, 'https://example.org/a', 'A', 1, 1700086400000000, 47357000000002, 1),
                (3, 'https://example.com/', NULL, 0, NULL, 47357000000003, 2);
            INSERT INTO moz_historyvisits (from_visit, place_id, visit_date, visit_type) VALUES
                (0, 1, 1690000000000001, 1), (1, 1, 1700000000123456, 1), (0, 2, 1700086400000000, 2);
            INSERT INTO moz_bookmarks (type, fk, parent, position, title, dateAdded, lastModified) VALUES
                (2, NULL, 0, 0, 'root', 1600000000000000, 1600000000000000), (1, 1, 1, 0, 'Example', 1650000000000000, 1650000000000000);
            INSERT INTO moz_meta VALUES ('origin_frecency_count', 2), ('note', 'text');
            """)

    /// Chromium's history: dates in microseconds since 1601, and zero for no date.
    static let chromium = DatabaseLayout(
        testDescription: "Chromium",
        sql: """
            CREATE TABLE meta (key LONGVARCHAR NOT NULL UNIQUE PRIMARY KEY, value LONGVARCHAR);
            CREATE TABLE urls (id INTEGER PRIMARY KEY AUTOINCREMENT, url LONGVARCHAR, title LONGVARCHAR, visit_count INTEGER DEFAULT 0 NOT NULL,
                typed_count INTEGER DEFAULT 0 NOT NULL, last_visit_time INTEGER NOT NULL, hidden INTEGER DEFAULT 0 NOT NULL);
            CREATE TABLE visits (id INTEGER PRIMARY KEY AUTOINCREMENT, url INTEGER NOT NULL, visit_time INTEGER NOT NULL, from_visit INTEGER,
                transition INTEGER DEFAULT 0 NOT NULL, segment_id INTEGER, visit_duration INTEGER DEFAULT 0 NOT NULL);
            CREATE TABLE keyword_search_terms (keyword_id INTEGER NOT NULL, url_id INTEGER NOT NULL, term LONGVARCHAR NOT NULL);
            INSERT INTO meta VALUES ('version', 58), ('last_compatible_version', '16');
            INSERT INTO urls (id, url, title, visit_count, last_visit_time) VALUES
                (1, 'https://example.org/', 'Example', 2, 13344473600123456), (2, 'https://example.com/', '', 0, 0);
            INSERT INTO visits (url, visit_time, from_visit, visit_duration) VALUES (1, 13344473600123456, 0, 1500000), (1, 13300000000000000, 1, 0);
            INSERT INTO keyword_search_terms VALUES (2, 1, 'example'), (2, 2, 'other');
            """)

    /// An application of Django: prefixed tables, deferred foreign keys, tables of pairs with primary keys.
    static let django = DatabaseLayout(
        testDescription: "Django",
        sql: """
            CREATE TABLE "django_migrations" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "app" varchar(255) NOT NULL, "name" varchar(255) NOT NULL, "applied" datetime NOT NULL);
            CREATE TABLE "django_session" ("session_key" varchar(40) NOT NULL PRIMARY KEY, "session_data" text NOT NULL, "expire_date" datetime NOT NULL);
            CREATE TABLE "library_author" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "name" varchar(100) NOT NULL, "born" date NULL);
            CREATE TABLE "library_book" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "title" varchar(200) NOT NULL, "price" decimal NOT NULL,
                "in_print" bool NOT NULL, "published" datetime NULL, "editor_id" bigint NULL REFERENCES "library_author" ("id") DEFERRABLE INITIALLY DEFERRED);
            CREATE TABLE "library_book_authors" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT,
                "book_id" bigint NOT NULL REFERENCES "library_book" ("id") DEFERRABLE INITIALLY DEFERRED,
                "author_id" bigint NOT NULL REFERENCES "library_author" ("id") DEFERRABLE INITIALLY DEFERRED);
            CREATE UNIQUE INDEX "library_book_authors_uniq" ON "library_book_authors" ("book_id", "author_id");
            INSERT INTO django_migrations (app, name, applied) VALUES ('library', '0001_initial', '2024-01-02 03:04:05.678901');
            INSERT INTO django_session VALUES ('abc', 'e30', '2024-02-01 00:00:00');
            INSERT INTO library_author (id, name, born) VALUES (1, 'Ada', '1815-12-10'), (2, 'Bea', NULL), (3, 'Cy', '1990-01-31');
            INSERT INTO library_book (id, title, price, in_print, published, editor_id) VALUES
                (1, 'One', 9.5, 1, '2020-05-06 07:08:09', 3), (2, 'Two', 10, 0, '2021-01-01 00:00:00.250000', NULL), (3, 'Three', 0.99, 1, NULL, 3);
            INSERT INTO library_book_authors (book_id, author_id) VALUES (1, 1), (1, 2), (2, 2), (3, 1);
            """)

    /// An application of Rails: references by name without foreign keys, a join table without a key.
    static let rails = DatabaseLayout(
        testDescription: "Rails",
        sql: """
            CREATE TABLE "schema_migrations" ("version" varchar NOT NULL PRIMARY KEY);
            CREATE TABLE "ar_internal_metadata" ("key" varchar NOT NULL PRIMARY KEY, "value" varchar, "created_at" datetime(6) NOT NULL, "updated_at" datetime(6) NOT NULL);
            CREATE TABLE "categories" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "name" varchar, "parent_id" integer);
            CREATE TABLE "people" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "name" varchar NOT NULL, "admin" boolean DEFAULT 0, "created_at" datetime(6) NOT NULL);
            CREATE TABLE "posts" ("id" integer PRIMARY KEY AUTOINCREMENT NOT NULL, "title" varchar, "body" text, "person_id" integer NOT NULL,
                "category_id" integer, "published_on" date, "views" bigint DEFAULT 0 NOT NULL, "created_at" datetime(6) NOT NULL,
                CONSTRAINT "fk_posts_people" FOREIGN KEY ("person_id") REFERENCES "people" ("id") ON DELETE CASCADE);
            CREATE INDEX "index_posts_on_person_id" ON "posts" ("person_id");
            CREATE TABLE "categories_people" ("category_id" integer NOT NULL, "person_id" integer NOT NULL);
            INSERT INTO schema_migrations VALUES ('20240101000000');
            INSERT INTO ar_internal_metadata VALUES ('environment', 'development', '2024-01-01 00:00:00.000001', '2024-01-01 00:00:00');
            INSERT INTO categories (id, name, parent_id) VALUES (1, 'all', NULL), (2, 'news', 1), (3, 'sport', 1);
            INSERT INTO people (id, name, admin, created_at) VALUES (1, 'Ann', 1, '2024-01-02 10:00:00.5'), (2, 'Ben', 0, '2024-01-03 10:00:00');
            INSERT INTO posts (title, person_id, category_id, published_on, created_at) VALUES
                ('Hello', 1, 2, '2024-02-01', '2024-02-01 08:00:00'), ('Again', 1, NULL, NULL, '2024-02-02 08:00:00'),
                ('Match', 2, 3, '2024-02-03', '2024-02-03 08:00:00.123456');
            INSERT INTO categories_people VALUES (2, 1), (3, 2), (3, 2);
            """)

    static let all = [calibre, firefox, chromium, django, rails]
}
