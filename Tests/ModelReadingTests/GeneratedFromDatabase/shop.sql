CREATE TABLE customers (CustomerID INTEGER PRIMARY KEY, Name TEXT NOT NULL, "E-Mail" TEXT, description TEXT, created_at DATETIME);
CREATE TABLE orders (
    number INTEGER PRIMARY KEY, CustomerID INTEGER NOT NULL REFERENCES customers, "class" TEXT DEFAULT 'normal',
    PaidOn INTEGER, total NUMERIC NOT NULL DEFAULT 0);
CREATE TABLE Product (ID INTEGER PRIMARY KEY, "price.in €" REAL, URL TEXT, in_stock BOOLEAN NOT NULL DEFAULT 1);
CREATE TABLE order_products (order_number INTEGER NOT NULL REFERENCES orders, ProductID INTEGER NOT NULL REFERENCES Product, PRIMARY KEY (order_number, ProductID));
CREATE TABLE words (word TEXT PRIMARY KEY);
INSERT INTO customers VALUES (1, 'Ada', 'ada@example.org', 'first', '2024-01-02 03:04:05'), (2, 'Bea', NULL, NULL, NULL);
INSERT INTO orders VALUES (1, 1, 'normal', 1700000000, 9.5), (2, 1, 'urgent', NULL, 10), (3, 2, NULL, 1600000000, 0);
INSERT INTO Product VALUES (1, 4.75, 'https://example.org/1', 1), (2, NULL, NULL, 0);
INSERT INTO order_products VALUES (1, 1), (1, 2), (2, 2)
