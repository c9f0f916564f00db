"""Databases: DuckDB, PostgreSQL, SQLite."""
